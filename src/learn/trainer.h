// The network in training: gradients and Adam by libtorch, which stays in trainer.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "learn/samples.h"
#include "support/result.h"

namespace pitot::learn {

struct ImproveOptions {
  double temperature = 1;  // of all probabilities
  double clip = 0.2;
  double kl = 0.01;       // weight of the divergence from the reference
  double entropy = 0.01;  // weight of the entropy bonus
};

// Means over the steps, before the gradient step.
struct ImproveLosses {
  double loss = 0, surrogate = 0, kl = 0, entropy = 0;
  double clipped = 0;  // share of steps whose ratio is outside 1 ± clip
};

// One thread; the same calls give the same weights. Sets libtorch's number of threads to 1.
class PolicyTrainer {
 public:
  // Weights drawn from ±1/sqrt(inputs) by the seed, as libtorch's Linear has them.
  PolicyTrainer(search::PolicyKind kind, double learning_rate, uint64_t seed);
  ~PolicyTrainer();
  PolicyTrainer(PolicyTrainer&&) noexcept;
  PolicyTrainer& operator=(PolicyTrainer&&) noexcept;

  // In place of what it has; the optimiser begins anew.
  void start_from(const search::PolicyNetwork& network, double learning_rate);
  // Whether every weight is a finite number.
  bool sound() const;
  // The weights must be sound.
  search::PolicyNetwork network() const;

  // One gradient step on the cross entropy of the outputs, with dropout 0.1 behind both hidden
  // layers; the mean loss before it.
  double imitate(const Samples& batch, uint64_t dropout_seed);

  // One gradient step on the clipped surrogate (Schulman et al., "Proximal Policy Optimization
  // Algorithms", 2017, eq. 7) with KL(policy ‖ reference) and an entropy bonus:
  //   -mean(min(r A, clip(r, 1-ε, 1+ε) A)) + β KL - c H,
  // with r A at least 3 A where A < 0 (Ye et al., "Mastering Complex Control in MOBA Games with
  // Deep Reinforcement Learning", 2020, the dual clip): a forced action may have had next to no
  // probability, and its ratio then has no bound.
  // Without dropout: with it the ratio r of an unchanged policy would not be 1.
  ImproveLosses improve(const RolloutSamples& batch, const ImproveOptions& options);

  // Logits of a batch by libtorch: what inference without it is compared with.
  std::vector<float> logits(const Samples& batch) const;

  // Weights and the optimiser's moments.
  std::string state() const;
  // Errors (kInput): bytes that are no state of a trainer of this kind.
  Status restore(std::string_view state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pitot::learn
