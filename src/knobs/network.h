// A small feed-forward network, evaluated without any library: what trained policies run on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "support/result.h"

namespace pitot::knobs {

struct Layer {
  size_t inputs = 0, outputs = 0;
  std::vector<float> weight;  // outputs × inputs, by output
  std::vector<float> bias;    // outputs
};

// Errors (kInput): arrays of other lengths than the layer's, weights that are no finite numbers;
// `name` is for the message.
Status sound_layer(const Layer& layer, const char* name);

// out = weight · in + bias, in single precision, sums in the order of the inputs.
void apply_layer(const Layer& layer, std::span<const float> in, std::span<float> out);

// tanh behind every layer but the last.
class TanhNetwork {
 public:
  TanhNetwork() = default;
  // Errors (kInput): no layers, an unsound one, one that does not take what the one before gives.
  static Result<TanhNetwork> make(std::vector<Layer> layers);
  size_t inputs() const { return layers_.front().inputs; }
  size_t outputs() const { return layers_.back().outputs; }
  const std::vector<Layer>& layers() const { return layers_; }
  std::vector<float> evaluate(std::span<const float> in) const;

 private:
  explicit TanhNetwork(std::vector<Layer> layers);
  std::vector<Layer> layers_;
  std::vector<std::vector<float>> by_input_;  // weights the other way round: sums vectorise
};

}  // namespace pitot::knobs
