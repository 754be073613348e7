#include "transform/mask.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/transforms.h"

namespace pitot::transform {

const char* to_string(MaskState state) {
  constexpr const char* kNames[] = {"available", "applied", "conflict", "nothing"};
  return kNames[static_cast<size_t>(state)];
}

std::vector<MaskEntry> mask(const ptx::Module& module, uint32_t function,
                            std::span<const Action> earlier, const Assumptions& assumptions) {
  Subject subject(module, module.functions[function], assumptions);
  std::vector<MaskEntry> out;
  for (const ActionInfo& a : actions()) {
    MaskEntry& entry = out.emplace_back();
    entry.action = a.action;
    if (std::find(earlier.begin(), earlier.end(), a.action) != earlier.end()) {
      entry.state = MaskState::kApplied;
      entry.reason = "it is in the sequence";
      continue;
    }
    const auto other = std::find_if(earlier.begin(), earlier.end(),
                                    [&](Action e) { return !can_follow(e, a.action); });
    if (other != earlier.end()) {
      entry.state = MaskState::kConflict;
      entry.reason = fmt::format("{} is in the sequence", info(*other).name);
      continue;
    }
    const Transform run = transform_of(a.action);
    if (run == nullptr) {
      entry.reason = "this transform is not in this build";
      continue;
    }
    Edit edit(subject);
    run(subject, edit, a.action);
    entry.changes = edit.changes();
    if (entry.changes != 0) {
      entry.state = MaskState::kAvailable;
    } else if (!edit.declined().empty()) {
      entry.reason = edit.declined()[0].reason;
    }
  }
  return out;
}

}  // namespace pitot::transform
