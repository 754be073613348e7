#include "learn/ppo_trainer.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <optional>

#include "learn/torch_adam.h"
#include "learn/torch_graph.h"

namespace pitot::learn {
namespace {

using torch::Tensor;

constexpr int64_t kWidth = 64;

// As torch.nn.init.orthogonal_, with a generator of our own.
Tensor orthogonal(int64_t rows, int64_t columns, double gain, at::Generator& generator) {
  Tensor drawn = torch::empty({rows, columns}).normal_(0, 1, generator);
  if (rows < columns) drawn = drawn.t();
  auto [q, r] = at::linalg_qr(drawn);
  q = q * r.diag().sign();
  if (rows < columns) q = q.t();
  return (q * gain).contiguous();
}

template <class T>
Tensor picked_rows(const std::vector<T>& values, size_t width, std::span<const size_t> which,
                   torch::ScalarType type) {
  Tensor out = torch::empty({static_cast<int64_t>(which.size()), static_cast<int64_t>(width)},
                            torch::TensorOptions(type));
  if constexpr (std::is_same_v<T, float>) {
    float* at = out.data_ptr<float>();
    for (const size_t k : which) at = std::copy_n(values.data() + k * width, width, at);
  } else {
    int64_t* at = out.data_ptr<int64_t>();
    for (const size_t k : which) at = std::copy_n(values.data() + k * width, width, at);
  }
  return out;
}

constexpr size_t kNetworkTensors = 12;  // weight and bias of twice three layers

}  // namespace

struct PpoTrainer::Impl {
  size_t inputs;
  std::optional<GraphTensors> graphs;  // the encoder's weights lie behind the two networks'
  std::vector<size_t> values;          // of each knob
  std::vector<Tensor> weights;  // weight and bias of the policy's three layers, then of the value's
  torch::optim::Adam optimiser;

  Impl(size_t in, std::vector<size_t> of, std::vector<Tensor> drawn, double rate)
      : inputs(in),
        values(std::move(of)),
        weights(std::move(drawn)),
        optimiser(weights, torch::optim::AdamOptions(rate).eps(1e-5)) {}

  Tensor forward(const Tensor& in, size_t first) const {
    Tensor x = torch::tanh(torch::linear(in, weights[first], weights[first + 1]));
    x = torch::tanh(torch::linear(x, weights[first + 2], weights[first + 3]));
    return torch::linear(x, weights[first + 4], weights[first + 5]);
  }
  // A graph a row.
  Tensor embeddings() const { return encoded(*graphs, weights.data() + kNetworkTensors); }
  knobs::TanhNetwork network(size_t first) const {
    std::vector<knobs::Layer> layers;
    for (size_t k = first; k < first + 6; k += 2)
      layers.push_back(layer_of(weights[k], weights[k + 1]));
    return *knobs::TanhNetwork::make(std::move(layers));
  }
};

PpoTrainer::PpoTrainer(size_t inputs, std::vector<size_t> values, double rate, uint64_t seed,
                       const std::vector<knobs::ControlGraph>& graphs) {
  at::set_num_threads(1);
  at::Generator generator = at::detail::createCPUGenerator(seed);
  int64_t outputs = 0;
  for (const size_t v : values) outputs += static_cast<int64_t>(v);
  const auto in = static_cast<int64_t>(inputs + (graphs.empty() ? 0 : knobs::kEmbedding));
  const double hidden = std::sqrt(2.0);
  std::vector<Tensor> weights;
  for (const auto& [width, gain] : {std::pair{outputs, 0.01}, std::pair{int64_t{1}, 1.0}}) {
    weights.push_back(orthogonal(kWidth, in, hidden, generator));
    weights.push_back(torch::zeros({kWidth}));
    weights.push_back(orthogonal(kWidth, kWidth, hidden, generator));
    weights.push_back(torch::zeros({kWidth}));
    weights.push_back(orthogonal(width, kWidth, gain, generator));
    weights.push_back(torch::zeros({width}));
  }
  if (!graphs.empty()) append_drawn_encoder(weights, generator);
  for (Tensor& w : weights) w.set_requires_grad(true);
  impl_ = std::make_unique<Impl>(inputs, std::move(values), std::move(weights), rate);
  if (graphs.empty()) return;
  std::vector<const knobs::ControlGraph*> pointers;
  for (const knobs::ControlGraph& g : graphs) pointers.push_back(&g);
  impl_->graphs = graph_tensors(pointers);
}

PpoTrainer::~PpoTrainer() = default;
PpoTrainer::PpoTrainer(PpoTrainer&&) noexcept = default;
PpoTrainer& PpoTrainer::operator=(PpoTrainer&&) noexcept = default;

knobs::TanhNetwork PpoTrainer::policy() const { return impl_->network(0); }
knobs::TanhNetwork PpoTrainer::value() const { return impl_->network(6); }

knobs::GraphEncoder PpoTrainer::encoder() const {
  if (!impl_->graphs) return {};
  return encoder_of(impl_->weights.data() + kNetworkTensors);
}

PpoLosses PpoTrainer::improve(const PpoSamples& samples, std::span<const size_t> which,
                              const PpoLossOptions& options) {
  Tensor seen = picked_rows(samples.observations, impl_->inputs, which, torch::kFloat);
  if (impl_->graphs) {
    const Tensor kernel = picked_rows(samples.kernels, 1, which, torch::kLong).squeeze(1);
    seen = torch::cat({seen, impl_->embeddings().index_select(0, kernel)}, 1);
  }
  const Tensor chosen = picked_rows(samples.choices, impl_->values.size(), which, torch::kLong);
  const Tensor old_log = picked_rows(samples.old_log, 1, which, torch::kFloat).squeeze(1);
  const Tensor returns = picked_rows(samples.returns, 1, which, torch::kFloat).squeeze(1);
  Tensor advantage = picked_rows(samples.advantages, 1, which, torch::kFloat).squeeze(1);
  if (which.size() > 1) advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8);

