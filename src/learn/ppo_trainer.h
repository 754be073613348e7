// The policy and value networks of PPO in training: gradients and Adam by libtorch, which stays in
// ppo_trainer.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "knobs/graph_encoder.h"

namespace pitot::learn {

// Steps of a rollout, row by row.
struct PpoSamples {
  std::vector<float> observations;
  std::vector<uint32_t> choices;  // an index for each knob
  std::vector<float> old_log;     // log probability of the choice by the policy that made it
  std::vector<float> advantages, returns;
  std::vector<uint32_t> kernels;  // which graph belongs to the step; empty without graphs
  size_t size() const { return returns.size(); }
};

struct PpoLossOptions {
  double clip = 0.2, entropy = 0.01, value = 0.5, max_norm = 0.5;
};

// Means over the steps, before the gradient step.
struct PpoLosses {
  double policy = 0, value = 0, entropy = 0;
  double kl = 0;       // mean of r - 1 - log r: about the divergence from the policy that acted
  double clipped = 0;  // share of steps whose ratio is outside 1 ± clip
};

// As Stable-Baselines3 has it: two separate networks of two layers of 64 with tanh, orthogonal
// weights with gains √2 in these, 0.01 behind the policy's and 1 behind the value's, biases 0; Adam
// with eps 1e-5. One thread; the same calls give the same weights.
class PpoTrainer {
 public:
  // `values`: how many values each knob has. With graphs both networks see the embedding of the
  // step's kernel behind the observation, and the encoder is trained along with them.
  PpoTrainer(size_t inputs, std::vector<size_t> values, double rate, uint64_t seed,
             const std::vector<knobs::ControlGraph>& graphs = {});
  ~PpoTrainer();
  PpoTrainer(PpoTrainer&&) noexcept;
  PpoTrainer& operator=(PpoTrainer&&) noexcept;

  knobs::TanhNetwork policy() const;
  knobs::TanhNetwork value() const;
  knobs::GraphEncoder encoder() const;  // empty without graphs

  // One gradient step on the steps `which` of the samples, their advantages normalised:
  //   -mean(min(r A, clip(r, 1-ε, 1+ε) A)) - c_e H + c_v mean((V - return)²),
  // its norm clipped (Schulman et al., "Proximal Policy Optimization Algorithms", 2017, eq. 9).
  PpoLosses improve(const PpoSamples& samples, std::span<const size_t> which,
                    const PpoLossOptions& options);

  // Weights and the optimiser's moments.
  std::string state() const;
  // Errors (kInput): bytes that are no state of a trainer of this shape.
  Status restore(std::string_view state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pitot::learn
