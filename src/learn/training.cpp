#include "learn/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "environment/evaluate.h"
#include "environment/split.h"
#include "learn/checkpoint.h"
#include "learn/rollout.h"
#include "search/program_graph.h"

namespace pitot::learn {
namespace {

// Draws of one epoch: they do not depend on what was drawn before, so nothing of them is kept.
Draws draws_of(uint64_t seed, uint64_t phase, uint64_t epoch) {
  return Draws(Draws(seed).bits() + 2 * epoch + phase);
}

Samples picked(const Samples& from, std::span<const size_t> which) {
  const size_t width = search::inputs_of(from.kind);
  Samples out;
  out.kind = from.kind;
  for (size_t k : which)
    out.add(std::span(from.inputs).subspan(k * width, width), from.masks[k], from.outputs[k]);
  return out;
}

double accuracy_of(const search::PolicyNetwork& network, const Samples& samples) {
  const size_t width = search::inputs_of(samples.kind);
  std::vector<float> logits(search::outputs_of(samples.kind));
  size_t right = 0;
  for (size_t k = 0; k < samples.size(); ++k) {
    network.logits(std::span(samples.inputs).subspan(k * width, width), logits);
    right += search::likeliest(logits, samples.masks[k]) == samples.outputs[k];
  }
  return samples.size() == 0 ? 0 : static_cast<double>(right) / static_cast<double>(samples.size());
}

Status in_range(const TrainingOptions& o) {
  if (o.rules.max_steps == 0 || o.group < 2 || o.batch == 0 || o.passes == 0 ||
      o.first_temperature <= 0 || o.second_temperature <= 0 || o.clone_rate <= 0 || o.rate <= 0)
    return input_error(
        "training wants at least one step, two episodes a group, one pass, and temperatures and "
        "rates above 0");
  return Ok{};
}

}  // namespace

std::string Training::fingerprint(const environment::RecordedTable& table, const TrainingOptions& o,
                                  const search::Policy* start) {
  return fmt::format(
      "{} table {} kind {} steps {} images {} held out {} seed {} epochs {} {} batch {} passes {} "
      "group {} rates {} {} clip {} kl {} temperatures {} {} entropy {} {} {} start {}",
      o.tool, table.hash.hex(), to_string(o.rules.kind), o.rules.max_steps, o.rules.distinct_images,
      fmt::join(o.held_out, ","), o.seed, o.clone_epochs, o.epochs, o.batch, o.passes, o.group,
      o.clone_rate, o.rate, o.clip, o.kl, o.first_temperature, o.second_temperature,
      o.entropy.least, o.entropy.most, o.entropy.floor,
      start == nullptr ? "none" : hash_bytes(policy_json(*start)).hex());
}

Training::Training(const environment::RecordedTable& table, const TrainingOptions& options,
                   const search::Policy* start, std::vector<size_t> kernels)
    : table_(table),
      options_(options),
      kernels_(std::move(kernels)),
      trainer_(options.rules.kind, options.clone_rate, options.seed),
      imitated_(greedy_samples(table, kernels_, options.rules)),
      clone_epochs_(start == nullptr ? options.clone_epochs : 0),
      reference_(start == nullptr ? trainer_.network() : start->network),
      best_(reference_),
      fingerprint_(fingerprint(table, options, start)),
      entropy_weight_(options.entropy.least) {
  if (start != nullptr) trainer_.start_from(start->network, options.rate);
  result_.kind = to_string(options.rules.kind);
  result_.cost = table.cost;
  result_.table = table.hash.hex();
  result_.seed = options.seed;
  result_.weights = search::PolicyNetwork::weights_of(options.rules.kind);
  result_.imitated_steps = imitated_.size();
  result_.best_phase = start == nullptr ? "clone" : "start";
  result_.best_reward = mean_reward(best_);
}

Result<Training> Training::begin(const environment::RecordedTable& table,
                                 const TrainingOptions& options, const search::Policy* start) {
  if (Status s = in_range(options); !s) return s.error();
  if (Status s = fits(table, options.rules); !s) return s.error();
  if (start != nullptr && start->kind() != options.rules.kind)
    return input_error(fmt::format("training of a {} policy cannot start from a {} one",
                                   to_string(options.rules.kind), to_string(start->kind())));
  auto kernels = environment::kernels_without(table, options.held_out);
  if (!kernels) return kernels.error();
  // What the start has learned from would be held out in name only.
  for (const std::string& name : options.held_out)
    if (start != nullptr &&
        std::find(start->origin.trained_on.begin(), start->origin.trained_on.end(), name) !=
            start->origin.trained_on.end())
      return input_error(name + " is held out, and the policy to start from has learned from it");
  return Training(table, options, start, std::move(*kernels));
}

Result<Training> Training::resume(const environment::RecordedTable& table,
                                  const TrainingOptions& options, const search::Policy* start,
                                  std::string_view checkpoint) {
  auto out = begin(table, options, start);
  if (!out) return out;
  if (Status s = out->restore(checkpoint); !s) return s.error();
  return out;
}

Status Training::restore(std::string_view bytes) {
  auto c = read_checkpoint(bytes);
  if (!c) return c.error();
  if (c->fingerprint != fingerprint_)
    return input_error(
        "the checkpoint is of another training: its table, options or version differ");
  auto reference = search::PolicyNetwork::make(options_.rules.kind, std::move(c->reference));
  auto best = search::PolicyNetwork::make(options_.rules.kind, std::move(c->best));
  if (!reference) return reference.error();
  if (!best) return best.error();
  reference_ = std::move(*reference);
  best_ = std::move(*best);
  entropy_weight_ = c->entropy_weight;
  result_ = std::move(c->result);
  // A fresh optimiser of the phase, then its moments.
  if (result_.epochs.size() > clone_epochs_) trainer_.start_from(reference_, options_.rate);
  return trainer_.restore(c->trainer);
}

std::string Training::checkpoint() const {
  Checkpoint c{fingerprint_,        result_,        entropy_weight_,
               reference_.layers(), best_.layers(), trainer_.state()};
  return checkpoint_bytes(c);
}

double Training::mean_reward(const search::PolicyNetwork& network) const {
  double sum = 0;
  for (size_t k : kernels_) {
    const environment::RecordedKernel& kernel = table_.kernels[k];
    sum += environment::reward_of(kernel, likeliest_end(network, kernel, options_.rules).program);
  }
  return sum / static_cast<double>(kernels_.size());
}

Status Training::sound(const EpochRecord& record) const {
  if (trainer_.sound()) return Ok{};
  return failed_error(fmt::format(
      "training diverged in epoch {} of {}: a weight is no finite number; try a lower rate",
      record.epoch, record.phase));
}

Status Training::clone_epoch(EpochRecord& record) {
  Draws draws = draws_of(options_.seed, 0, record.epoch);
  std::vector<size_t> order(imitated_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[draws.below(n)]);
  for (size_t begin = 0; begin < order.size(); begin += options_.batch) {
    const size_t count = std::min<size_t>(options_.batch, order.size() - begin);
    const double loss =
        trainer_.imitate(picked(imitated_, std::span(order).subspan(begin, count)), draws.bits());
    record.loss += loss * static_cast<double>(count) / static_cast<double>(order.size());
  }
  if (Status s = sound(record); !s) return s;
  const search::PolicyNetwork now = trainer_.network();
  record.accuracy = accuracy_of(now, imitated_);
  record.likeliest_reward = mean_reward(now);
  result_.best_accuracy = std::max(result_.best_accuracy, record.accuracy);
  best_ = now;
  result_.best_phase = "clone";
  result_.best_epoch = record.epoch;
  result_.best_reward = record.likeliest_reward;
  improved_ = record.epoch == clone_epochs_;
  return Ok{};
}

Status Training::improve_epoch(EpochRecord& record) {
  if (record.epoch == 1 && clone_epochs_ > 0) {
    reference_ = trainer_.network();
    trainer_.start_from(reference_, options_.rate);
  }
  Draws draws = draws_of(options_.seed, 1, record.epoch);
  record.temperature = temperature_of(record.epoch - 1, options_.epochs, options_.first_temperature,
                                      options_.second_temperature);
  record.entropy_weight = entropy_weight_;
  const search::PolicyNetwork acting = trainer_.network();
  Rollouts played = play_groups(table_, kernels_, acting, reference_,
                                {options_.rules, options_.group, record.temperature}, draws);
  const std::vector<double> advantages = group_advantages(played.rewards, options_.group);
  for (size_t episode : played.episodes)
    played.samples.advantages.push_back(static_cast<float>(advantages[episode]));
  for (uint32_t pass = 0; pass < options_.passes && played.samples.size() != 0; ++pass) {
    const ImproveLosses losses = trainer_.improve(
        played.samples, {record.temperature, options_.clip, options_.kl, entropy_weight_});
    record.loss = losses.loss;
    record.kl = losses.kl;
    record.clipped = losses.clipped;
  }
  record.reward = std::accumulate(played.rewards.begin(), played.rewards.end(), 0.0) /
                  static_cast<double>(played.rewards.size());
  record.entropy = played.normalised_entropy;
  entropy_weight_ = options_.entropy.next(entropy_weight_, record.entropy);
  if (Status s = sound(record); !s) return s;
  search::PolicyNetwork now = trainer_.network();
  record.likeliest_reward = mean_reward(now);
  improved_ = record.likeliest_reward > result_.best_reward;
  if (!improved_) return Ok{};
  best_ = std::move(now);
  result_.best_phase = "grpo";
  result_.best_epoch = record.epoch;
  result_.best_reward = record.likeliest_reward;
  return Ok{};
}

Status Training::epoch(double time) {
  EpochRecord record;
  record.time = time;
  const size_t made = result_.epochs.size();
  record.phase = made < clone_epochs_ ? "clone" : "grpo";
  record.epoch = 1 + (made < clone_epochs_ ? made : made - clone_epochs_);
  const Status done = made < clone_epochs_ ? clone_epoch(record) : improve_epoch(record);
  if (done) result_.epochs.push_back(std::move(record));
  return done;
}

search::Policy Training::policy_of(const search::PolicyNetwork& network, const std::string& phase,
                                   uint64_t epoch, double reward) const {
  search::PolicyOrigin origin;
  origin.tool = options_.tool;
  origin.phase = phase;
  origin.data = result_.table;
  origin.cost = result_.cost;
  origin.seed = options_.seed;
  origin.epoch = epoch;
  origin.reward = reward;
  origin.distinct_images = options_.rules.distinct_images;
  for (size_t k : kernels_) origin.trained_on.push_back(table_.kernels[k].name);
  return {network, std::move(origin)};
}

search::Policy Training::best() const {
  return policy_of(best_, result_.best_phase, result_.best_epoch, result_.best_reward);
}

search::Policy Training::latest() const {
  if (result_.epochs.empty()) return best();
  const EpochRecord& last = result_.epochs.back();
  return policy_of(trainer_.network(), last.phase, last.epoch, last.likeliest_reward);
}

TrainingResult Training::result() const {
  TrainingResult out = result_;
  const std::set<size_t> learned(kernels_.begin(), kernels_.end());
  for (size_t k = 0; k < table_.kernels.size(); ++k) {
    const environment::RecordedKernel& kernel = table_.kernels[k];
    std::vector<transform::Action> sequence;
    const environment::TableState end = likeliest_end(best_, kernel, options_.rules, &sequence);
    TrainedKernel row;
    row.kernel = kernel.name;
    row.held_out = learned.count(k) == 0;
    row.sequence = search::names_of(sequence);
    row.reward = environment::reward_of(kernel, end.program);
    row.oracle =
        environment::reward_of(kernel, environment::best_reachable(kernel, options_.rules).program);
    row.failed = !kernel.programs[end.program].value.ok();
    out.kernels.push_back(std::move(row));
  }
  return out;
}

}  // namespace pitot::learn
