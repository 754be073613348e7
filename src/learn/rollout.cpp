#include "learn/rollout.h"

#include <bit>
#include <cmath>

#include "environment/evaluate.h"

namespace pitot::learn {
namespace {

using environment::EpisodeRules;
using environment::RecordedKernel;
using environment::TableState;
using search::ActionSet;
using search::PolicyNetwork;

// Draws from probabilities that add up to 1; never what has none.
size_t drawn(const std::vector<double>& probabilities, Draws& draws) {
  double left = draws.unit();
  size_t last = 0;
  for (size_t k = 0; k < probabilities.size(); ++k) {
    if (probabilities[k] <= 0) continue;
    last = k;
    left -= probabilities[k];
    if (left < 0) break;
  }
  return last;
}

class GroupPlayer {
 public:
  GroupPlayer(const PolicyNetwork& network, const PolicyNetwork& reference, const GroupRules& rules,
              Draws& draws)
      : network_(network),
        reference_(reference),
        rules_(rules),
        kind_(rules.episode.kind),
        draws_(draws),
        input_(search::inputs_of(kind_)),
        logits_(search::outputs_of(kind_)),
        acting_(logits_.size()),
        anchoring_(logits_.size()) {
    out_.samples.kind = kind_;
  }

  void play_group(const RecordedKernel& kernel) {
    const size_t first = play(kernel, true, {});
    look(kernel, {});
    std::vector<double> left = acting_;
    for (size_t episode = 1; episode < rules_.group; ++episode) {
      left[episode == 1 ? first : last_forced_] = 0;
      double sum = 0;
      for (double p : left) sum += p;
      if (sum <= 0) {
        play(kernel, false, {});
        continue;
      }
      std::vector<double> share = left;
      for (double& p : share) p /= sum;
      last_forced_ = drawn(share, draws_);
      play(kernel, false, last_forced_);
    }
  }

  Rollouts take() {
    if (choices_ > 0) out_.normalised_entropy = entropy_ / static_cast<double>(choices_);
    return std::move(out_);
  }

 private:
  // Both policies' probabilities here; the mask.
  ActionSet look(const RecordedKernel& kernel, const TableState& state) {
    const ActionSet mask = open_outputs(kernel, state, rules_.episode);
    search::write_input(kernel.programs[state.program].features, mask, state.taken, kind_, input_);
    network_.logits(input_, logits_);
    search::masked_softmax(logits_, mask, rules_.temperature, acting_);
    reference_.logits(input_, logits_);
    search::masked_softmax(logits_, mask, rules_.temperature, anchoring_);
    return mask;
  }

  void note(ActionSet mask, size_t output) {
    out_.samples.add(input_, mask, output);
    out_.samples.old_log.push_back(static_cast<float>(std::log(acting_[output])));
    for (size_t k = 0; k < anchoring_.size(); ++k)
      out_.samples.reference.push_back(
          (mask >> k & 1) != 0 ? std::max(static_cast<float>(std::log(anchoring_[k])), kNever)
                               : kNever);
    out_.episodes.push_back(out_.rewards.size());
    const int open = std::popcount(mask);
    if (open < 2) return;
    entropy_ += search::entropy(acting_) / std::log(open);
    ++choices_;
  }

  // One episode; its first output. Steps without a choice teach nothing and are left out.
  size_t play(const RecordedKernel& kernel, bool anchor, std::optional<size_t> forced) {
    const size_t stop = search::actions_of(kind_);
    TableState state;
    std::optional<size_t> first;
    while (state.steps() < rules_.episode.max_steps) {
      const ActionSet mask = look(kernel, state);
      const size_t output =
          forced && !first ? *forced : drawn(anchor ? anchoring_ : acting_, draws_);
      if (!first) first = output;
      if (std::popcount(mask) > 1) note(mask, output);
      if (output == stop) break;
      state = after(kernel, state, output);
    }
    out_.rewards.push_back(environment::reward_of(kernel, state.program));
    return first.value_or(stop);
  }

  const PolicyNetwork& network_;
  const PolicyNetwork& reference_;
  const GroupRules& rules_;
  search::PolicyKind kind_;
  Draws& draws_;
  std::vector<float> input_, logits_;
  std::vector<double> acting_, anchoring_;  // by output
  size_t last_forced_ = 0;
  double entropy_ = 0;
  size_t choices_ = 0;
  Rollouts out_;
};

}  // namespace

Samples greedy_samples(const environment::RecordedTable& table, const std::vector<size_t>& kernels,
                       const EpisodeRules& rules) {
  Samples out;
  out.kind = rules.kind;
  std::vector<float> input(search::inputs_of(rules.kind));
  for (size_t k : kernels) {
    const RecordedKernel& kernel = table.kernels[k];
    std::vector<size_t> outputs;
    for (transform::Action a : environment::greedy_sequence(kernel, rules))
      outputs.push_back(static_cast<size_t>(a));
    outputs.push_back(search::actions_of(rules.kind));
    TableState state;
    for (size_t output : outputs) {
      const ActionSet mask = open_outputs(kernel, state, rules);
      if (std::popcount(mask) < 2) break;
      search::write_input(kernel.programs[state.program].features, mask, state.taken, rules.kind,
                          input);
      out.add(input, mask, output);
      if (output < search::actions_of(rules.kind)) state = after(kernel, state, output);
    }
  }
  return out;
}

TableState likeliest_end(const PolicyNetwork& network, const RecordedKernel& kernel,
                         const EpisodeRules& rules, std::vector<transform::Action>* sequence) {
  std::vector<float> input(search::inputs_of(rules.kind)), logits(search::outputs_of(rules.kind));
  TableState state;
  while (state.steps() < rules.max_steps) {
    const ActionSet mask = open_outputs(kernel, state, rules);
    search::write_input(kernel.programs[state.program].features, mask, state.taken, rules.kind,
                        input);
    network.logits(input, logits);
    const size_t output = search::likeliest(logits, mask);
    if (output == search::actions_of(rules.kind)) break;
    if (sequence != nullptr) sequence->push_back(static_cast<transform::Action>(output));
    state = after(kernel, state, output);
  }
  return state;
}

Rollouts play_groups(const environment::RecordedTable& table, const std::vector<size_t>& kernels,
                     const PolicyNetwork& network, const PolicyNetwork& reference,
                     const GroupRules& rules, Draws& draws) {
  GroupPlayer player(network, reference, rules, draws);
  for (size_t k : kernels) player.play_group(table.kernels[k]);
  return player.take();
}

}  // namespace pitot::learn
