// A training's state in one file: a line of text that says what it is, then its content in binary,
// guarded by a hash.
#pragma once

#include <string>
#include <string_view>

#include "learn/training_result.h"
#include "search/policy_network.h"
#include "support/result.h"

namespace pitot::learn {

// The schema and the content's hash in a line, then the content.
std::string sealed(std::string_view schema, std::string_view content);
// The content. Errors (kInput): another schema, content that is cut off or was changed.
Result<std::string_view> unsealed(std::string_view schema, std::string_view bytes);

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
