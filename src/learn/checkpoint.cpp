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

std::string sealed(std::string_view schema, std::string_view content) {
  return fmt::format("{} {}\n", schema, hash_bytes(content).hex()) + std::string(content);
}

Result<std::string_view> unsealed(std::string_view schema, std::string_view bytes) {
  const size_t line = bytes.find('\n');
  const std::string begin = std::string(schema) + " ";
  if (line == bytes.npos || !bytes.starts_with(begin))
    return input_error(fmt::format("not a checkpoint ({})", schema));
  const std::string_view content = bytes.substr(line + 1);
  if (bytes.substr(begin.size(), line - begin.size()) != hash_bytes(content).hex())
    return input_error("the checkpoint is cut off or was changed");
  return content;
}

std::string checkpoint_bytes(Checkpoint& checkpoint) {
  return sealed(kCheckpointSchema, to_bytes(checkpoint));
}

Result<Checkpoint> read_checkpoint(std::string_view bytes) {
  const auto content = unsealed(kCheckpointSchema, bytes);
  if (!content) return content.error();
  Checkpoint out;
  if (!from_bytes(*content, out)) return input_error("the checkpoint is cut off or was changed");
  return out;
}

}  // namespace pitot::learn
