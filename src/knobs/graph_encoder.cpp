#include "knobs/graph_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitot::knobs {
namespace {

void rectify(std::vector<float>& values) {
  for (float& v : values) v = std::max(v, 0.0F);
}

}  // namespace

std::vector<float> normalised_adjacency(const ControlGraph& graph) {
  const size_t n = graph.blocks.size();
  std::vector<float> out(n * n, 0), scale(n);
  for (size_t i = 0; i < n; ++i) out[i * n + i] = 1;
  for (const auto& [from, to] : graph.edges) out[from * n + to] = out[to * n + from] = 1;
  for (size_t i = 0; i < n; ++i) {
    float sum = 0;
    for (size_t j = 0; j < n; ++j) sum += out[i * n + j];
    scale[i] = 1 / std::sqrt(sum);
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) out[i * n + j] *= scale[i] * scale[j];
  return out;
}

std::vector<float> block_inputs(const ControlGraph& graph) {
  std::vector<float> out;
  for (const auto& row : graph.blocks)
    for (const float count : row) out.push_back(std::log1p(count));
  return out;
}

Result<GraphEncoder> GraphEncoder::make(std::vector<Layer> layers) {
  if (layers.size() != kGraphLayers)
    return input_error(
        fmt::format("the graph encoder has {} layers, not {}", layers.size(), kGraphLayers));
  for (size_t k = 0; k < kGraphLayers; ++k) {
    if (Status s = sound_layer(layers[k], "a layer of the graph encoder"); !s) return s.error();
    if (layers[k].inputs != kGraphInputs[k] || layers[k].outputs != kGraphOutputs[k])
      return input_error(fmt::format("layer {} of the graph encoder is {} to {}, not {} to {}",
                                     k + 1, layers[k].inputs, layers[k].outputs, kGraphInputs[k],
                                     kGraphOutputs[k]));
  }
  GraphEncoder out;
  out.layers_ = std::move(layers);
  return out;
}

std::vector<float> GraphEncoder::encode(const ControlGraph& graph) const {
  const size_t n = graph.blocks.size();
  const std::vector<float> adjacency = normalised_adjacency(graph);
  std::vector<float> at = block_inputs(graph);
  for (size_t k = 0; k < 3; ++k) {
    const size_t in = kGraphInputs[k], width = kGraphOutputs[k];
    std::vector<float> gathered(n * in, 0), next(n * width);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        const float a = adjacency[i * n + j];
        if (a == 0) continue;
        for (size_t c = 0; c < in; ++c) gathered[i * in + c] += a * at[j * in + c];
      }
    for (size_t i = 0; i < n; ++i)
      apply_layer(layers_[k], std::span(gathered).subspan(i * in, in),
                  std::span(next).subspan(i * width, width));
    rectify(next);
    at = std::move(next);
  }
  std::vector<float> pooled(kGraphWidth, 0), dense(kGraphWidth), out(kEmbedding);
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < kGraphWidth; ++c)
      pooled[c] += at[i * kGraphWidth + c] / static_cast<float>(n);
  apply_layer(layers_[3], pooled, dense);
  rectify(dense);
  dense.insert(dense.end(), graph.kernel.begin(), graph.kernel.end());
  apply_layer(layers_[4], dense, out);
  rectify(out);
  return out;
}

}  // namespace pitot::knobs
