// Training of the graph encoder on how measured variants of kernels are ordered: gradients and Adam
// by libtorch, which stays in graph_trainer.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "knobs/graph_encoder.h"

namespace pitot::learn {

// What is known of a launch besides the graph; about within 0…1.
inline constexpr size_t kLaunchContext = 6;

// A variant at one size. Rows of a group (a family at a size) are compared with one another.
struct GraphRow {
  size_t graph = 0, group = 0, family = 0;
  std::array<float, kLaunchContext> context{};
  float label = 0;  // only its differences within a group count
};

struct GraphTrainingOptions {
  unsigned steps = 700;  // gradient steps
  unsigned batch = 48;   // variants a step, all of one family
  double rate = 2e-3;    // of Adam, falling to a tenth of it
  uint64_t seed = 1;
};

struct GraphTrained {
  knobs::GraphEncoder encoder;
  double loss = 0;  // mean of the last tenth of the steps
};

// End to end with a head of 69 + 6 → 32 → 1 (ReLU): the mean square of what the head says less the
// label, both less their means over the rows of a group that the step has. Families take turns, so
// that each weighs the same. One thread; the same rows, options and seed give the same weights.
// Errors (kInput): no group with two rows.
Result<GraphTrained> train_graphs(std::span<const knobs::ControlGraph> graphs,
                                  std::span<const GraphRow> rows,
                                  const GraphTrainingOptions& options);

}  // namespace pitot::learn
