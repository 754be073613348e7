// What a policy sees of a kernel: numbers of its current PTX, which actions are open, and which
// were taken.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "transform/action.h"
#include "transform/subject.h"

namespace pitot::search {

using ActionSet = uint64_t;  // bits by Action
static_assert(transform::kActions < 64);
inline ActionSet bit(transform::Action a) { return ActionSet{1} << static_cast<unsigned>(a); }

// Which features and actions a policy knows.
enum class PolicyKind : uint8_t {
  kPublished,  // the 25 published features, the 20 published actions
  kWide,       // these and the features that decide legality and bottleneck; all actions
};
const char* to_string(PolicyKind kind);  // "published", "wide"

// Raised by one whenever a feature, its scale or its place changes.
inline constexpr int kObservationSchema = 1;
inline constexpr size_t kPublishedFeatures = 25;
inline constexpr size_t kWideFeatures = 36;  // the published ones first

inline constexpr size_t features_of(PolicyKind kind) {
  return kind == PolicyKind::kPublished ? kPublishedFeatures : kWideFeatures;
}
// Stop is not counted.
inline constexpr size_t actions_of(PolicyKind kind) {
  return kind == PolicyKind::kPublished ? transform::kPublishedActions : transform::kActions;
}
// One an action, and stop, which is the last.
inline constexpr size_t outputs_of(PolicyKind kind) { return actions_of(kind) + 1; }
// Features, mask, history: 67 of the published kind, 92 of the wide one.
inline constexpr size_t inputs_of(PolicyKind kind) {
  return features_of(kind) + 2 * outputs_of(kind);
}

struct ObservationInfo {
  std::string_view name, scale, what;
};
std::span<const ObservationInfo> observation_table();  // kWideFeatures rows

// The features of a kernel as it is, scaled. A function too complex for flow analysis has 0 in the
// place of what rests on that.
std::vector<float> kernel_features(const ptx::Module& module, uint32_t function,
                                   const transform::Assumptions& assumptions, PolicyKind kind);

// The set of the kind's actions.
inline constexpr ActionSet all_actions(PolicyKind kind) {
  return (ActionSet{1} << actions_of(kind)) - 1;
}
// Bits by output from a set of actions: stop is always open.
inline constexpr ActionSet with_stop(ActionSet open, PolicyKind kind) {
  return (open & all_actions(kind)) | ActionSet{1} << actions_of(kind);
}
// The network's input: features, then the mask (bits by output), then what was taken. `out` has
// inputs_of(kind) places, `features` at least features_of(kind).
void write_input(std::span<const float> features, ActionSet mask, ActionSet taken, PolicyKind kind,
                 std::span<float> out);

}  // namespace pitot::search
