// The policy's network: two hidden layers of 128 and a masked softmax, evaluated without any
// library.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "search/observation.h"
#include "support/result.h"

namespace pitot::search {

inline constexpr size_t kHidden = 128;
inline constexpr size_t kMostInputs = inputs_of(PolicyKind::kWide);
inline constexpr size_t kMostOutputs = outputs_of(PolicyKind::kWide);

struct DenseLayer {
  size_t inputs = 0, outputs = 0;
  std::vector<float> weight;  // outputs × inputs, by output
  std::vector<float> bias;    // outputs
};

class PolicyNetwork {
 public:
  // Inputs → 128 → ReLU → 128 → ReLU → outputs. Errors (kInput): layers of other shapes than the
  // kind's, weights that are no finite numbers.
  static Result<PolicyNetwork> make(PolicyKind kind, std::array<DenseLayer, 3> layers);
  // 27,925 of the published kind.
  static constexpr size_t weights_of(PolicyKind kind) {
    return (inputs_of(kind) + 1) * kHidden + (kHidden + 1) * kHidden +
           (kHidden + 1) * outputs_of(kind);
  }

  PolicyKind kind() const { return kind_; }
  const std::array<DenseLayer, 3>& layers() const { return layers_; }
  // `input`: inputs_of(kind), `out`: outputs_of(kind) places. In single precision, sums in the
  // order of the inputs.
  void logits(std::span<const float> input, std::span<float> out) const;

 private:
  PolicyNetwork(PolicyKind kind, std::array<DenseLayer, 3> layers);
  PolicyKind kind_;
  std::array<DenseLayer, 3> layers_;
  std::array<std::vector<float>, 3> by_input_;  // weights the other way round: sums vectorise
};

// Probabilities of the outputs in the mask, which has at least one; 0 for the others. The
// temperature is above 0.
void masked_softmax(std::span<const float> logits, ActionSet mask, double temperature,
                    std::span<double> out);
// The likeliest output of the mask; of several the first.
size_t likeliest(std::span<const float> logits, ActionSet mask);
// -sum p log p, in nats.
double entropy(std::span<const double> probabilities);

}  // namespace pitot::search
