// The values that a constant operand may have, as the instruction table writes them.
#include <charconv>

#include "ptx/isa.h"

namespace pitot::ptx {
namespace {

// Reads a number off the front of `text`; 0 if there is none.
int64_t take_number(std::string_view& text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

}  // namespace

bool value_allowed(std::string_view values, int64_t value) {
  if (values.empty()) return true;
  for (;;) {
    int64_t first = take_number(values);
    int64_t last = first;
    int64_t step = 1;
    if (values.starts_with("..")) {
      values.remove_prefix(2);
      last = take_number(values);
      if (values.starts_with('/')) {
        values.remove_prefix(1);
        step = take_number(values);
      }
    }
    if (value >= first && value <= last && step > 0 && (value - first) % step == 0) return true;
    if (!values.starts_with('|')) return false;
    values.remove_prefix(1);
  }
}

}  // namespace pitot::ptx
