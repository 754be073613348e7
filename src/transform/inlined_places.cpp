// Reads inlined_at of .loc marks.
#include "transform/inlined_places.h"

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace pitot::transform {
namespace {

using Place = std::array<uint32_t, 3>;  // file, line, column

std::optional<Place> inlined_at(std::string_view mark) {
  constexpr std::string_view kWord = "inlined_at";
  const size_t at = mark.find(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  mark.remove_prefix(at + kWord.size());
  Place out{};
  for (uint32_t& number : out) {
    const size_t digit = mark.find_first_of("0123456789");
    if (digit == std::string_view::npos) return std::nullopt;
    mark.remove_prefix(digit);
    const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), number);
    if (error != std::errc()) return std::nullopt;
    mark.remove_prefix(static_cast<size_t>(end - mark.data()));
  }
  return out;
}

}  // namespace

void InlinedPlaces::build(const ptx::Module& m, const ptx::Function& f) {
  rests_on.assign(f.line_marks.size(), ptx::kNoId);
  named.assign(f.line_marks.size(), 0);
  if (f.line_marks.empty()) return;
  std::map<Place, uint32_t> latest;
  for (uint32_t k = 0; k < f.line_marks.size(); ++k) {
    const ptx::LineMark& mark = f.line_marks[k];
    if (const auto place = inlined_at(m.slice(mark.range)))
      if (auto it = latest.find(*place); it != latest.end()) {
        rests_on[k] = it->second;
        named[it->second] = 1;
      }
    latest[{mark.file, mark.line, mark.column}] = k;
  }
  // Functions behind this one may rest on its marks.
  for (const ptx::Function& other : m.functions) {
    if (&other == &f) continue;
    for (const ptx::LineMark& mark : other.line_marks)
      if (const auto place = inlined_at(m.slice(mark.range)))
        if (auto it = latest.find(*place); it != latest.end()) named[it->second] = 1;
  }
}

}  // namespace pitot::transform
