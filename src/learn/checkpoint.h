// A training's state in one file: a line of text that says what it is, then its content in binary,
// guarded by a hash.
#pragma once

#include <string>
#include <string_view>

#include "learn/training_result.h"
#include "search/policy_network.h"
#include "support/result.h"

namespace pitot::learn {

inline constexpr const char* kCheckpointSchema = "pitot.checkpoint/1";

struct Checkpoint {
  std::string fingerprint;  // of what the training depends on
  TrainingResult result;
  double entropy_weight = 0;
  std::array<search::DenseLayer, 3> reference, best;
  std::string trainer;  // PolicyTrainer::state()
};

std::string checkpoint_bytes(Checkpoint& checkpoint);
// Errors (kInput): another schema, content that is cut off or was changed.
Result<Checkpoint> read_checkpoint(std::string_view bytes);

}  // namespace pitot::learn
