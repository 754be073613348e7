// See phase_trainer.h.
#include "learn/phase_trainer.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <numeric>

#include "learn/torch_adam.h"
#include "support/draws.h"

namespace pitot::learn {
namespace {

using knobs::kPhases;
using torch::Tensor;

constexpr size_t kLstmTensors = 16;
constexpr auto kCellCount = static_cast<int64_t>(knobs::kCells);

struct PhaseOutputs {
  Tensor phase, uncertainty;  // before softmax and sigmoid: a row, a number a window
};

// Windows × steps × counters.
PhaseOutputs phase_forward(const Tensor& in, const std::vector<Tensor>& w) {
  const Tensor zeros = torch::zeros({4, in.size(0), kCellCount});
  const std::vector<Tensor> lstm(w.begin(), w.begin() + kLstmTensors);
  const Tensor out = std::get<0>(at::lstm(in, {zeros, zeros}, lstm, /*has_biases=*/true,
                                          /*num_layers=*/2, /*dropout=*/0, /*train=*/false,
                                          /*bidirectional=*/true, /*batch_first=*/true));
  const Tensor last = torch::cat({out.select(1, out.size(1) - 1).narrow(1, 0, kCellCount),
                                  out.select(1, 0).narrow(1, kCellCount, kCellCount)},
                                 1);
  const auto head = [&](const Tensor& x, size_t first) {
    const Tensor hidden = torch::relu(torch::linear(x, w[first], w[first + 1]));
    return torch::linear(hidden, w[first + 2], w[first + 3]);
  };
  return {head(last, kLstmTensors), head(last.detach(), kLstmTensors + 4).squeeze(1)};
}

// A tensor of one column is a bias.
std::vector<Tensor> tensors_of(const std::vector<std::vector<float>>& values) {
  std::vector<Tensor> out;
  for (size_t k = 0; k < values.size(); ++k) {
    const auto rows = static_cast<int64_t>(knobs::kDetectorShapes[k].rows);
    const auto columns = static_cast<int64_t>(knobs::kDetectorShapes[k].columns);
    out.push_back(columns == 1 ? tensor_of(values[k], {rows})
                               : tensor_of(values[k], {rows, columns}));
  }
  return out;
}

// As PyTorch has them: even within 1/√cells, and of dense layers within 1/√inputs.
std::vector<std::vector<float>> drawn_tensors(uint64_t seed) {
  Draws draws(seed);
  std::vector<std::vector<float>> out;
  double bound = 1 / std::sqrt(static_cast<double>(knobs::kCells));
  for (size_t k = 0; k < knobs::kDetectorTensors; ++k) {
    const knobs::TensorShape shape = knobs::kDetectorShapes[k];
    if (k >= kLstmTensors && k % 2 == 0) bound = 1 / std::sqrt(static_cast<double>(shape.columns));
    auto& t = out.emplace_back(shape.size());
    for (float& v : t) v = static_cast<float>(bound * (2 * draws.unit() - 1));
  }
  return out;
}

Tensor inputs_of(std::span<const knobs::PhaseWindow* const> windows,
                 std::span<const size_t> which) {
  const auto steps = static_cast<int64_t>(knobs::kPhaseSteps),
             counters = static_cast<int64_t>(knobs::kPhaseCounters);
  Tensor out = torch::empty({static_cast<int64_t>(which.size()), steps, counters});
  float* at = out.data_ptr<float>();
  for (const size_t k : which) at = std::copy(windows[k]->seen.begin(), windows[k]->seen.end(), at);
  return out;
}

}  // namespace

Result<PhaseTrained> train_phases(std::span<const knobs::PhaseWindow* const> windows,
                                  const PhaseTrainingOptions& options, const std::string& origin) {
  if (windows.empty()) return input_error("there are no windows to learn from");
  at::set_num_threads(1);
  std::vector<float> weight_of(kPhases, 0);
  for (const knobs::PhaseWindow* w : windows) {
    if (!w->label) return input_error("window '" + w->name + "' has no label");
    weight_of[static_cast<size_t>(*w->label)] += 1;
  }
  size_t labels = 0;
  for (const float n : weight_of) labels += n > 0;
  for (float& n : weight_of)
    if (n > 0) n = static_cast<float>(windows.size()) / (static_cast<float>(labels) * n);
  const Tensor weights_by_label = tensor_of(weight_of, {static_cast<int64_t>(kPhases)});

  std::vector<Tensor> weights = tensors_of(drawn_tensors(options.seed));
  for (Tensor& w : weights) w.set_requires_grad(true);
  torch::optim::Adam optimiser(weights, torch::optim::AdamOptions(options.rate));
  Draws draws(options.seed ^ 0x5851f42d4c957f2d);
  std::vector<size_t> order(windows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  double loss_sum = 0, right = 0;
  for (unsigned epoch = 0; epoch < options.epochs; ++epoch) {
    for (size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[draws.below(n)]);
    loss_sum = right = 0;
    for (size_t first = 0; first < order.size(); first += options.batch) {
      const std::span<const size_t> which = std::span<const size_t>(order).subspan(
          first, std::min<size_t>(options.batch, order.size() - first));
      std::vector<int64_t> labels_here;
      for (const size_t k : which) labels_here.push_back(static_cast<int64_t>(*windows[k]->label));
      const Tensor label =
          torch::from_blob(labels_here.data(), {static_cast<int64_t>(which.size())}, torch::kLong)
              .clone();
      const PhaseOutputs out = phase_forward(inputs_of(windows, which), weights);
      const Tensor log = torch::log_softmax(out.phase, 1);
      const Tensor own = log.gather(1, label.unsqueeze(1)).squeeze(1);
      const Tensor loss = -(own * weights_by_label.index_select(0, label)).mean();
      const Tensor doubt = at::binary_cross_entropy_with_logits(
          out.uncertainty, 1 - own.detach().exp(), {}, {}, at::Reduction::Mean);
      optimiser.zero_grad();
      (loss + doubt).backward();
      optimiser.step();
      const torch::NoGradGuard guard;
      loss_sum += loss.item<double>() * static_cast<double>(which.size());
      right += (out.phase.argmax(1) == label).sum().item<double>();
    }
  }
  std::vector<std::vector<float>> trained;
  for (const Tensor& w : weights) trained.push_back(numbers_of(w));
  auto detector = knobs::PhaseDetector::make(std::move(trained), origin);
  if (!detector) return failed_error("training went astray: " + detector.error().message);
  const auto n = static_cast<double>(windows.size());
  return PhaseTrained{std::move(*detector), loss_sum / n, right / n};
}

knobs::PhaseVerdict judged_by_torch(const knobs::PhaseDetector& detector,
                                    const knobs::PhaseWindow& window) {
  const torch::NoGradGuard guard;
  const knobs::PhaseWindow* one = &window;
  const size_t which = 0;
  const PhaseOutputs out =
      phase_forward(inputs_of({&one, 1}, {&which, 1}), tensors_of(detector.tensors()));
  knobs::PhaseVerdict verdict;
  const Tensor p = torch::softmax(out.phase, 1);
  for (size_t k = 0; k < kPhases; ++k)
    verdict.probability[k] = p[0][static_cast<int64_t>(k)].item<float>();
  verdict.uncertainty = torch::sigmoid(out.uncertainty)[0].item<float>();
  return verdict;
}

}  // namespace pitot::learn
