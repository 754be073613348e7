// See graph_trainer.h.
#include "learn/graph_trainer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "learn/torch_adam.h"
#include "learn/torch_graph.h"
#include "support/draws.h"

namespace pitot::learn {
namespace {

using torch::Tensor;

constexpr int64_t kHead = 32;

// Less the mean over the rows of the same group.
Tensor centred(const Tensor& values, const Tensor& groups, const Tensor& counts) {
  const Tensor sums = torch::zeros_like(counts).index_add(0, groups, values);
  return values - (sums / counts).index_select(0, groups);
}

// A family's rows by variant: its sizes are in one step together.
using Variants = std::vector<std::vector<size_t>>;

std::vector<Variants> families_of(std::span<const GraphRow> rows) {
  std::map<size_t, std::map<size_t, std::vector<size_t>>> by_family;
  for (size_t r = 0; r < rows.size(); ++r) by_family[rows[r].family][rows[r].graph].push_back(r);
  std::vector<Variants> out;
  for (auto& [family, variants] : by_family) {
    if (variants.size() < 2) continue;
    Variants& own = out.emplace_back();
    for (auto& [graph, members] : variants) own.push_back(std::move(members));
  }
  return out;
}

}  // namespace

Result<GraphTrained> train_graphs(std::span<const knobs::ControlGraph> graphs,
                                  std::span<const GraphRow> rows,
                                  const GraphTrainingOptions& options) {
  std::vector<Variants> families = families_of(rows);
  if (families.empty()) return input_error("no two variants of a family to learn from");
  at::set_num_threads(1);
  at::Generator generator = at::detail::createCPUGenerator(options.seed);
  std::vector<Tensor> weights;
  append_drawn_encoder(weights, generator);
  const int64_t in = static_cast<int64_t>(knobs::kEmbedding + kLaunchContext);
  for (const auto& [to, from] : {std::pair{kHead, in}, {int64_t{1}, kHead}}) {
    const double bound = 1 / std::sqrt(static_cast<double>(from));
    weights.push_back(torch::empty({to, from}).uniform_(-bound, bound, generator));
    weights.push_back(torch::zeros({to}));
  }
  for (Tensor& w : weights) w.set_requires_grad(true);
  torch::optim::Adam optimiser(weights, torch::optim::AdamOptions(options.rate));
  Draws draws(options.seed ^ 0x5851f42d4c957f2d);
  std::vector<size_t> turns(families.size());
  std::iota(turns.begin(), turns.end(), size_t{0});
  double last = 0, counted = 0;
  for (unsigned step = 0; step < options.steps; ++step) {
    if (step % turns.size() == 0)
      for (size_t n = turns.size(); n > 1; --n) std::swap(turns[n - 1], turns[draws.below(n)]);
    Variants& variants = families[turns[step % turns.size()]];
    const size_t batch = std::min<size_t>(options.batch, variants.size());
    for (size_t k = 0; k < batch; ++k)
      std::swap(variants[k], variants[k + draws.below(variants.size() - k)]);

    std::vector<const knobs::ControlGraph*> drawn;
    std::vector<int64_t> graph_of, group_of;
    std::vector<float> context, label, count;
    std::map<size_t, int64_t> groups;
    for (size_t k = 0; k < batch; ++k) {
      drawn.push_back(&graphs[rows[variants[k].front()].graph]);
      for (const size_t r : variants[k]) {
        const auto group =
            groups.try_emplace(rows[r].group, static_cast<int64_t>(groups.size())).first->second;
        count.resize(groups.size());
        count[static_cast<size_t>(group)] += 1;
        group_of.push_back(group);
        graph_of.push_back(static_cast<int64_t>(k));
        context.insert(context.end(), rows[r].context.begin(), rows[r].context.end());
        label.push_back(rows[r].label);
      }
    }
    const auto n = static_cast<int64_t>(label.size());
    const Tensor counts = tensor_of(count, {static_cast<int64_t>(count.size())});
    const auto indices = [&](std::vector<int64_t>& v) {
      return torch::from_blob(v.data(), {n}, torch::kLong).clone();
    };
    const Tensor group = indices(group_of);
    const Tensor embedding = encoded(graph_tensors(drawn), weights.data());
    const Tensor seen = torch::cat({embedding.index_select(0, indices(graph_of)),
                                    tensor_of(context, {n, static_cast<int64_t>(kLaunchContext)})},
                                   1);
    const Tensor* head = weights.data() + kEncoderTensors;
    const Tensor said =
        torch::linear(torch::relu(torch::linear(seen, head[0], head[1])), head[2], head[3])
            .squeeze(1);
    const Tensor off = centred(said, group, counts) - centred(tensor_of(label, {n}), group, counts);
    const Tensor loss = (off * off).mean();
    const double done = static_cast<double>(step) / options.steps;
    static_cast<torch::optim::AdamOptions&>(optimiser.param_groups()[0].options())
        .lr(options.rate * (1 - 0.9 * done));
    optimiser.zero_grad();
    loss.backward();
    optimiser.step();
    if (done < 0.9) continue;
    last += loss.item<double>();
    counted += 1;
  }
  GraphTrained out;
  out.encoder = encoder_of(weights.data());
  if (out.encoder.empty()) return failed_error("training went astray: weights that are no numbers");
  out.loss = counted > 0 ? last / counted : 0;
  return out;
}

}  // namespace pitot::learn
