// PPO over compile knobs from beginning to end, update by update: a rollout of an environment over
// a recorded table, then gradient steps on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knobs/orders_csv.h"
#include "knobs/trained_policy.h"
#include "learn/ppo_result.h"
#include "learn/ppo_trainer.h"
#include "support/draws.h"

namespace pitot::learn {

// The published ones are the defaults.
struct PpoOptions {
  uint64_t steps = 50'000;  // of the environment; whole rollouts are played
  uint32_t rollout = 2048;  // steps between updates
  uint32_t minibatch = 64, passes = 10;
  double rate = 3e-4;  // of Adam
  double gamma = 0.99, lambda = 0.95;
  PpoLossOptions loss;
  uint64_t seed = 1;
  uint32_t max_steps = 50;            // of an episode
  bool states = true, sizes = false;  // EnvironmentOptions
  // Of each kernel, in the order of the table; empty: kernels are known by their number alone.
  std::vector<knobs::ControlGraph> graphs;
  std::vector<int64_t> only_sizes;  // cases of these matrix sizes; empty: all
  std::string tool;                 // "pitot-learn 0.1.0"
};

class PpoTraining {
 public:
  // `hash`: of the table's file. Errors (kInput): options out of range, no case of these sizes, a
  // default that is not there or does not run.
  static Result<PpoTraining> begin(knobs::Table table, const std::string& hash,
                                   const PpoOptions& options);
  // Goes on where a checkpoint was made, with the same result as without the interruption. Errors
  // (kInput): a checkpoint of another table or other options, or none.
  static Result<PpoTraining> resume(knobs::Table table, const std::string& hash,
                                    const PpoOptions& options, std::string_view checkpoint);

  // One rollout and its gradient steps; `time` in seconds since 1970 is noted.
  Status update(double time);
  bool done() const { return updates().size() >= total_updates(); }
  size_t total_updates() const {
    return (options_.steps + options_.rollout - 1) / options_.rollout;
  }
  std::span<const PpoUpdate> updates() const { return result_.updates; }
  bool improved() const { return improved_; }  // by the last update

  // What is needed to go on.
  std::string checkpoint() const;
  // The likeliest choices of which earned most on the training cases; of several the first.
  knobs::TrainedPolicy best() const;
  knobs::TrainedPolicy latest() const;
  // In which order training met each case's configurations for the first time, the default first.
  std::vector<knobs::SeededOrder> measured() const;
  const knobs::Space& space() const { return readings_->space(); }
  // With the choices of the best policy in every case of the table.
  Result<PpoResult> result() const;

 private:
  PpoTraining() = default;
  Status play(PpoSamples& samples, PpoUpdate& record);
  Status begin_episode();
  void met(size_t configuration);
  Result<double> likeliest_reward(const knobs::TrainedPolicy& policy) const;
  knobs::EnvironmentOptions environment_options() const;
  knobs::TrainedPolicy policy_of(knobs::TanhNetwork network, knobs::GraphEncoder encoder,
                                 uint64_t steps, double reward) const;
  Status restore(std::string_view bytes);

  std::shared_ptr<knobs::TableReadings> readings_;
  PpoOptions options_;
  std::string fingerprint_;    // of all that the result depends on
  std::vector<size_t> cases_;  // that are trained on
  // Always there; only begin() has to make them late.
  std::optional<knobs::Environment> environment_;
  std::optional<PpoTrainer> trainer_;
  knobs::TanhNetwork best_;
  knobs::GraphEncoder best_encoder_;
  bool improved_ = false;
  PpoResult result_;  // without the cases
  // The running episode: its case, what was chosen in it, what is seen now.
  uint64_t episodes_ = 0;
  size_t case_ = 0;
  std::vector<knobs::Choice> chosen_;
  std::vector<float> seen_;
  double episode_reward_ = 0;
  std::vector<double> last_rewards_;             // sums of the last 100 episodes
  std::vector<std::vector<uint32_t>> measured_;  // by case: configurations, as first met
};

}  // namespace pitot::learn
