#include "knobs/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitot::knobs {
namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

Status sound_layer(const Layer& layer, const char* name) {
  // A product of what a file says could overflow.
  if (layer.inputs == 0 || layer.outputs == 0 || layer.bias.size() != layer.outputs ||
      layer.weight.size() % layer.outputs != 0 ||
      layer.weight.size() / layer.outputs != layer.inputs)
    return input_error(fmt::format("{} has {} weights and {} biases, not {} x {} and {}", name,
                                   layer.weight.size(), layer.bias.size(), layer.outputs,
                                   layer.inputs, layer.outputs));
  if (!all_finite(layer.weight) || !all_finite(layer.bias))
    return input_error(fmt::format("{} has a weight that is no finite number", name));
  return Ok{};
}

void apply_layer(const Layer& layer, std::span<const float> in, std::span<float> out) {
  for (size_t o = 0; o < layer.outputs; ++o) {
    float sum = layer.bias[o];
    const float* w = layer.weight.data() + o * layer.inputs;
    for (size_t i = 0; i < layer.inputs; ++i) sum += in[i] * w[i];
    out[o] = sum;
  }
}

TanhNetwork::TanhNetwork(std::vector<Layer> layers) : layers_(std::move(layers)) {
  for (const Layer& l : layers_) {
    auto& turned = by_input_.emplace_back(l.weight.size());
    for (size_t o = 0; o < l.outputs; ++o)
      for (size_t i = 0; i < l.inputs; ++i) turned[i * l.outputs + o] = l.weight[o * l.inputs + i];
  }
}

Result<TanhNetwork> TanhNetwork::make(std::vector<Layer> layers) {
  if (layers.empty()) return input_error("a network has at least one layer");
  for (size_t k = 0; k < layers.size(); ++k) {
    const std::string name = fmt::format("layer {}", k + 1);
    if (Status s = sound_layer(layers[k], name.c_str()); !s) return s.error();
    if (k > 0 && layers[k].inputs != layers[k - 1].outputs)
      return input_error(fmt::format("{} takes {} inputs, and the one before gives {}", name,
                                     layers[k].inputs, layers[k - 1].outputs));
  }
  return TanhNetwork(std::move(layers));
}

std::vector<float> TanhNetwork::evaluate(std::span<const float> in) const {
  std::vector<float> from(in.begin(), in.end()), to;
  for (size_t k = 0; k < layers_.size(); ++k) {
    to = layers_[k].bias;
    const size_t width = to.size();
    for (size_t i = 0; i < layers_[k].inputs; ++i) {
      const float x = from[i], *w = by_input_[k].data() + i * width;
      for (size_t o = 0; o < width; ++o) to[o] += x * w[o];
    }
    if (k + 1 < layers_.size())
      for (float& v : to) v = std::tanh(v);
    from.swap(to);
  }
  return from;
}

}  // namespace pitot::knobs
