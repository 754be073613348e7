// One of the files that include libtorch: its headers take ten seconds to compile.
#include "learn/trainer.h"

#include <ATen/Parallel.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <cmath>

#include "support/archive.h"

namespace pitot::learn {
namespace {

using torch::Tensor;

constexpr double kDropout = 0.1;
constexpr double kDualClip = 3;
constexpr double kMostLogRatio = 20;  // far beyond both clips; keeps exp finite

Tensor table_of(const std::vector<float>& values, int64_t columns) {
  return torch::from_blob(const_cast<float*>(values.data()),
                          {static_cast<int64_t>(values.size()) / columns, columns}, torch::kFloat);
}
Tensor column_of(const std::vector<float>& values) {
  return torch::from_blob(const_cast<float*>(values.data()), {static_cast<int64_t>(values.size())},
                          torch::kFloat);
}

// True where an output is closed.
Tensor closed_of(const Samples& batch, int64_t outputs) {
  Tensor out = torch::empty({static_cast<int64_t>(batch.size()), outputs}, torch::kBool);
  bool* at = out.data_ptr<bool>();
  for (search::ActionSet mask : batch.masks)
    for (int64_t k = 0; k < outputs; ++k) *at++ = (mask >> k & 1) == 0;
  return out;
}

Tensor chosen_of(const Samples& batch) {
  Tensor out = torch::empty({static_cast<int64_t>(batch.size()), 1}, torch::kLong);
  int64_t* at = out.data_ptr<int64_t>();
  for (uint32_t o : batch.outputs) *at++ = o;
  return out;
}

std::vector<float> values_of(const Tensor& t) {
  const Tensor whole = t.contiguous();
  return {whole.data_ptr<float>(), whole.data_ptr<float>() + whole.numel()};
}

// Adam's constants are libtorch's: beta 0.9 and 0.999, eps 1e-8.
torch::optim::Adam adam(const std::vector<Tensor>& weights, double learning_rate) {
  return torch::optim::Adam(weights, torch::optim::AdamOptions(learning_rate));
}

// By tensor.
struct TrainerState {
  int64_t steps = 0;
  std::vector<std::vector<float>> weights, first, second;  // Adam's moments
};
template <class A>
void fields(A& a, TrainerState& s) {
  a(s.steps, s.weights, s.first, s.second);
}

}  // namespace

struct PolicyTrainer::Impl {
  search::PolicyKind kind;
  int64_t inputs, outputs;
  std::vector<Tensor> weights;  // weight and bias of each layer
  torch::optim::Adam optimiser;

  Impl(search::PolicyKind of, std::vector<Tensor> drawn, double learning_rate)
      : kind(of),
        inputs(static_cast<int64_t>(search::inputs_of(of))),
        outputs(static_cast<int64_t>(search::outputs_of(of))),
        weights(std::move(drawn)),
        optimiser(adam(weights, learning_rate)) {}

