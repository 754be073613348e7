// A policy that was trained to choose knobs: what it sees, what it chooses from, its network, and
// where it comes from; as a JSON file (schema pitot.knob-policy/1) that needs no libtorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knobs/graph_encoder.h"
#include "knobs/network.h"
#include "knobs/rollout.h"

namespace pitot::knobs {

inline constexpr const char* kKnobPolicySchema = "pitot.knob-policy/1";

struct KnobPolicyOrigin {
  std::string tool;   // "pitot-learn 0.1.0"
  std::string table;  // hash of the sweep that it was trained on
  uint64_t seed = 0;
  uint64_t steps = 0;            // of training
  double reward = 0;             // a step, of its likeliest choices on the training cases
  std::vector<Case> trained_on;  // cases
};

struct TrainedPolicy {
  std::vector<std::string> kernels;  // as the observation numbers them
  std::vector<Knob> knobs;
  bool states = true, sizes = false;  // EnvironmentOptions
  TanhNetwork network;                // observation (and embedding) → logits, knob after knob
  // With an encoder the network sees, behind the observation, the embedding of the kernel's graph.
  GraphEncoder encoder;
  std::vector<ControlGraph> graphs;  // of each kernel, where there is an encoder
  KnobPolicyOrigin origin;
};

std::string trained_policy_json(const TrainedPolicy& policy);
// Weights are read back bit for bit. Errors (kInput): no JSON, another schema, a network that does
// not fit the knobs, weights that are none. `path` is for messages.
Result<TrainedPolicy> read_trained_policy(std::string_view text, const std::string& path);

// What the environment must be like for this policy.
EnvironmentOptions options_for(const TrainedPolicy& policy);
// Errors (kInput): the environment has other kernels, knobs or observations than the policy knows.
Status fits(const TrainedPolicy& policy, const Environment& environment,
            const std::vector<Case>& cases);

// Natural logarithms of the probabilities of each knob's values, knob after knob.
std::vector<double> log_probabilities(const Space& space, std::span<const float> logits);
// Each knob's likeliest value; of several the first.
Choice likeliest_choice(const Space& space, std::span<const float> logits);
// Every configuration by falling probability; of equal ones the first. The first is the likeliest
// choice.
std::vector<size_t> by_probability(const Space& space, std::span<const float> logits);

// What the network gives for observations; kernels' graphs are encoded once.
class PolicyLogits {
 public:
  explicit PolicyLogits(const TrainedPolicy& policy);
  std::vector<float> operator()(std::span<const float> observation) const;

 private:
  TanhNetwork network_;
  std::vector<std::vector<float>> embeddings_;  // of each kernel; none without an encoder
};
// The observation with the embedding of the kernel behind it, which its first values name; as it is
// where there are no embeddings.
std::vector<float> with_embedding(std::span<const float> observation,
                                  const std::vector<std::vector<float>>& embeddings);

// Chooses the likeliest after every observation.
Policy follow(const TrainedPolicy& policy);

}  // namespace pitot::knobs
