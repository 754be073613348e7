// Loops of the table notation: values, and their replacement inside the repeated row.
#include "expand.h"

#include <charconv>
#include <optional>

namespace pitot::isagen {
namespace {

struct Variable {
  std::string name;
  std::vector<std::string> values;
};

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<int> to_number(std::string_view text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `8..256/8` or `a|b|c`.
bool read_values(std::string_view text, std::vector<std::string>& values) {
  size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    for (;;) {
      size_t bar = text.find('|');
      values.emplace_back(trim(text.substr(0, bar)));
      if (bar == std::string_view::npos) return true;
      text.remove_prefix(bar + 1);
    }
  }
  size_t slash = text.find('/', dots);
  if (slash == std::string_view::npos) slash = text.size();
  std::optional<int> first = to_number(trim(text.substr(0, dots)));
  std::optional<int> last = to_number(trim(text.substr(dots + 2, slash - dots - 2)));
  std::optional<int> step = slash < text.size() ? to_number(trim(text.substr(slash + 1))) : 1;
  if (!first || !last || !step || *step < 1 || *first > *last) return false;
  for (int value = *first; value <= *last; value += *step) values.push_back(std::to_string(value));
  return true;
}

// Replaces `<X>`, and with a number as value also `<X*2>` and `<X/2>`; other angle brackets stay.
std::string substitute(std::string_view row, const Variable& variable, const std::string& value) {
  std::string result;
  while (!row.empty()) {
    size_t open = row.find('<' + variable.name);
    size_t close = open == std::string_view::npos ? open : row.find('>', open);
    if (close == std::string_view::npos) break;
    std::string_view inside = row.substr(open + 1 + variable.name.size());
    inside = inside.substr(0, close - open - 1 - variable.name.size());
    int number = to_number(value).value_or(-1);
    int factor = inside.size() > 1 ? to_number(inside.substr(1)).value_or(0) : 0;
    std::string text(row.substr(open, close - open + 1));
    if (inside.empty()) {
      text = value;
    } else if (number >= 0 && factor > 0 && inside[0] == '*') {
      text = std::to_string(number * factor);
    } else if (number >= 0 && factor > 0 && inside[0] == '/' && number % factor == 0) {
      text = std::to_string(number / factor);
    }
    result += std::string(row.substr(0, open)) + text;
    row.remove_prefix(close + 1);
  }
  return result + std::string(row);
}

}  // namespace

std::string expand_loop(std::string_view rest, std::vector<std::string>& rows) {
  // The colon that ends the list of variables has a blank before it; those in names have none.
  size_t colon = rest.find(" :");
  if (colon == std::string_view::npos) return "expected ' :' before the repeated row";
  std::vector<std::string> expanded{std::string(trim(rest.substr(colon + 2)))};
  std::string_view list = rest.substr(0, colon);
  while (!trim(list).empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::string_view part = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    size_t equals = part.find('=');
    if (equals == std::string_view::npos) return "expected VARIABLE=VALUES";
    Variable variable{std::string(trim(part.substr(0, equals))), {}};
    if (variable.name.empty() || !read_values(part.substr(equals + 1), variable.values))
      return "expected VARIABLE=FIRST..LAST/STEP or VARIABLE=A|B|C";
    std::vector<std::string> next;
    for (const std::string& row : expanded)
      for (const std::string& value : variable.values)
        next.push_back(substitute(row, variable, value));
    expanded = std::move(next);
  }
  rows.insert(rows.end(), expanded.begin(), expanded.end());
  return {};
}

}  // namespace pitot::isagen
