#include "learn/checkpoint.h"

#include <fmt/format.h>

#include "support/archive.h"
#include "support/hash.h"

namespace pitot::search {

template <class A>
void fields(A& a, DenseLayer& l) {
  a(l.inputs, l.outputs, l.weight, l.bias);
}

}  // namespace pitot::search

namespace pitot::learn {

template <class A>
void fields(A& a, EpochRecord& r) {
  a(r.phase, r.epoch, r.time, r.loss, r.accuracy, r.reward, r.likeliest_reward, r.kl, r.clipped,
    r.entropy, r.entropy_weight, r.temperature);
}
template <class A>
void fields(A& a, TrainingResult& r) {
  a(r.epochs, r.kind, r.cost, r.table, r.seed, r.weights, r.imitated_steps, r.best_accuracy,
    r.best_phase, r.best_epoch, r.best_reward);
}
template <class A>
void fields(A& a, Checkpoint& c) {
  a(c.fingerprint, c.result, c.entropy_weight, c.reference, c.best, c.trainer);
}

std::string checkpoint_bytes(Checkpoint& checkpoint) {
  const std::string content = to_bytes(checkpoint);
  return fmt::format("{} {}\n", kCheckpointSchema, hash_bytes(content).hex()) + content;
}

Result<Checkpoint> read_checkpoint(std::string_view bytes) {
  const size_t line = bytes.find('\n');
  const std::string schema = std::string(kCheckpointSchema) + " ";
  if (line == bytes.npos || !bytes.starts_with(schema))
    return input_error(fmt::format("not a checkpoint ({})", kCheckpointSchema));
  const std::string_view content = bytes.substr(line + 1);
  Checkpoint out;
  if (bytes.substr(schema.size(), line - schema.size()) != hash_bytes(content).hex() ||
      !from_bytes(content, out))
    return input_error("the checkpoint is cut off or was changed");
  return out;
}

}  // namespace pitot::learn
