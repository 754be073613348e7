// The built-in rules: what each is called, why it matters, what to do.
#pragma once

#include <string_view>
#include <vector>

namespace pitot::gate {

struct RuleText {
  std::string_view id;     // kebab-case
  std::string_view title;  // a few words
  std::string_view why;    // for a newcomer
  std::string_view fix;
};

const RuleText* find_rule_text(std::string_view id);  // null if there is none
std::vector<std::string_view> rule_ids();

}  // namespace pitot::gate
