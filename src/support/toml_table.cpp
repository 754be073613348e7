// TOML access with complaints.
#include "support/toml_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "support/text.h"

namespace pitot {

uint32_t TomlContext::offset(uint32_t line, uint32_t column) const {
  std::string_view text = source_.text();
  size_t at = 0;
  for (uint32_t l = 1; l < line && at < text.size(); ++l) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return static_cast<uint32_t>(text.size());
    ++at;
  }
  // Columns of toml++ count code points.
  for (uint32_t c = 1; c < column && at < text.size(); ++c) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return static_cast<uint32_t>(std::min(at, text.size()));
}

SourceRange TomlContext::range(const toml::source_region& r) const {
  uint32_t begin = offset(r.begin.line, r.begin.column);
  uint32_t end = r.end.line == r.begin.line ? offset(r.end.line, r.end.column) : begin + 1;
  return {begin, std::max(end, begin + 1)};
}

namespace {

// The first byte beyond ASCII outside of strings and comments, where TOML has none; the text's size
// if there is no such byte.
size_t stray_byte(std::string_view text) {
  const size_t end = text.size();
  size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (i < end) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) return i;
    if (c == '#') {
      i = std::min(text.find('\n', i), end);
    } else if (c == '"' || c == '\'') {
      const bool multi = text.substr(i, 3) == std::string(3, c);
      i += multi ? 3 : 1;
      while (i < end) {
        if (c == '"' && text[i] == '\\') {
          i += 2;
        } else if (multi ? text.substr(i, 3) == std::string(3, c) : text[i] == c) {
          i += multi ? 3 : 1;
          break;
        } else if (!multi && text[i] == '\n') {
          break;  // unterminated: the parser says so
        } else {
          ++i;
        }
      }
    } else {
      ++i;
    }
  }
  return end;
}

}  // namespace

toml::table TomlContext::parse() {
  const std::string_view text = source_.text();
  // toml++ 3 has undefined behaviour on some letters beyond ASCII where it expects none. So a text
  // that has any is tried with letters in their place first: the real one is parsed only when its
  // structure is sound.
  std::string plain(text);
  for (size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < plain.size(); ++i)
    if (static_cast<unsigned char>(plain[i]) >= 0x80) plain[i] = 'x';
  toml::parse_result result =
      toml::parse(std::string_view(plain), std::string_view(source_.path()));
  if (!result) {
    out_.error("toml-syntax", range(result.error().source()),
               std::string(result.error().description()), "see https://toml.io for the syntax");
    return {};
  }
  if (plain == text) return std::move(result).table();
  if (const size_t at = stray_byte(text); at < text.size()) {
    const auto begin = static_cast<uint32_t>(at);
    out_.error("toml-syntax", {begin, begin + 1},
               "only strings and comments may have characters beyond ASCII",
               "see https://toml.io for the syntax");
    return {};
  }
  toml::parse_result real = toml::parse(text, std::string_view(source_.path()));
  if (real) return std::move(real).table();
  out_.error("toml-syntax", range(real.error().source()), std::string(real.error().description()),
             "see https://toml.io for the syntax");
  return {};
}

void TomlContext::error(const toml::node& at, std::string code, std::string message,
                        std::string hint) {
  out_.error(std::move(code), range(at.source()), std::move(message), std::move(hint));
}

const toml::node* TomlTable::take(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

void TomlTable::wrong(const toml::node& n, std::string_view key, std::string_view wanted) {
  context_.error(n, "wrong-type", fmt::format("`{}` of {} must be {}", key, name_, wanted));
}

std::optional<std::string> TomlTable::text(std::string_view key) {
  const toml::node* n = take(key);
  if (n == nullptr) return std::nullopt;
  if (auto s = n->value<std::string>(); s && n->is_string()) return s;
  wrong(*n, key, "text in quotes");
  return std::nullopt;
}

std::optional<double> TomlTable::number(std::string_view key) {
  const toml::node* n = take(key);
  if (n == nullptr) return std::nullopt;
  if (n->is_number()) return n->value<double>();
  wrong(*n, key, "a number");
  return std::nullopt;
}

std::optional<int64_t> TomlTable::integer(std::string_view key, int64_t least, int64_t most) {
  const toml::node* n = take(key);
  if (n == nullptr) return std::nullopt;
  auto v = n->is_integer() ? n->value<int64_t>() : std::nullopt;
  if (v && *v >= least && *v <= most) return v;
  wrong(*n, key, fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<bool> TomlTable::flag(std::string_view key) {
  const toml::node* n = take(key);
  if (n == nullptr) return std::nullopt;
  if (n->is_boolean()) return n->value<bool>();
  wrong(*n, key, "true or false");
  return std::nullopt;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  std::vector<std::string> out;
  const toml::node* n = take(key);
  if (n == nullptr) return out;
  if (n->is_string()) {
    out.push_back(*n->value<std::string>());
    return out;
  }
  const toml::array* array = n->as_array();
  if (array == nullptr) {
    wrong(*n, key, "text or a list of texts");
    return out;
  }
  for (const toml::node& item : *array) {
    if (item.is_string()) {
      out.push_back(*item.value<std::string>());
    } else {
      wrong(item, key, "a list of texts");
    }
  }
  return out;
}

const toml::table* TomlTable::table(std::string_view key) {
  const toml::node* n = take(key);
  if (n == nullptr) return nullptr;
  if (const toml::table* t = n->as_table()) return t;
  wrong(*n, key, "a table");
  return nullptr;
}

std::vector<const toml::table*> TomlTable::tables(std::string_view key) {
  std::vector<const toml::table*> out;
  const toml::node* n = take(key);
  if (n == nullptr) return out;
  if (const toml::table* t = n->as_table()) {
    out.push_back(t);
  } else if (const toml::array* array = n->as_array()) {
    for (const toml::node& item : *array) {
      if (const toml::table* t2 = item.as_table()) {
        out.push_back(t2);
      } else {
        wrong(item, key, "tables, each written [[" + std::string(key) + "]]");
      }
    }
  } else {
    wrong(*n, key, "tables, each written [[" + std::string(key) + "]]");
  }
  return out;
}

void TomlTable::done() {
  for (const auto& [key, node] : table_) {
    std::string_view name = key.str();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::vector<std::string_view> candidates(known_.begin(), known_.end());
    std::string_view best = nearest(name, candidates);
    std::string hint = best.empty() ? fmt::format("{} knows: {}", name_, fmt::join(known_, ", "))
                                    : fmt::format("did you mean `{}`?", best);
    context_.error(context_.range(key.source()), "unknown-key",
                   fmt::format("{} has no key `{}`", name_, name), std::move(hint));
  }
}

std::string toml_text(const toml::table& table) {
  std::ostringstream out;
  out << toml::toml_formatter(table, toml::format_flags::indent_array_elements);
  return out.str();
}

}  // namespace pitot
