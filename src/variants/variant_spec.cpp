#include "variants/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "support/toml_table.h"
#include "variants/substitute.h"

namespace pitot::variants {
namespace {

// Of an argument or an image: what is an expression of the sizes.
constexpr const char* kExpressionKeys[] = {"count", "origin", "value",  "width",  "height",
                                           "depth", "layers", "levels", "samples"};

bool is_expression_key(std::string_view key) {
  return std::find(std::begin(kExpressionKeys), std::end(kExpressionKeys), key) !=
         std::end(kExpressionKeys);
}

// Puts values into the strings of a template's table, in place: nodes keep where they were written.
class Filler {
 public:
  Filler(TomlContext& context, Bindings values, std::string with)
      : c_(context), values_(std::move(values)), with_(std::move(with)) {}

  void run(toml::table& root) {
    for (auto&& [key, node] : root) {
      const std::string_view name = key.str();
      if (name == "launch") {
        each_string(node, true);
      } else if (name == "sizes") {
        sizes(node);
      } else {
        below(node);
      }
    }
  }

 private:
  void below(toml::node& node) {
    if (toml::table* table = node.as_table()) {
      for (auto&& [key, item] : *table) {
        if (is_expression_key(key.str()))
          each_string(item, true);
        else
          below(item);
      }
    } else if (toml::array* array = node.as_array()) {
      for (toml::node& item : *array) below(item);
    } else {
      each_string(node, false);
    }
  }

  void each_string(toml::node& node, bool is_expression) {
    if (toml::table* table = node.as_table())
      for (auto&& [key, item] : *table) each_string(item, is_expression);
    if (toml::array* array = node.as_array())
      for (toml::node& item : *array) each_string(item, is_expression);
    toml::value<std::string>* text = node.as_string();
    if (text == nullptr) return;
    auto filled = fill_placeholders(text->get(), values_);
    if (filled && is_expression) filled = fill_expression(*filled, values_);
    if (filled)
      text->get() = std::move(*filled);
    else
      c_.error(node, "wrong-value", fmt::format("{} (with {})", filled.error().message, with_));
  }

  // A size written as an expression becomes a number: the tables of sizes take nothing else.
  void sizes(toml::node& node) {
    if (toml::array* array = node.as_array())
      for (toml::node& item : *array) sizes(item);
    toml::table* table = node.as_table();
    if (table == nullptr) return;
    std::vector<std::pair<std::string, int64_t>> numbers;
    for (auto&& [key, item] : *table) {
      if (key.str() == "kind" || !item.is_string()) continue;
      auto v = device::evaluate(item.as_string()->get(), values_.numbers, values_.texts);
      if (v)
        numbers.emplace_back(key.str(), *v);
      else
        c_.error(item, "wrong-value", fmt::format("{} (with {})", v.error().message, with_));
    }
    for (auto& [key, number] : numbers) table->insert_or_assign(key, number);
  }

