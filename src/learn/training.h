// A policy's training from beginning to end, epoch by epoch: cloning of the greedy search, then
// GRPO with diverse, anchored groups (DA-GRPO).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "environment/table_environment.h"
#include "learn/group_advantage.h"
#include "learn/trainer.h"
#include "learn/training_result.h"
#include "search/policy_file.h"

namespace pitot::learn {

struct TrainingOptions {
  environment::EpisodeRules rules;
  std::vector<std::string> held_out;  // kernels that are not learned from
  uint64_t seed = 1;
  uint32_t clone_epochs = 50, epochs = 450;
  uint32_t batch = 64;  // steps a gradient step of cloning
  uint32_t passes = 4;  // gradient steps over an epoch's episodes
  uint32_t group = 8;   // episodes a kernel and epoch, the anchor among them; at least 2
  double clone_rate = 1e-3, rate = 3e-4;  // of Adam
  double clip = 0.2, kl = 0.01;
  double first_temperature = 1.5, second_temperature = 0.5;
  EntropyRule entropy;
  std::string tool;  // "pitot-learn 0.1.0", for the policy's origin
};

class Training {
 public:
  // `start`: the policy that is the reference and where GRPO begins, in the place of cloning. The
  // table must outlive the training. Errors (kInput): rules that the table does not fit, kernels
  // held out that it has not, options out of range.
  static Result<Training> begin(const environment::RecordedTable& table,
                                const TrainingOptions& options, const search::Policy* start);
  // Goes on where a checkpoint was made, with the same result as without the interruption. Errors
  // (kInput): a checkpoint of another table or other options, or none.
  static Result<Training> resume(const environment::RecordedTable& table,
                                 const TrainingOptions& options, const search::Policy* start,
                                 std::string_view checkpoint);

  // One epoch of cloning or, when that is done, of GRPO; `time` in seconds since 1970 is noted.
  // Errors (kFailed): weights that are no finite numbers any more.
  Status epoch(double time);
  bool done() const { return result_.epochs.size() >= total_epochs(); }
  size_t total_epochs() const { return clone_epochs_ + options_.epochs; }
  std::span<const EpochRecord> epochs() const { return result_.epochs; }
  // By the epoch that was just made; of cloning the last one counts.
  bool improved() const { return improved_; }
  bool just_cloned() const { return clone_epochs_ > 0 && result_.epochs.size() == clone_epochs_; }

  // What is needed to go on.
  std::string checkpoint() const;
  // The likeliest sequences of which earned most on the training kernels; of several the first.
  search::Policy best() const;
  search::Policy latest() const;
  // With the outcomes of the best policy.
  TrainingResult result() const;

 private:
  Training(const environment::RecordedTable& table, const TrainingOptions& options,
           const search::Policy* start, std::vector<size_t> kernels);
  static std::string fingerprint(const environment::RecordedTable& table,
                                 const TrainingOptions& options, const search::Policy* start);
  Status clone_epoch(EpochRecord& record);
  Status improve_epoch(EpochRecord& record);
  Status sound(const EpochRecord& record) const;
  double mean_reward(const search::PolicyNetwork& network) const;
  search::Policy policy_of(const search::PolicyNetwork& network, const std::string& phase,
                           uint64_t epoch, double reward) const;
  Status restore(std::string_view checkpoint);

  const environment::RecordedTable& table_;
  TrainingOptions options_;
  std::vector<size_t> kernels_;  // learned from
  PolicyTrainer trainer_;
  Samples imitated_;
  size_t clone_epochs_ = 0;
  search::PolicyNetwork reference_, best_;
  std::string fingerprint_;  // of all that the result depends on
  double entropy_weight_ = 0;
  bool improved_ = false;
  TrainingResult result_;  // without the kernels
};

}  // namespace pitot::learn
