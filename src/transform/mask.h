// What each action would do to a kernel as it is: for choosing the next one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "transform/action.h"
#include "transform/subject.h"

namespace pitot::transform {

enum class MaskState : uint8_t {
  kAvailable,
  kApplied,   // it is in the sequence already
  kConflict,  // one of the sequence excludes it
  kNothing,   // it would change nothing
};
const char* to_string(MaskState state);  // "available", …

struct MaskEntry {
  Action action = Action::kVecLd;
  MaskState state = MaskState::kNothing;
  uint32_t changes = 0;  // places, of available ones
  std::string reason;    // of the other states
};

// One entry an action, by Action. `earlier`: the sequence that led to the module's text. The
// analyses are made once for all.
std::vector<MaskEntry> mask(const ptx::Module& module, uint32_t function,
                            std::span<const Action> earlier, const Assumptions& assumptions);

}  // namespace pitot::transform
