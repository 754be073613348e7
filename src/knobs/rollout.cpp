#include "knobs/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/csv.h"

namespace pitot::knobs {
namespace {

std::string norm_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{}", std::clamp(*percent / 100, 0.0, 1.0)) : "";
}

const char* truth(bool b) { return b ? "True" : "False"; }

}  // namespace

Policy random_policy(const Space& space, uint64_t seed) {
  return [&space, draws = measure::RandomDraws(seed)](std::span<const float>) mutable {
    Choice out;
    for (const Knob& k : space.knobs)
      out.push_back(draws.below(static_cast<uint32_t>(k.values.size())));
    return Result<Choice>(std::move(out));
  };
}

Result<Rollout> play(Environment& environment, const std::vector<Case>& cases, uint32_t max_steps,
                     const Policy& policy, const RolloutOptions& options) {
  Rollout out;
  for (const Knob& k : environment.space().knobs) out.knobs.push_back(k.name);
  out.max_steps = max_steps;
  const uint64_t episodes = options.episodes * (options.every_case ? cases.size() : 1);
  for (uint64_t e = 0; e < episodes; ++e) {
    const uint64_t seed = options.seed + e;
    std::optional<size_t> number;
    if (options.every_case) number = e / options.episodes;
    auto observation = environment.reset(seed, number);
    if (!observation) return observation.error();
    for (bool ended = false; !ended;) {
      const auto choice = policy(*observation);
      if (!choice) return choice.error();
      auto made = environment.step(*choice);
      if (!made) return made.error();
      RolloutStep s;
      s.episode = e;
      s.seed = seed;
      s.step = environment.steps() - 1;
      s.at = cases[environment.number()];
      s.settings = environment.space().settings_of(*choice);
      s.baseline_ms = made->baseline_ms;
      s.speedup = made->speedup;
      s.reward = made->reward;
      s.reading = std::move(made->reading);
      out.counters |= s.reading.counters.ok;
      out.states |= s.reading.states.has_value();
      out.steps.push_back(std::move(s));
      *observation = std::move(made->observation);
      ended = made->truncated;
    }
  }
  return out;
}

std::string rollout_csv(const Rollout& rollout) {
  std::string out =
      "episode_id,episode_seed,step,kernel,matrix_size,block_size,reg_cap,time_ms,baseline_ms,"
      "speedup,reward,cupti_ok,cupti_reason";
  for (const char* name : kCounterNames) out += fmt::format(",cupti_{}_norm", name);
  for (const char* name : kStateNames) out += fmt::format(",nvml_{}_norm", name);
  for (size_t k = 2; k < rollout.knobs.size(); ++k) out += "," + csv_field(rollout.knobs[k]);
  out += "\n";
  for (const RolloutStep& s : rollout.steps) {
    const bool ran = s.reading.ok();
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", s.episode, s.seed, s.step,
                       csv_field(s.at.kernel), s.at.matrix_size, s.settings[0], s.settings[1],
                       ran ? fmt::format("{}", s.reading.ms) : "", s.baseline_ms, s.speedup,
                       s.reward, truth(s.reading.counters.ok),
                       csv_field(ran ? s.reading.counters.reason : s.reading.failure));
    for (const auto& percent : s.reading.counters.percent) out += "," + norm_text(percent);
    for (size_t i = 0; i < kStates; ++i)
      out += s.reading.states ? fmt::format(",{}", (*s.reading.states)[i]) : ",";
    for (size_t k = 2; k < s.settings.size(); ++k) out += fmt::format(",{}", s.settings[k]);
    out += "\n";
  }
  return out;
}

std::string episodes_csv(const Rollout& rollout) {
  std::string out =
      "episode_id,episode_seed,kernel,matrix_size,max_steps,use_cupti,use_nvml,baseline_ms,"
      "mean_time_ms,mean_reward,best_speedup,best_reward,steps\n";
  for (size_t first = 0, last = 0; first < rollout.steps.size(); first = last) {
    const RolloutStep& s = rollout.steps[first];
    double time = 0, reward = 0, best_speedup = 0,
           best_reward = -std::numeric_limits<double>::infinity();
    size_t ran = 0;
    for (; last < rollout.steps.size() && rollout.steps[last].episode == s.episode; ++last) {
      const RolloutStep& each = rollout.steps[last];
      if (each.reading.ok()) {
        time += each.reading.ms;
        ++ran;
      }
      reward += each.reward;
      best_speedup = std::max(best_speedup, each.speedup);
      best_reward = std::max(best_reward, each.reward);
    }
    const auto steps = last - first;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.episode, s.seed,
                       csv_field(s.at.kernel), s.at.matrix_size, rollout.max_steps,
                       truth(rollout.counters), truth(rollout.states), s.baseline_ms,
                       ran == 0 ? "" : fmt::format("{}", time / static_cast<double>(ran)),
                       reward / static_cast<double>(steps), best_speedup, best_reward, steps);
  }
  return out;
}

}  // namespace pitot::knobs
