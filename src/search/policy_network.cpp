#include "search/policy_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitot::search {
namespace {

// out += weight · in; `by_input` has the weights of one input after the other.
void dense(std::span<const float> in, std::span<const float> by_input, const DenseLayer& layer,
           float* out) {
  const size_t width = layer.outputs;
  std::copy(layer.bias.begin(), layer.bias.end(), out);
  for (size_t i = 0; i < layer.inputs; ++i) {
    // Half of the hidden units and most of mask and history are 0.
    if (in[i] == 0) continue;
    const float x = in[i], *w = by_input.data() + i * width;
    for (size_t j = 0; j < width; ++j) out[j] += x * w[j];
  }
}

bool finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

PolicyNetwork::PolicyNetwork(PolicyKind kind, std::array<DenseLayer, 3> layers)
    : kind_(kind), layers_(std::move(layers)) {
  for (size_t k = 0; k < layers_.size(); ++k) {
    const DenseLayer& layer = layers_[k];
    by_input_[k].resize(layer.weight.size());
    for (size_t o = 0; o < layer.outputs; ++o)
      for (size_t i = 0; i < layer.inputs; ++i)
        by_input_[k][i * layer.outputs + o] = layer.weight[o * layer.inputs + i];
  }
}

Result<PolicyNetwork> PolicyNetwork::make(PolicyKind kind, std::array<DenseLayer, 3> layers) {
  const std::array<size_t, 4> widths{inputs_of(kind), kHidden, kHidden, outputs_of(kind)};
  for (size_t k = 0; k < layers.size(); ++k) {
    const DenseLayer& layer = layers[k];
    if (layer.inputs != widths[k] || layer.outputs != widths[k + 1] ||
        layer.weight.size() != layer.inputs * layer.outputs || layer.bias.size() != layer.outputs)
      return input_error(fmt::format("layer {} has {} weights and {} biases, not {} x {} and {}",
                                     k + 1, layer.weight.size(), layer.bias.size(), widths[k + 1],
                                     widths[k], widths[k + 1]));
    if (!finite(layer.weight) || !finite(layer.bias))
      return input_error(fmt::format("layer {} has a weight that is no finite number", k + 1));
  }
  return PolicyNetwork(kind, std::move(layers));
}

void PolicyNetwork::logits(std::span<const float> input, std::span<float> out) const {
  std::array<float, kHidden> first, second;
  dense(input, by_input_[0], layers_[0], first.data());
  for (float& v : first) v = std::max(v, 0.0f);
  dense(first, by_input_[1], layers_[1], second.data());
  for (float& v : second) v = std::max(v, 0.0f);
  dense(second, by_input_[2], layers_[2], out.data());
}

void masked_softmax(std::span<const float> logits, ActionSet mask, double temperature,
                    std::span<double> out) {
  const double top = logits[likeliest(logits, mask)];
  double sum = 0;
  for (size_t k = 0; k < logits.size(); ++k) {
    out[k] = (mask >> k & 1) != 0 ? std::exp((double{logits[k]} - top) / temperature) : 0;
    sum += out[k];
  }
  for (size_t k = 0; k < logits.size(); ++k) out[k] /= sum;
}

size_t likeliest(std::span<const float> logits, ActionSet mask) {
  size_t best = logits.size();
  for (size_t k = 0; k < logits.size(); ++k)
    if ((mask >> k & 1) != 0 && (best == logits.size() || logits[k] > logits[best])) best = k;
  return best;
}

double entropy(std::span<const double> probabilities) {
  double out = 0;
  for (double p : probabilities)
    if (p > 0) out -= p * std::log(p);
  return out;
}

}  // namespace pitot::search
