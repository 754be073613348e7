#include "variants/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "device/spec.h"
#include "ptx/isa.h"
#include "support/toml_table.h"

namespace pitot::variants {
namespace {

bool is_identifier(std::string_view s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

class TemplateReader {
 public:
  TemplateReader(TomlContext& context, Template& out) : c_(context), out_(out) {}

  void run(const toml::table& root) {
    TomlTable t(c_, root, "the template");
    const auto schema = t.text("schema");
    if (schema && *schema != "pitot.template/1")
      c_.error(*root.get("schema"), "schema", fmt::format("unknown schema '{}'", *schema),
               "pitot.template/1");
    out_.family = required(t, root, "name");
    out_.source = required(t, root, "source");
    source_kind(root);
    if (auto s = t.text("entry")) out_.entry = *s;
    targets(t, root);
    out_.options = t.texts("options");
    if (const toml::table* p = t.table("parameters")) parameters(*p);
    if (auto s = t.text("register_cap")) register_cap(*s, *root.get("register_cap"));
    if (const toml::table* k = t.table("constraints")) constraints(*k);
    if (const toml::table* k = t.table("defines")) defines(*k);
    if (const toml::table* k = t.table("triton")) triton(*k);
    // Types and expressions may have parameters in them, so the spec's keys are only known here and
    // read when these have values.
    for (const char* key : {"launch", "sizes", "args", "references", "tolerance", "oracle"})
      t.take(key);
    t.done();
  }

 private:
  std::string required(TomlTable& t, const toml::table& raw, const char* key) {
    auto s = t.text(key);
    if (raw.get(key) == nullptr)
      c_.error(raw, "missing-key", fmt::format("`{}` is missing", key));
    else if (s && s->empty())
      c_.error(*raw.get(key), "wrong-value", fmt::format("`{}` is empty", key));
    return s.value_or("");
  }

  void source_kind(const toml::table& root) {
    const std::string ending = std::filesystem::path(out_.source).extension().string();
    out_.kind = ending == ".ptx"  ? SourceKind::kPtx
                : ending == ".py" ? SourceKind::kTriton
                                  : SourceKind::kCuda;
    if (!out_.source.empty() && ending != ".ptx" && ending != ".py" && ending != ".cu" &&
        ending != ".cuh" && ending != ".cpp" && ending != ".kernel")
      c_.error(*root.get("source"), "wrong-value",
               fmt::format("'{}' is no source that can be compiled", out_.source),
               "a .cu, .ptx or .py file");
  }

  void targets(TomlTable& t, const toml::table& root) {
    out_.targets = t.texts("targets");
    for (const std::string& name : out_.targets)
      if (ptx::target_from_name(name).sm == 0)
        c_.error(*root.get("targets"), "wrong-value", fmt::format("'{}' is no target", name),
                 "sm_80, sm_90a, …");
  }

  std::optional<Value> value(const toml::node& n) {
    if (const auto* i = n.as_integer()) return number_value(i->get());
    if (const auto* b = n.as_boolean()) return number_value(b->get() ? 1 : 0);
    if (const auto* f = n.as_floating_point(); f != nullptr && std::isfinite(f->get()))
      return Value{fmt::format("{}", f->get()), std::nullopt};
    if (const auto* s = n.as_string()) return Value{s->get(), std::nullopt};
    return std::nullopt;
  }

  void parameters(const toml::table& raw) {
    // In the order they are written, which toml++ does not keep.
    std::vector<std::pair<const toml::key*, const toml::node*>> keys;
    for (const auto& [key, node] : raw) keys.emplace_back(&key, &node);
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
      const auto &x = a.first->source().begin, &y = b.first->source().begin;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    for (const auto& [key, node] : keys) parameter(*key, *node);
  }

  void parameter(const toml::key& key, const toml::node& node) {
    Parameter p{std::string(key.str()), {}};
    if (!is_identifier(p.name))
      c_.error(c_.range(key.source()), "wrong-value",
               fmt::format("'{}' cannot be the name of a parameter", p.name),
               "letters, digits and _");
    if (p.name == "ceil_div" || p.name == "min" || p.name == "max")
      c_.error(c_.range(key.source()), "wrong-value",
               fmt::format("'{}' is a function of the expressions", p.name));
    const toml::array* list = node.as_array();
    const size_t n = list == nullptr ? 1 : list->size();
    for (size_t i = 0; i < n; ++i) {
      const toml::node& item = list == nullptr ? node : *list->get(i);
      auto v = value(item);
      if (!v) {
        c_.error(item, "wrong-type",
                 fmt::format("`{}` takes whole and finite numbers, true, false and texts", p.name));
      } else if (std::find(p.values.begin(), p.values.end(), *v) != p.values.end()) {
        c_.error(item, "wrong-value", fmt::format("`{}` has {} twice", p.name, v->text));
      } else {
        p.values.push_back(std::move(*v));
      }
    }
    if (n == 0)
      c_.error(node, "wrong-value", fmt::format("`{}` has no values: there is no variant", p.name));
    out_.parameters.push_back(std::move(p));
  }

  void register_cap(const std::string& name, const toml::node& at) {
    out_.register_cap = name;
    const auto p = std::find_if(out_.parameters.begin(), out_.parameters.end(),
                                [&](const Parameter& x) { return x.name == name; });
    if (p == out_.parameters.end())
      return c_.error(at, "wrong-value", fmt::format("there is no parameter '{}'", name));
    for (const Value& v : p->values)
      if (!v.number || *v.number < 0 || *v.number > 255)
        c_.error(at, "wrong-value", fmt::format("{} = {} is no number of registers", name, v.text),
                 "1 to 255, or 0 for no limit");
  }

  void constraints(const toml::table& raw) {
    TomlTable t(c_, raw, "[constraints]");
    const std::vector<std::string> all = t.texts("all");
    const toml::node* n = raw.get("all");
    const toml::array* list = n == nullptr ? nullptr : n->as_array();
    for (size_t i = 0; i < all.size(); ++i) {
      const toml::node* at = list != nullptr && i < list->size() ? list->get(i) : n;
      out_.constraints.push_back({all[i], c_.range(at->source())});
    }
    t.done();
  }

  void defines(const toml::table& raw) {
    if (out_.kind != SourceKind::kCuda)
      c_.error(raw, "wrong-value", "[defines] are for CUDA sources");
    for (const auto& [key, node] : raw) {
      Define d{std::string(key.str()), {}, c_.range(node.source())};
      if (!is_identifier(d.name))
        c_.error(c_.range(key.source()), "wrong-value",
                 fmt::format("'{}' cannot be the name of a macro", d.name),
                 "letters, digits and _");
      if (const auto* i = node.as_integer())
        d.text = std::to_string(i->get());
      else if (const auto* s = node.as_string())
        d.text = s->get();
      else
        c_.error(node, "wrong-type", fmt::format("`{}` is an expression", d.name));
      for (const Parameter& p : out_.parameters)
        if (p.name == d.name)
          c_.error(c_.range(key.source()), "wrong-value",
                   fmt::format("`{}` is a parameter already", d.name));
      out_.defines.push_back(std::move(d));
    }
  }

  // Read by tools/triton_variants.py; only the keys are checked here.
  void triton(const toml::table& raw) {
    TomlTable t(c_, raw, "[triton]");
    t.table("signature");
    t.texts("divisible_by_16");
    t.table("options");
    t.done();
    if (out_.kind != SourceKind::kTriton)
      c_.error(raw, "wrong-value", "[triton] is for sources in Python");
  }

  TomlContext& c_;
  Template& out_;
};

}  // namespace

Value number_value(int64_t number) { return {std::to_string(number), number}; }

Value value_of(std::string text) {
  int64_t v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  const bool whole = r.ec == std::errc() && r.ptr == text.data() + text.size();
  return whole ? number_value(v) : Value{std::move(text), std::nullopt};
}

std::string Template::source_path() const {
  return (std::filesystem::path(text.path()).parent_path() / source).string();
}

Template read_template(SourceText source, Diagnostics& out) {
  Template t;
  TomlContext context(source, out);
  const toml::table root = context.parse();
  if (out.errors() == 0) TemplateReader(context, t).run(root);
  t.text = std::move(source);
  return t;
}

}  // namespace pitot::variants
