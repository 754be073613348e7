// Edit distance (optimal string alignment) and glob matching without backtracking blow-up.
#include "support/text.h"

#include <algorithm>
#include <vector>

namespace pitot {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > 64) return {};  // no instruction is that long; keeps hostile input cheap
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string_view found;
  for (auto candidate : candidates) {
    size_t gap = candidate.size() > name.size() ? candidate.size() - name.size()
                                                : name.size() - candidate.size();
    if (gap >= best) continue;
    size_t d = edit_distance(name, candidate);
    if (d < best) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

namespace {

// Matches one pattern element at p against c; sets next to the element after it.
bool match_one(std::string_view pattern, size_t p, char c, size_t& next) {
  next = p + 1;
  if (pattern[p] == '?') return true;
  if (pattern[p] != '[') return pattern[p] == c;
  size_t close = pattern.find(']', p + 2);
  if (close == std::string_view::npos) return c == '[';
  next = close + 1;
  bool negate = pattern[p + 1] == '!';
  for (size_t i = p + 1 + negate; i < close; ++i) {
    if (i + 2 < close && pattern[i + 1] == '-') {
      if (pattern[i] <= c && c <= pattern[i + 2]) return !negate;
      i += 2;
    } else if (pattern[i] == c) {
      return !negate;
    }
  }
  return negate;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0, n = 0, star = kNone, mark = 0;
  while (n < name.size()) {
    size_t next = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && match_one(pattern, p, name[n], next)) {
      p = next;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace pitot
