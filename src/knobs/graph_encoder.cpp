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

std::vector<AdjacencyElement> normalised_adjacency(const ControlGraph& graph) {
  const auto n = static_cast<uint32_t>(graph.blocks.size());
  std::vector<std::pair<uint32_t, uint32_t>> places;
  for (uint32_t i = 0; i < n; ++i) places.emplace_back(i, i);
  for (const auto& [from, to] : graph.edges) {
    places.emplace_back(from, to);
    places.emplace_back(to, from);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<float> degree(n, 0);
  for (const auto& [row, column] : places) degree[row] += 1;
  std::vector<AdjacencyElement> out;
  for (const auto& [row, column] : places)
    out.push_back({row, column, 1 / std::sqrt(degree[row] * degree[column])});
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
  const std::vector<AdjacencyElement> adjacency = normalised_adjacency(graph);
  std::vector<float> at = block_inputs(graph);
  for (size_t k = 0; k < 3; ++k) {
    const size_t in = kGraphInputs[k], width = kGraphOutputs[k];
    std::vector<float> gathered(n * in, 0), next(n * width);
    for (const AdjacencyElement& e : adjacency)
      for (size_t c = 0; c < in; ++c) gathered[e.row * in + c] += e.value * at[e.column * in + c];
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
