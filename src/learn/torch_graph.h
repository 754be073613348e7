// The graph encoder with gradients, for the files that train it along with something else. To be
// included by files that include libtorch only.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "knobs/graph_encoder.h"
#include "learn/torch_adam.h"

namespace pitot::learn {

inline constexpr size_t kEncoderTensors = 2 * knobs::kGraphLayers;  // weight and bias of each

// Graphs as one, without edges between them.
struct GraphTensors {
  torch::Tensor blocks, kernel;
  torch::Tensor rows, columns, values;  // of the normalised adjacency, where it is not 0
  torch::Tensor owners, shares;         // of each block: its graph, and 1/n where that has n blocks
};

inline GraphTensors graph_tensors(std::span<const knobs::ControlGraph* const> graphs) {
  std::vector<float> blocks, kernel, values, shares;
  std::vector<int64_t> rows, columns, owners;
  for (size_t k = 0; k < graphs.size(); ++k) {
    const knobs::ControlGraph& g = *graphs[k];
    const auto first = static_cast<int64_t>(owners.size());
    const std::vector<float> own = knobs::block_inputs(g);
    blocks.insert(blocks.end(), own.begin(), own.end());
    kernel.insert(kernel.end(), g.kernel.begin(), g.kernel.end());
    for (const knobs::AdjacencyElement& e : knobs::normalised_adjacency(g)) {
      rows.push_back(first + e.row);
      columns.push_back(first + e.column);
      values.push_back(e.value);
    }
    owners.insert(owners.end(), g.blocks.size(), static_cast<int64_t>(k));
    shares.insert(shares.end(), g.blocks.size(), 1 / static_cast<float>(g.blocks.size()));
  }
  const auto count = static_cast<int64_t>(graphs.size());
  const auto all = static_cast<int64_t>(owners.size());
  const auto numbers = [](const std::vector<int64_t>& v) {
    return torch::from_blob(const_cast<int64_t*>(v.data()), {static_cast<int64_t>(v.size())},
                            torch::kLong)
        .clone();
  };
  return {tensor_of(blocks, {all, static_cast<int64_t>(knobs::kBlockFeatures)}),
          tensor_of(kernel, {count, static_cast<int64_t>(knobs::kKernelFeatures)}),
          numbers(rows),
          numbers(columns),
          tensor_of(values, {static_cast<int64_t>(values.size()), 1}),
          numbers(owners),
          tensor_of(shares, {all, 1})};
}

// A graph a row of 69 numbers. `w`: kEncoderTensors.
inline torch::Tensor encoded(const GraphTensors& graphs, const torch::Tensor* w) {
  torch::Tensor x = graphs.blocks;
  for (size_t k = 0; k < 3; ++k) {
    const torch::Tensor gathered = torch::zeros_like(x).index_add(
        0, graphs.rows, x.index_select(0, graphs.columns) * graphs.values);
    x = torch::relu(torch::linear(gathered, w[2 * k], w[2 * k + 1]));
  }
  const torch::Tensor pooled = torch::zeros({graphs.kernel.size(0), x.size(1)})
                                   .index_add(0, graphs.owners, x * graphs.shares);
  x = torch::relu(torch::linear(pooled, w[6], w[7]));
  return torch::relu(torch::linear(torch::cat({x, graphs.kernel}, 1), w[8], w[9]));
}

// As libtorch's Linear has them.
inline void append_drawn_encoder(std::vector<torch::Tensor>& weights, at::Generator& generator) {
  for (size_t k = 0; k < knobs::kGraphLayers; ++k) {
    const auto from = static_cast<int64_t>(knobs::kGraphInputs[k]);
    const auto to = static_cast<int64_t>(knobs::kGraphOutputs[k]);
    const double bound = 1 / std::sqrt(static_cast<double>(from));
    weights.push_back(torch::empty({to, from}).uniform_(-bound, bound, generator));
    weights.push_back(torch::empty({to}).uniform_(-bound, bound, generator));
  }
}

inline knobs::GraphEncoder encoder_of(const torch::Tensor* w) {
  std::vector<knobs::Layer> layers;
  for (size_t k = 0; k < kEncoderTensors; k += 2) layers.push_back(layer_of(w[k], w[k + 1]));
  auto out = knobs::GraphEncoder::make(std::move(layers));
  return out ? std::move(*out) : knobs::GraphEncoder{};
}

}  // namespace pitot::learn
