// Networks with weights that are known beforehand.
#pragma once

#include "search/policy_file.h"
#include "search_helpers.h"
#include "support/draws.h"

namespace pitot::search {

inline std::array<DenseLayer, 3> layers_of(PolicyKind kind, float weight) {
  std::array<DenseLayer, 3> out;
  const std::array<size_t, 4> widths{inputs_of(kind), kHidden, kHidden, outputs_of(kind)};
  for (size_t k = 0; k < 3; ++k) {
    out[k] = {widths[k], widths[k + 1], {}, {}};
    out[k].weight.assign(widths[k] * widths[k + 1], weight);
    out[k].bias.assign(widths[k + 1], weight);
  }
  return out;
}

inline PolicyNetwork random_network(PolicyKind kind, uint64_t seed, float scale = 0.2f) {
  auto layers = layers_of(kind, 0);
  Draws draws(seed);
  for (DenseLayer& l : layers)
    for (auto* values : {&l.weight, &l.bias})
      for (float& v : *values) v = scale * (2 * static_cast<float>(draws.unit()) - 1);
  return *PolicyNetwork::make(kind, std::move(layers));
}

// Whatever it sees, it prefers the outputs by these logits.
inline Policy fixed_policy(PolicyKind kind, const std::vector<std::pair<size_t, float>>& logits) {
  auto layers = layers_of(kind, 0);
  for (const auto& [output, logit] : logits) layers[2].bias[output] = logit;
  return {*PolicyNetwork::make(kind, std::move(layers)), {}};
}

}  // namespace pitot::search