  TomlContext& c_;
  Bindings values_;
  std::string with_;
};

// "16" → 16, in a launch: numbers are written as such.
void unquote_numbers(toml::node& node) {
  auto number_of = [](const toml::node& n) -> std::optional<int64_t> {
    const toml::value<std::string>* text = n.as_string();
    if (text == nullptr) return std::nullopt;
    int64_t v = 0;
    const std::string& s = text->get();
    const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
    return r.ec == std::errc() && r.ptr == s.data() + s.size() ? std::optional(v) : std::nullopt;
  };
  if (toml::table* table = node.as_table()) {
    std::vector<std::pair<std::string, int64_t>> numbers;
    for (auto&& [key, item] : *table) {
      if (auto v = number_of(item))
        numbers.emplace_back(key.str(), *v);
      else
        unquote_numbers(item);
    }
    for (auto& [key, number] : numbers) table->insert_or_assign(key, number);
  } else if (toml::array* array = node.as_array()) {
    for (size_t i = 0; i < array->size(); ++i)
      if (auto v = number_of(*array->get(i)))
        array->replace(array->cbegin() + static_cast<std::ptrdiff_t>(i), *v);
  }
}

void add_scratch(toml::table& root, size_t parameters) {
  if (root.get("args") == nullptr && parameters > 0) root.insert("args", toml::array{});
  toml::array* args = root.get("args") == nullptr ? nullptr : root.get("args")->as_array();
  for (size_t n = 0; args != nullptr && args->size() < parameters; ++n)
    args->push_back(toml::table{{"name", fmt::format("scratch{}", n)},
                                {"kind", "scalar"},
                                {"type", "u64"},
                                {"value", "0"}});
}

void add_facts(toml::table& root, const LaunchFacts& facts) {
  if (facts.parameters) add_scratch(root, *facts.parameters);
  if (!facts.threads && !facts.shared) return;
  if (root.get("launch") == nullptr) root.insert("launch", toml::table{});
  toml::table* launch = root.get("launch")->as_table();
  if (launch == nullptr) return;
  if (facts.threads && launch->get("block") == nullptr)
    launch->insert("block", static_cast<int64_t>(*facts.threads));
  if (facts.shared && launch->get("shared") == nullptr)
    launch->insert("shared", static_cast<int64_t>(*facts.shared));
}

}  // namespace

VariantSpec spec_of(const Template& t, const Configuration& c, const LaunchFacts& facts,
                    const std::string& directory, Diagnostics& out) {
  VariantSpec result;
  const size_t before = out.errors();
  TomlContext context(t.text, out);
  toml::table root = context.parse();
  for (std::string_view key : {"schema", "name", "source", "entry", "targets", "options",
                               "parameters", "constraints", "defines", "triton"})
    root.erase(key);
  Filler(context, bindings_of(t, c), values_text(t, c)).run(root);
  add_facts(root, facts);
  result.spec.path = t.text.path();
  if (out.errors() == before) {
    TomlTable table(context, root, "the template");
    device::read_spec_body(context, table, result.spec);
  }
  if (out.errors() > before) return result;
  if (result.spec.oracle) {
    std::error_code ec;
    const auto there = std::filesystem::absolute(result.spec.beside(result.spec.oracle->ptx), ec);
    const auto from = std::filesystem::absolute(directory.empty() ? "." : directory, ec);
    root["oracle"]["ptx"].as_string()->get() =
        there.lexically_normal().lexically_proximate(from.lexically_normal()).generic_string();
  }
  if (toml::node* launch = root.get("launch")) unquote_numbers(*launch);
  for (std::string_view key : {"launch", "sizes", "args", "references", "tolerance", "oracle"})
    if (toml::node* node = root.get(key)) {
      toml::table one;
      node->visit([&](auto& n) { one.insert(key, n); });
      result.text += "\n" + toml_text(one) + "\n";
    }
  return result;
}

Macros macros_of(const Template& t, const Configuration& c, const device::KernelSpec& spec,
                 Diagnostics& out) {
  Macros result;
  for (size_t i = 0; i < c.values.size(); ++i)
    if (t.parameters[i].name != t.register_cap)
      result.emplace_back(t.parameters[i].name, c.values[i].text);
  Bindings values = bindings_of(t, c);
  // A parameter hides a size of its name, as it does in the spec.
  if (!spec.sizes.empty())
    values.numbers.insert(spec.sizes[0].values.begin(), spec.sizes[0].values.end());
  for (const Define& d : t.defines) {
    auto filled = fill_expression(d.text, values);
    if (filled)
      result.emplace_back(d.name, std::move(*filled));
    else
      out.error("wrong-value", d.at,
                fmt::format("{} (with {})", filled.error().message, values_text(t, c)));
  }
  return result;
}

std::string spec_text(const VariantSpec& spec, const std::string& title, const std::string& ptx,
                      const std::string& entry) {
  return fmt::format("# {}\nschema = \"pitot.kernel/1\"\nptx = \"{}\"\nentry = \"{}\"\n{}", title,
                     ptx, entry, spec.text);
}

}  // namespace pitot::variants