  // `generator`: of the dropout; null: none.
  Tensor forward(const Tensor& in, at::Generator* generator) const {
    Tensor x = in;
    for (size_t layer = 0; layer < 2; ++layer) {
      x = torch::relu(torch::linear(x, weights[2 * layer], weights[2 * layer + 1]));
      if (generator == nullptr) continue;
      x = x * (torch::empty_like(x.detach()).bernoulli_(1 - kDropout, *generator) / (1 - kDropout));
    }
    return torch::linear(x, weights[4], weights[5]);
  }
  Tensor log_probabilities(const Samples& batch, const Tensor& closed, double temperature,
                           at::Generator* generator) const {
    const Tensor logits = forward(table_of(batch.inputs, inputs), generator) / temperature;
    return torch::log_softmax(logits.masked_fill(closed, kNever), 1);
  }
  static std::string key_of(const Tensor& weight) {
    return c10::guts::to_string(weight.unsafeGetTensorImpl());
  }
  void step(const Tensor& loss) {
    optimiser.zero_grad();
    loss.backward();
    optimiser.step();
  }
};

PolicyTrainer::PolicyTrainer(search::PolicyKind kind, double learning_rate, uint64_t seed) {
  at::set_num_threads(1);
  at::Generator generator = at::detail::createCPUGenerator(seed);
  const auto inputs = static_cast<int64_t>(search::inputs_of(kind));
  const auto outputs = static_cast<int64_t>(search::outputs_of(kind));
  const auto hidden = static_cast<int64_t>(search::kHidden);
  std::vector<Tensor> weights;
  for (const auto& [from, to] : {std::pair{inputs, hidden}, {hidden, hidden}, {hidden, outputs}}) {
    const double bound = 1 / std::sqrt(static_cast<double>(from));
    weights.push_back(torch::empty({to, from}).uniform_(-bound, bound, generator));
    weights.push_back(torch::empty({to}).uniform_(-bound, bound, generator));
  }
  for (Tensor& w : weights) w.set_requires_grad(true);
  impl_ = std::make_unique<Impl>(kind, std::move(weights), learning_rate);
}

PolicyTrainer::~PolicyTrainer() = default;
PolicyTrainer::PolicyTrainer(PolicyTrainer&&) noexcept = default;
PolicyTrainer& PolicyTrainer::operator=(PolicyTrainer&&) noexcept = default;

void PolicyTrainer::start_from(const search::PolicyNetwork& network, double learning_rate) {
  std::vector<Tensor> weights;
  for (const search::DenseLayer& layer : network.layers()) {
    weights.push_back(table_of(layer.weight, static_cast<int64_t>(layer.inputs)).clone());
    weights.push_back(column_of(layer.bias).clone());
  }
  for (Tensor& w : weights) w.set_requires_grad(true);
  impl_ = std::make_unique<Impl>(network.kind(), std::move(weights), learning_rate);
}

search::PolicyNetwork PolicyTrainer::network() const {
  std::array<search::DenseLayer, 3> layers;
  for (size_t k = 0; k < layers.size(); ++k) {
    const Tensor weight = impl_->weights[2 * k].detach().contiguous();
    const Tensor bias = impl_->weights[2 * k + 1].detach().contiguous();
    layers[k].inputs = static_cast<size_t>(weight.size(1));
    layers[k].outputs = static_cast<size_t>(weight.size(0));
    layers[k].weight.assign(weight.data_ptr<float>(), weight.data_ptr<float>() + weight.numel());
    layers[k].bias.assign(bias.data_ptr<float>(), bias.data_ptr<float>() + bias.numel());
  }
  return *search::PolicyNetwork::make(impl_->kind, std::move(layers));
}

bool PolicyTrainer::sound() const {
  for (const Tensor& w : impl_->weights)
    if (!torch::isfinite(w.detach()).all().item<bool>()) return false;
  return true;
}

double PolicyTrainer::imitate(const Samples& batch, uint64_t dropout_seed) {
  at::Generator generator = at::detail::createCPUGenerator(dropout_seed);
  const Tensor log =
      impl_->log_probabilities(batch, closed_of(batch, impl_->outputs), 1, &generator);
  const Tensor loss = -log.gather(1, chosen_of(batch)).mean();
  impl_->step(loss);
  return loss.item<double>();
}

ImproveLosses PolicyTrainer::improve(const RolloutSamples& batch, const ImproveOptions& options) {
  const Tensor log = impl_->log_probabilities(batch, closed_of(batch, impl_->outputs),
                                              options.temperature, nullptr);
  const Tensor p = log.exp();
  const Tensor chosen = log.gather(1, chosen_of(batch)).squeeze(1);
  const Tensor ratio =
      (chosen - column_of(batch.old_log)).clamp(-kMostLogRatio, kMostLogRatio).exp();
  const Tensor advantage = column_of(batch.advantages);
  const Tensor within = ratio.clamp(1 - options.clip, 1 + options.clip);
  const Tensor clipped = torch::min(ratio * advantage, within * advantage);
  const Tensor surrogate =
      torch::where(advantage < 0, torch::max(clipped, kDualClip * advantage), clipped).mean();
  const Tensor kl = (p * (log - table_of(batch.reference, impl_->outputs))).sum(1).mean();
  const Tensor entropy = -(p * log).sum(1).mean();
  const Tensor loss = -surrogate + options.kl * kl - options.entropy * entropy;
  ImproveLosses out{loss.item<double>(), surrogate.item<double>(), kl.item<double>(),
                    entropy.item<double>(),
                    (ratio != within).to(torch::kFloat).mean().item<double>()};
  impl_->step(loss);
  return out;
}

std::vector<float> PolicyTrainer::logits(const Samples& batch) const {
  const torch::NoGradGuard guard;
  const Tensor out = impl_->forward(table_of(batch.inputs, impl_->inputs), nullptr).contiguous();
  return {out.data_ptr<float>(), out.data_ptr<float>() + out.numel()};
}

// Written field by field: libtorch's own archives have addresses in them, so that no two are alike.
std::string PolicyTrainer::state() const {
  TrainerState out;
  for (const Tensor& w : impl_->weights) {
    out.weights.push_back(values_of(w.detach()));
    const auto& known = impl_->optimiser.state();
    const auto moments = known.find(impl_->key_of(w));
    if (moments == known.end()) continue;  // no step was made yet
    const auto& adam = static_cast<const torch::optim::AdamParamState&>(*moments->second);
    out.steps = adam.step();
    out.first.push_back(values_of(adam.exp_avg()));
    out.second.push_back(values_of(adam.exp_avg_sq()));
  }
  return to_bytes(out);
}

Status PolicyTrainer::restore(std::string_view state) {
  TrainerState in;
  const size_t count = impl_->weights.size();
  bool sound = from_bytes(state, in) && in.weights.size() == count &&
               (in.steps == 0 || (in.first.size() == count && in.second.size() == count));
  for (size_t k = 0; sound && k < count; ++k) {
    const auto size = static_cast<size_t>(impl_->weights[k].numel());
    sound = in.weights[k].size() == size &&
            (in.steps == 0 || (in.first[k].size() == size && in.second[k].size() == size));
  }
  if (!sound) return input_error("not the state of a trainer of this kind");
  const torch::NoGradGuard guard;
  impl_->optimiser.state().clear();
  for (size_t k = 0; k < count; ++k) {
    Tensor& w = impl_->weights[k];
    w.copy_(column_of(in.weights[k]).view_as(w));
    if (in.steps == 0) continue;
    auto moments = std::make_unique<torch::optim::AdamParamState>();
    moments->step(in.steps);
    moments->exp_avg(column_of(in.first[k]).view_as(w).clone());
    moments->exp_avg_sq(column_of(in.second[k]).view_as(w).clone());
    impl_->optimiser.state()[impl_->key_of(w)] = std::move(moments);
  }
  return Ok{};
}

}  // namespace pitot::learn
