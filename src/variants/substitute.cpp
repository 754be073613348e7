#include "variants/substitute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "device/expression.h"

namespace pitot::variants {
namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

Bindings bindings_of(const Template& t, const Configuration& c) {
  return {numbers_of(t, c), texts_of(t, c)};
}

Result<std::string> fill_expression(std::string_view text, const Bindings& values) {
  std::string out;
  bool names_left = false;
  for (size_t i = 0; i < text.size();) {
    if (!is_name_char(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    i = end;
    if (auto n = values.numbers.find(word); n != values.numbers.end()) {
      out += n->second < 0 ? fmt::format("({})", n->second) : fmt::format("{}", n->second);
    } else if (auto w = values.texts.find(word); w != values.texts.end()) {
      out += w->second;
    } else {
      out += word;
      const bool is_function = word == "ceil_div" || word == "min" || word == "max";
      names_left =
          names_left || (!is_function && std::isdigit(static_cast<unsigned char>(word[0])) == 0);
    }
  }
  if (names_left) return out;
  auto v = device::evaluate(out, {});
  if (v) return fmt::format("{}", *v);
  // A single number may have a fraction; it stays as it is written.
  if (device::evaluate_real(out, {})) return out;
  return v.error();
}

Result<std::string> fill_placeholders(std::string_view text, const Bindings& values,
                                      uint32_t* line) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t open = text.find("${", at);
    out += text.substr(at, std::min(open, text.size()) - at);
    if (open == text.npos) return out;
    const size_t close = text.find('}', open);
    if (line != nullptr)
      *line = 1 + static_cast<uint32_t>(std::count(
                      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), '\n'));
    if (close == text.npos || text.substr(open, close - open).find('\n') != text.npos)
      return input_error("'${' is not closed on its line");
    const std::string_view inside = text.substr(open + 2, close - open - 2);
    if (auto w = values.texts.find(inside); w != values.texts.end()) {
      out += w->second;
    } else {
      auto v = device::evaluate(inside, values.numbers, values.texts);
      if (!v) return v.error();
      out += fmt::format("{}", *v);
    }
    at = close + 1;
  }
}

}  // namespace pitot::variants
