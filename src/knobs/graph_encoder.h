// The graph network of spec 4 (phase 6), evaluated without any library: three graph convolutions
// (Kipf and Welling, "Semi-Supervised Classification with Graph Convolutional Networks", 2017), the
// mean over the blocks, two dense layers.
#pragma once

#include <array>
#include <vector>

#include "knobs/control_graph.h"
#include "knobs/network.h"

namespace pitot::knobs {

inline constexpr size_t kGraphWidth = 64;
inline constexpr size_t kEmbedding = kGraphWidth + kKernelFeatures;  // 69
// 10→64, 64→64, 64→64 (convolutions), 64→64 (dense), then with the kernel's features 69→69.
inline constexpr size_t kGraphLayers = 5;
inline constexpr std::array<size_t, kGraphLayers> kGraphInputs = {
    kBlockFeatures, kGraphWidth, kGraphWidth, kGraphWidth, kEmbedding};
inline constexpr std::array<size_t, kGraphLayers> kGraphOutputs = {
    kGraphWidth, kGraphWidth, kGraphWidth, kGraphWidth, kEmbedding};

// One element of D^-1/2 (A + I) D^-1/2 that is not 0.
struct AdjacencyElement {
  uint32_t row = 0, column = 0;
  float value = 0;
  bool operator==(const AdjacencyElement&) const = default;
};
// Of the graph taken without directions; D has the row sums of A + I. By rows, then columns: as
// many as edges and blocks, not the square of the blocks.
std::vector<AdjacencyElement> normalised_adjacency(const ControlGraph& graph);
// What goes in: log(1 + count) of each block, row by row.
std::vector<float> block_inputs(const ControlGraph& graph);

class GraphEncoder {
 public:
  GraphEncoder() = default;
  // Errors (kInput): layers of other shapes, weights that are no finite numbers.
  static Result<GraphEncoder> make(std::vector<Layer> layers);
  static constexpr size_t weights() {  // 18,014
    size_t out = 0;
    for (size_t k = 0; k < kGraphLayers; ++k) out += (kGraphInputs[k] + 1) * kGraphOutputs[k];
    return out;
  }
  bool empty() const { return layers_.empty(); }
  const std::vector<Layer>& layers() const { return layers_; }
  // kEmbedding numbers, none below 0.
  std::vector<float> encode(const ControlGraph& graph) const;

 private:
  std::vector<Layer> layers_;
};

}  // namespace pitot::knobs
