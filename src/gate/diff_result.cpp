// Names of classes and look-up in counts.
#include "gate/diff_result.h"

namespace pitot::gate {

const char* to_string(ChangeClass c) {
  switch (c) {
    case ChangeClass::kIdentical:
      return "identical";
    case ChangeClass::kRenamed:
      return "renamed";
    case ChangeClass::kReordered:
      return "reordered";
    case ChangeClass::kConstants:
      return "constants";
    case ChangeClass::kModifiers:
      return "modifiers";
    case ChangeClass::kStructural:
      return "structural";
    case ChangeClass::kAdded:
      return "added";
    case ChangeClass::kRemoved:
      return "removed";
  }
  return "structural";
}

double Counts::get(std::string_view name, double missing) const {
  for (const auto& [key, value] : items)
    if (key == name) return value;
  return missing;
}

bool Counts::has(std::string_view name) const {
  for (const auto& item : items)
    if (item.first == name) return true;
  return false;
}

}  // namespace pitot::gate
