// What the files that include libtorch share: layers out of tensors, and Adam with a state that can
// be written down. To be included by those files only.
#pragma once

#include <torch/optim/adam.h>
#include <torch/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "knobs/network.h"
#include "support/archive.h"

namespace pitot::learn {

inline std::vector<float> numbers_of(const torch::Tensor& t) {
  const torch::Tensor whole = t.detach().contiguous();
  return {whole.data_ptr<float>(), whole.data_ptr<float>() + whole.numel()};
}

inline knobs::Layer layer_of(const torch::Tensor& weight, const torch::Tensor& bias) {
  return {static_cast<size_t>(weight.size(1)), static_cast<size_t>(weight.size(0)),
          numbers_of(weight), numbers_of(bias)};
}

// Written field by field: libtorch's own archives have addresses in them, so that no two are alike.
struct AdamState {
  int64_t steps = 0;
  std::vector<std::vector<float>> weights, first, second;  // by tensor; Adam's moments
};
template <class A>
void fields(A& a, AdamState& s) {
  a(s.steps, s.weights, s.first, s.second);
}

inline std::string adam_state(const std::vector<torch::Tensor>& weights,
                              torch::optim::Adam& optimiser) {
  AdamState out;
  for (const torch::Tensor& w : weights) {
    out.weights.push_back(numbers_of(w));
    const auto& known = optimiser.state();
    const auto moments = known.find(c10::guts::to_string(w.unsafeGetTensorImpl()));
    if (moments == known.end()) continue;  // no step was made yet
    const auto& adam = static_cast<const torch::optim::AdamParamState&>(*moments->second);
    out.steps = adam.step();
    out.first.push_back(numbers_of(adam.exp_avg()));
    out.second.push_back(numbers_of(adam.exp_avg_sq()));
  }
  return to_bytes(out);
}

inline torch::Tensor tensor_of(const std::vector<float>& values, c10::IntArrayRef shape) {
  return torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat).clone();
}

inline Status restore_adam(std::string_view state, std::vector<torch::Tensor>& weights,
                           torch::optim::Adam& optimiser) {
  AdamState in;
  const size_t count = weights.size();
  bool sound = from_bytes(state, in) && in.weights.size() == count &&
               (in.steps == 0 || (in.first.size() == count && in.second.size() == count));
  for (size_t k = 0; sound && k < count; ++k) {
    const auto size = static_cast<size_t>(weights[k].numel());
    sound = in.weights[k].size() == size &&
            (in.steps == 0 || (in.first[k].size() == size && in.second[k].size() == size));
  }
  if (!sound) return input_error("not the state of a trainer of this shape");
  const torch::NoGradGuard guard;
  optimiser.state().clear();
  for (size_t k = 0; k < count; ++k) {
    weights[k].copy_(tensor_of(in.weights[k], weights[k].sizes()));
    if (in.steps == 0) continue;
    auto moments = std::make_unique<torch::optim::AdamParamState>();
    moments->step(in.steps);
    moments->exp_avg(tensor_of(in.first[k], weights[k].sizes()));
    moments->exp_avg_sq(tensor_of(in.second[k], weights[k].sizes()));
    optimiser.state()[c10::guts::to_string(weights[k].unsafeGetTensorImpl())] = std::move(moments);
  }
  return Ok{};
}

}  // namespace pitot::learn
