#include "learn/ppo_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/advantages.h"
#include "learn/checkpoint.h"
#include "support/archive.h"
#include "support/hash.h"

namespace pitot::knobs {

template <class A>
void fields(A& a, Layer& l) {
  a(l.inputs, l.outputs, l.weight, l.bias);
}

}  // namespace pitot::knobs

namespace pitot::learn {

template <class A>
void fields(A& a, PpoUpdate& u) {
  a(u.steps, u.time, u.reward, u.episode_reward, u.likeliest_reward, u.policy_loss, u.value_loss,
    u.entropy, u.kl, u.clipped, u.explained_variance, u.measured);
}

namespace {

constexpr const char* kPpoCheckpoint = "pitot.ppo-checkpoint/1";
constexpr size_t kRememberedEpisodes = 100;

struct PpoCheckpoint {
  std::string fingerprint, trainer;
  std::vector<PpoUpdate> updates;
  std::vector<knobs::Layer> best, encoder;
  uint64_t best_steps = 0, episodes = 0;
  double best_reward = 0;
  uint64_t number = 0;  // of the running episode's case
  std::vector<knobs::Choice> chosen;
  std::vector<double> last_rewards;
  std::vector<std::vector<uint32_t>> measured;
};
template <class A>
void fields(A& a, PpoCheckpoint& c) {
  a(c.fingerprint, c.trainer, c.updates, c.best, c.encoder, c.best_steps, c.episodes, c.best_reward,
    c.number, c.chosen, c.last_rewards, c.measured);
}

// Draws of one update, or of one episode's case: they do not depend on what was drawn before, so
// nothing of them is kept.
Draws ppo_draws(uint64_t seed, uint64_t stream, uint64_t number) {
  return Draws(Draws(Draws(seed).bits() + stream).bits() + number);
}

double variance_of(std::span<const float> values) {
  double mean = 0, out = 0;
  for (const float v : values) mean += v / static_cast<double>(values.size());
  for (const float v : values) out += (v - mean) * (v - mean) / static_cast<double>(values.size());
  return out;
}

// A value of each knob by the policy's probabilities.
knobs::Choice drawn_choice(const knobs::Space& space, std::span<const double> logs, Draws& draws,
                           double& log) {
  knobs::Choice out;
  size_t first = 0;
  log = 0;
  for (const knobs::Knob& k : space.knobs) {
    double left = draws.unit();
    uint32_t v = 0;
    for (; v + 1 < k.values.size(); ++v) {
      left -= std::exp(logs[first + v]);
      if (left < 0) break;
    }
    out.push_back(v);
    log += logs[first + v];
    first += k.values.size();
  }
  return out;
}

std::string edges_text(const knobs::ControlGraph& g) {
  std::string out;
  for (const auto& [from, to] : g.edges) out += fmt::format("{}-{},", from, to);
  return out;
}

Status sound(const PpoOptions& o) {
  if (o.steps == 0 || o.rollout < 2 || o.minibatch < 2 || o.passes == 0 || o.max_steps == 0 ||
      !(o.rate > 0))
    return input_error(
        "PPO wants at least one step and pass, two steps a rollout and a minibatch, and a rate "
        "above 0");
  return Ok{};
}

}  // namespace

knobs::EnvironmentOptions PpoTraining::environment_options() const {
  knobs::EnvironmentOptions out;
  out.max_steps = options_.max_steps;
  out.states = options_.states;
  out.sizes = options_.sizes;
  out.cases = cases_;
  return out;
}

Result<PpoTraining> PpoTraining::begin(knobs::Table table, const std::string& hash,
                                       const PpoOptions& options) {
  if (Status s = sound(options); !s) return s.error();
  PpoTraining t;
  t.options_ = options;
  t.readings_ = std::make_shared<knobs::TableReadings>(std::move(table));
  const auto& cases = t.readings_->cases();
  for (size_t c = 0; c < cases.size(); ++c)
    if (options.only_sizes.empty() ||
        std::find(options.only_sizes.begin(), options.only_sizes.end(), cases[c].matrix_size) !=
            options.only_sizes.end())
      t.cases_.push_back(c);
  if (t.cases_.empty())
    return input_error(
        fmt::format("the table has no matrix of size {}", fmt::join(options.only_sizes, ", ")));
  auto environment = knobs::Environment::make(*t.readings_, t.environment_options());
  if (!environment) return environment.error();
  t.environment_ = std::move(*environment);
  const size_t kernels = t.readings_->table().kernels().size();
  if (!options.graphs.empty() && options.graphs.size() != kernels)
    return input_error(fmt::format("{} graphs of {} kernels", options.graphs.size(), kernels));
  std::vector<size_t> values;
  for (const knobs::Knob& k : t.space().knobs) values.push_back(k.values.size());
  t.trainer_.emplace(t.environment_->observation_size(), values, options.rate, options.seed,
                     options.graphs);
  t.measured_.resize(cases.size());
  const PpoLossOptions& l = options.loss;
  t.fingerprint_ = fmt::format(
      "{} table {} steps {} rollout {} minibatch {} passes {} rate {} gamma {} lambda {} loss {} "
      "{} {} {} seed {} episode {} states {} sizes {} only {}",
      options.tool, hash, options.steps, options.rollout, options.minibatch, options.passes,
      options.rate, options.gamma, options.lambda, l.clip, l.entropy, l.value, l.max_norm,
      options.seed, options.max_steps, options.states, options.sizes,
      fmt::join(options.only_sizes, ","));
  std::string text;
  for (const knobs::ControlGraph& g : options.graphs)
    text += fmt::format(" graph {} {} {}", fmt::join(knobs::block_inputs(g), ","),
                        fmt::join(g.kernel, ","), edges_text(g));
  if (!text.empty()) t.fingerprint_ += " graphs " + hash_bytes(text).hex();
  PpoResult& r = t.result_;
  r.table = hash;
  for (const knobs::Knob& k : t.space().knobs) r.knobs.push_back(k.name);
  r.seed = options.seed;
  r.max_steps = options.max_steps;
  r.states = options.states;
  r.sizes = options.sizes;
  t.best_ = t.trainer_->policy();
  t.best_encoder_ = t.trainer_->encoder();
  r.encoder_weights = options.graphs.empty() ? 0 : knobs::GraphEncoder::weights();
  for (const auto& [network, weights] :
       {std::pair{t.best_, &r.policy_weights}, {t.trainer_->value(), &r.value_weights}})
    for (const knobs::Layer& layer : network.layers())
      *weights += layer.weight.size() + layer.bias.size();
  const auto reward = t.likeliest_reward(t.best());
  if (!reward) return reward.error();
  r.best_reward = *reward;
  if (Status s = t.begin_episode(); !s) return s.error();
  return t;
}

Result<PpoTraining> PpoTraining::resume(knobs::Table table, const std::string& hash,
                                        const PpoOptions& options, std::string_view checkpoint) {
  auto out = begin(std::move(table), hash, options);
  if (!out) return out;
  if (Status s = out->restore(checkpoint); !s) return s.error();
  return out;
}

std::string PpoTraining::checkpoint() const {
  PpoCheckpoint c{fingerprint_,   trainer_->state(),      result_.updates,
                  best_.layers(), best_encoder_.layers(), result_.best_steps,
                  episodes_,      result_.best_reward,    case_,
                  chosen_,        last_rewards_,          measured_};
  return sealed(kPpoCheckpoint, to_bytes(c));
}

Status PpoTraining::restore(std::string_view bytes) {
  const auto content = unsealed(kPpoCheckpoint, bytes);
  if (!content) return content.error();
  PpoCheckpoint c;
  if (!from_bytes(*content, c)) return input_error("the checkpoint is cut off or was changed");
  if (c.fingerprint != fingerprint_)
    return input_error(
        "the checkpoint is of another training: its table, options or version differ");
  auto best = knobs::TanhNetwork::make(std::move(c.best));
  if (!best) return best.error();
  if (!c.encoder.empty()) {
    auto encoder = knobs::GraphEncoder::make(std::move(c.encoder));
    if (!encoder) return encoder.error();
    best_encoder_ = std::move(*encoder);
  }
  if (Status s = trainer_->restore(c.trainer); !s) return s;
  best_ = std::move(*best);
  result_.updates = std::move(c.updates);
  result_.best_steps = c.best_steps;
  result_.best_reward = c.best_reward;
  measured_ = std::move(c.measured);
  last_rewards_ = std::move(c.last_rewards);
  // The running episode is played again.
  episodes_ = c.episodes;
  case_ = c.number;
  chosen_.clear();
  episode_reward_ = 0;
  auto seen = environment_->reset(options_.seed, case_);
  if (!seen) return seen.error();
  seen_ = std::move(*seen);
  for (knobs::Choice& choice : c.chosen) {
    auto step = environment_->step(choice);
    if (!step) return step.error();
    seen_ = std::move(step->observation);
    episode_reward_ += step->reward;
    chosen_.push_back(std::move(choice));
  }
  return Ok{};
}

void PpoTraining::met(size_t configuration) {
  auto& list = measured_[case_];
  const auto c = static_cast<uint32_t>(configuration);
  if (std::find(list.begin(), list.end(), c) == list.end()) list.push_back(c);
}

Status PpoTraining::begin_episode() {
  Draws draws = ppo_draws(options_.seed, 1, episodes_++);
  case_ = cases_[draws.below(cases_.size())];
  chosen_.clear();
  episode_reward_ = 0;
  auto seen = environment_->reset(options_.seed, case_);
  if (!seen) return seen.error();
  seen_ = std::move(*seen);
  met(space().index_of(*knobs::baseline_of(space(), {})));
  return Ok{};
}

// One rollout; episodes go on from one to the next.
Status PpoTraining::play(PpoSamples& samples, PpoUpdate& record) {
  const knobs::TanhNetwork policy = trainer_->policy(), value = trainer_->value();
  std::vector<std::vector<float>> embeddings;
  for (const knobs::ControlGraph& g : options_.graphs)
    embeddings.push_back(trainer_->encoder().encode(g));
  Draws draws = ppo_draws(options_.seed, 2, result_.updates.size());
  std::vector<float> rewards, values;
  std::vector<bool> ended;
  double sum = 0;
  for (uint32_t i = 0; i < options_.rollout; ++i) {
    double log = 0;
    const std::vector<float> input = knobs::with_embedding(seen_, embeddings);
    knobs::Choice choice = drawn_choice(
        space(), knobs::log_probabilities(space(), policy.evaluate(input)), draws, log);
    samples.observations.insert(samples.observations.end(), seen_.begin(), seen_.end());
    if (!embeddings.empty())
      samples.kernels.push_back(
          static_cast<uint32_t>(std::find(seen_.begin(), seen_.end(), 1.0F) - seen_.begin()));
    samples.choices.insert(samples.choices.end(), choice.begin(), choice.end());
    samples.old_log.push_back(static_cast<float>(log));
    values.push_back(value.evaluate(input)[0]);
    auto step = environment_->step(choice);
    if (!step) return step.error();
    met(space().index_of(choice));
    sum += step->reward;
    episode_reward_ += step->reward;
    chosen_.push_back(std::move(choice));
    seen_ = std::move(step->observation);
    rewards.push_back(static_cast<float>(step->reward));
    ended.push_back(step->truncated);
    if (!step->truncated) continue;
    // The episode is cut off, not over: what would follow is worth what the value network says.
    rewards.back() += static_cast<float>(
        options_.gamma * double{value.evaluate(knobs::with_embedding(seen_, embeddings))[0]});
    last_rewards_.push_back(episode_reward_);
    if (last_rewards_.size() > kRememberedEpisodes) last_rewards_.erase(last_rewards_.begin());
    if (Status s = begin_episode(); !s) return s;
  }
  values.push_back(value.evaluate(knobs::with_embedding(seen_, embeddings))[0]);
  samples.advantages = step_advantages(rewards, values, ended, options_.gamma, options_.lambda);
  std::vector<float> errors;
  for (size_t i = 0; i < samples.advantages.size(); ++i) {
    samples.returns.push_back(samples.advantages[i] + values[i]);
    errors.push_back(samples.advantages[i]);  // return less value
  }
  const double spread = variance_of(samples.returns);
  record.explained_variance = spread == 0 ? 0 : 1 - variance_of(errors) / spread;
  record.reward = sum / options_.rollout;
  for (const double r : last_rewards_)
    record.episode_reward += r / static_cast<double>(last_rewards_.size());
  return Ok{};
}

Status PpoTraining::update(double time) {
  PpoUpdate record;
  PpoSamples samples;
  if (Status s = play(samples, record); !s) return s;
  Draws draws = ppo_draws(options_.seed, 3, result_.updates.size());
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  double steps = 0;
  for (uint32_t pass = 0; pass < options_.passes; ++pass) {
    for (size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[draws.below(n)]);
    for (size_t first = 0; first < order.size(); first += options_.minibatch, ++steps) {
      const size_t count = std::min<size_t>(options_.minibatch, order.size() - first);
      const PpoLosses l =
          trainer_->improve(samples, std::span(order).subspan(first, count), options_.loss);
      record.policy_loss += l.policy;
      record.value_loss += l.value;
      record.entropy += l.entropy;
      record.kl += l.kl;
      record.clipped += l.clipped;
    }
  }
  for (double* mean :
       {&record.policy_loss, &record.value_loss, &record.entropy, &record.kl, &record.clipped})
    *mean /= steps;
  record.steps = (result_.updates.size() + 1) * uint64_t{options_.rollout};
  record.time = time;
  for (const auto& list : measured_) record.measured += list.size();
  const auto reward =
      likeliest_reward(policy_of(trainer_->policy(), trainer_->encoder(), record.steps, 0));
  if (!reward) return reward.error();
  record.likeliest_reward = *reward;
  improved_ = *reward > result_.best_reward;
  if (improved_) {
    best_ = trainer_->policy();
    best_encoder_ = trainer_->encoder();
    result_.best_reward = *reward;
    result_.best_steps = record.steps;
  }
  result_.updates.push_back(record);
  return Ok{};
}

Result<double> PpoTraining::likeliest_reward(const knobs::TrainedPolicy& policy) const {
  const knobs::PolicyLogits logits(policy);
  auto environment = knobs::Environment::make(*readings_, environment_options());
  if (!environment) return environment.error();
  double sum = 0;
  for (const size_t c : cases_) {
    auto seen = environment->reset(1, c);
    if (!seen) return seen.error();
    for (bool ended = false; !ended;) {
      auto step = environment->step(knobs::likeliest_choice(space(), logits(*seen)));
      if (!step) return step.error();
      sum += step->reward;
      *seen = std::move(step->observation);
      ended = step->truncated;
    }
  }
  return sum / static_cast<double>(cases_.size() * options_.max_steps);
}

knobs::TrainedPolicy PpoTraining::policy_of(knobs::TanhNetwork network, knobs::GraphEncoder encoder,
                                            uint64_t steps, double reward) const {
  knobs::TrainedPolicy out;
  out.kernels = readings_->table().kernels();
  out.knobs = space().knobs;
  out.states = options_.states;
  out.sizes = options_.sizes;
  out.network = std::move(network);
  out.encoder = std::move(encoder);
  out.graphs = options_.graphs;
  out.origin = {options_.tool, result_.table, options_.seed, steps, reward, {}};
  for (const size_t c : cases_) out.origin.trained_on.push_back(readings_->cases()[c]);
  return out;
}

knobs::TrainedPolicy PpoTraining::best() const {
  return policy_of(best_, best_encoder_, result_.best_steps, result_.best_reward);
}

knobs::TrainedPolicy PpoTraining::latest() const {
  if (result_.updates.empty()) return best();
  const PpoUpdate& last = result_.updates.back();
  return policy_of(trainer_->policy(), trainer_->encoder(), last.steps, last.likeliest_reward);
}

std::vector<knobs::SeededOrder> PpoTraining::measured() const {
  std::vector<knobs::SeededOrder> out;
  for (const size_t c : cases_)
    out.push_back({readings_->cases()[c], options_.seed,
                   std::vector<size_t>(measured_[c].begin(), measured_[c].end())});
  return out;
}

Result<PpoResult> PpoTraining::result() const {
  PpoResult out = result_;
  out.steps = out.updates.empty() ? 0 : out.updates.back().steps;
  const knobs::Table& table = readings_->table();
  auto environment = knobs::Environment::make(*readings_, environment_options());
  if (!environment) return environment.error();
  const knobs::PolicyLogits logits(best());
  for (size_t c = 0; c < table.cases().size(); ++c) {
    const auto seen = environment->reset(1, c);
    if (!seen) return seen.error();
    const knobs::Choice choice = knobs::likeliest_choice(space(), logits(*seen));
    const knobs::SweepRow* row = table.row(c, space().index_of(choice));
    PpoCase r;
    r.kernel = table.cases()[c].kernel;
    r.matrix_size = table.cases()[c].matrix_size;
    r.held_out = std::find(cases_.begin(), cases_.end(), c) == cases_.end();
    r.settings = space().settings_of(choice);
    r.ms = row != nullptr && row->ok() ? row->mean_ms : 0;
    r.default_ms = environment->baseline_ms();
    r.least_ms = table.row(c, table.best(c))->mean_ms;
    r.measured = measured_[c].size();
    out.cases.push_back(std::move(r));
  }
  return out;
}

}  // namespace pitot::learn
