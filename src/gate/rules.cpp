// Matching of selectors.
#include "gate/rules.h"

#include <algorithm>
#include <regex>

#include "support/text.h"

namespace pitot::gate {

const char* to_string(CountMode m) {
  switch (m) {
    case CountMode::kPtxas:
      return "ptxas";
    case CountMode::kCompat:
      return "compat";
    case CountMode::kPitot:
      return "pitot";
  }
  return "pitot";
}

bool Selector::matches(std::string_view name, std::string_view demangled,
                       std::string_view its_target) const {
  if (!target.empty() && !glob_match(target, its_target)) return false;
  if (!kernel.empty() && !glob_match(kernel, name) && !glob_match(kernel, demangled)) return false;
  if (!regex.empty()) {
    // The expression was compiled once when the rules were read, so it is well formed; long names
    // are not searched, since the library's matcher recurses.
    constexpr size_t kLongest = 2000;
    std::regex expression(regex);
    auto found = [&](std::string_view text) {
      return text.size() <= kLongest && std::regex_search(text.begin(), text.end(), expression);
    };
    if (!found(name) && !found(demangled)) return false;
  }
  return true;
}

bool RuleSet::allows(ChangeClass c) const {
  if (c == ChangeClass::kAdded) return allow_added;
  if (c == ChangeClass::kRemoved) return allow_removed;
  return std::find(allow.begin(), allow.end(), c) != allow.end();
}

}  // namespace pitot::gate