  const Tensor logits = impl_->forward(seen, 0);
  Tensor log_of_choice, entropy;
  int64_t first = 0;
  for (size_t k = 0; k < impl_->values.size(); ++k) {
    const auto width = static_cast<int64_t>(impl_->values[k]);
    const Tensor log = torch::log_softmax(logits.narrow(1, first, width), 1);
    const Tensor own = log.gather(1, chosen.narrow(1, static_cast<int64_t>(k), 1)).squeeze(1);
    const Tensor h = -(log.exp() * log).sum(1);
    log_of_choice = k == 0 ? own : log_of_choice + own;
    entropy = k == 0 ? h : entropy + h;
    first += width;
  }
  const Tensor log_ratio = log_of_choice - old_log;
  const Tensor ratio = log_ratio.exp();
  const Tensor within = ratio.clamp(1 - options.clip, 1 + options.clip);
  const Tensor policy_loss = -torch::min(ratio * advantage, within * advantage).mean();
  const Tensor error = impl_->forward(seen, 6).squeeze(1) - returns;
  const Tensor value_loss = (error * error).mean();
  const Tensor mean_entropy = entropy.mean();
  const Tensor loss = policy_loss - options.entropy * mean_entropy + options.value * value_loss;
  PpoLosses out;
  {
    const torch::NoGradGuard guard;
    out = {policy_loss.item<double>(), value_loss.item<double>(), mean_entropy.item<double>(),
           (ratio - 1 - log_ratio).mean().item<double>(),
           (ratio != within).to(torch::kFloat).mean().item<double>()};
  }
  impl_->optimiser.zero_grad();
  loss.backward();
  {
    const torch::NoGradGuard guard;
    double square = 0;
    for (const Tensor& w : impl_->weights) {
      const double norm = w.grad().norm().item<double>();
      square += norm * norm;
    }
    const double scale = options.max_norm / (std::sqrt(square) + 1e-6);
    if (scale < 1)
      for (const Tensor& w : impl_->weights) w.grad().mul_(scale);
  }
  impl_->optimiser.step();
  return out;
}

std::string PpoTrainer::state() const { return adam_state(impl_->weights, impl_->optimiser); }

Status PpoTrainer::restore(std::string_view state) {
  return restore_adam(state, impl_->weights, impl_->optimiser);
}

}  // namespace pitot::learn
