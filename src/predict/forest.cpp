#include "predict/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pitot::predict {

Result<Forest> Forest::build(std::vector<Tree> trees, float base, size_t features) {
  Forest f;
  f.base_ = base;
  f.features_ = features;
  for (size_t t = 0; t < trees.size(); ++t) {
    const Tree& tree = trees[t];
    auto wrong = [&](size_t node, const char* what) {
      return input_error(fmt::format("tree {}, node {}: {}", t, node, what));
    };
    if (tree.empty()) return wrong(0, "there is none");
    // Breadth first, children beside each other.
    std::vector<std::pair<int32_t, uint32_t>> level{{0, static_cast<uint32_t>(f.steps_.size())}};
    std::vector<bool> seen(tree.size(), false);
    f.roots_.push_back(static_cast<uint32_t>(f.steps_.size()));
    f.steps_.emplace_back();
    f.leaves_.emplace_back();
    uint32_t depth = 0;
    for (; !level.empty(); ++depth) {
      std::vector<std::pair<int32_t, uint32_t>> next;
      for (const auto& [number, place] : level) {
        const TreeNode& node = tree[static_cast<size_t>(number)];
        if (seen[static_cast<size_t>(number)])
          return wrong(static_cast<size_t>(number), "reached twice");
        seen[static_cast<size_t>(number)] = true;
        if (node.left < 0) {
          f.steps_[place] = {0, 0, place, 0, 0};
          f.leaves_[place] = node.value;
          continue;
        }
        const auto count = static_cast<int32_t>(tree.size());
        if (node.left >= count || node.right < 0 || node.right >= count)
          return wrong(static_cast<size_t>(number), "a child that is not there");
        if (node.feature >= features)
          return wrong(static_cast<size_t>(number), "a feature that is not there");
        const auto left = static_cast<uint32_t>(f.steps_.size());
        f.steps_.resize(left + 2);
        f.leaves_.resize(left + 2);
        f.steps_[place] = {node.value, node.feature, left, 1,
                           static_cast<uint16_t>(node.default_left ? 0 : 1)};
        next.push_back({node.left, left});
        next.push_back({node.right, left + 1});
      }
      level = std::move(next);
    }
    f.depths_.push_back(depth - 1);
  }
  f.trees_ = std::move(trees);
  return f;
}

float Forest::margin(std::span<const float> row) const {
  // Several trees at a time: their loads do not wait for one another.
  constexpr size_t kLanes = 8;
  float sum = base_;
  for (size_t first = 0; first < roots_.size(); first += kLanes) {
    const size_t count = std::min(kLanes, roots_.size() - first);
    std::array<uint32_t, kLanes> at{};
    uint32_t depth = 0;
    for (size_t i = 0; i < count; ++i) {
      at[i] = roots_[first + i];
      depth = std::max(depth, depths_[first + i]);
    }
    for (uint32_t d = 0; d < depth; ++d)
      for (size_t i = 0; i < count; ++i) {
        const Step& s = steps_[at[i]];
        const float x = row[s.feature];
        const uint32_t unknown = std::isnan(x);
        const uint32_t right = (unknown & s.default_right) | (~unknown & 1u & !(x < s.threshold));
        at[i] = s.left + (right & s.inner);
      }
    for (size_t i = 0; i < count; ++i) sum += leaves_[at[i]];
  }
  return sum;
}

std::vector<double> Forest::importance() const {
  std::vector<double> gain(features_, 0.0);
  double total = 0;
  for (const Tree& tree : trees_)
    for (const TreeNode& node : tree)
      if (node.left >= 0) {
        gain[node.feature] += node.gain;
        total += node.gain;
      }
  if (total > 0)
    for (double& g : gain) g /= total;
  return gain;
}

}  // namespace pitot::predict
