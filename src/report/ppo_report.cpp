#include "report/ppo_report.h"

#include <fmt/format.h>

#include "report/json.h"

namespace pitot::report {
namespace {

using learn::PpoCase;
using learn::PpoResult;
using learn::PpoUpdate;

std::string settings_of(const PpoResult& r, const PpoCase& c) {
  std::string out;
  for (size_t k = 0; k < r.knobs.size(); ++k)
    out += fmt::format("{}{}={}", k > 0 ? " " : "", r.knobs[k], c.settings[k]);
  return out;
}

struct RegretSummary {
  size_t cases = 0, failed = 0;
  double mean = 0;
  const PpoCase* worst = nullptr;
};

RegretSummary regrets_of(const PpoResult& r, bool held_out) {
  RegretSummary out;
  for (const PpoCase& c : r.cases) {
    if (c.held_out != held_out) continue;
    ++out.cases;
    if (c.ms <= 0) {
      ++out.failed;
      continue;
    }
    out.mean += c.regret();
    if (out.worst == nullptr || c.regret() > out.worst->regret()) out.worst = &c;
  }
  if (out.cases > out.failed) out.mean /= static_cast<double>(out.cases - out.failed);
  return out;
}

Json regrets_json(const RegretSummary& s) {
  if (s.cases == 0) return nullptr;
  Json out{{"cases", s.cases}, {"not_running", s.failed}};
  if (s.worst == nullptr) return out;
  out.update({{"mean_regret", s.mean},
              {"worst_regret", s.worst->regret()},
              {"worst_case", fmt::format("{} {}", s.worst->kernel, s.worst->matrix_size)}});
  return out;
}

}  // namespace

std::string ppo_text(const PpoResult& r, const TextStyle& style) {
  std::string out = fmt::format(
      "{} over {} knobs, {} steps, seed {}: best after {} steps, mean reward {:.4f} a step\n",
      ink(style, Ink::kBold, "PPO"), r.knobs.size(), r.steps, r.seed, r.best_steps, r.best_reward);
  out += fmt::format("{:<12} {:>6} {:>10} {:>10} {:>10} {:>9} {:>9}  {}\n", "kernel", "size",
                     "chosen us", "default us", "least us", "regret", "measured", "choice");
  for (const PpoCase& c : r.cases)
    out += fmt::format("{:<12} {:>6} {:>10} {:>10.2f} {:>10.2f} {:>9} {:>9}  {}{}\n", c.kernel,
                       c.matrix_size, c.ms > 0 ? fmt::format("{:.2f}", c.ms * 1e3) : "no",
                       c.default_ms * 1e3, c.least_ms * 1e3,
                       c.ms > 0 ? fmt::format("{:.2f} %", c.regret() * 100) : "no", c.measured,
                       settings_of(r, c), c.held_out ? " (held out)" : "");
  for (const bool held_out : {false, true}) {
    const RegretSummary s = regrets_of(r, held_out);
    if (s.worst == nullptr) continue;
    out += fmt::format("{}: mean regret {:.2f} %, worst {:.2f} % ({} {})",
                       held_out ? "held out" : "trained on", s.mean * 100, s.worst->regret() * 100,
                       s.worst->kernel, s.worst->matrix_size);
    out += s.failed > 0 ? fmt::format(", {} of {} do not run\n", s.failed, s.cases) : "\n";
  }
  return out;
}

std::string ppo_json(const PpoResult& r) {
  Json cases = Json::array();
  for (const PpoCase& c : r.cases) {
    Json settings;
    for (size_t k = 0; k < r.knobs.size(); ++k) settings[r.knobs[k]] = c.settings[k];
    const bool ran = c.ms > 0;
    cases.push_back({{"kernel", c.kernel},
                     {"matrix_size", c.matrix_size},
                     {"held_out", c.held_out},
                     {"choice", std::move(settings)},
                     {"time_ms", ran ? Json(c.ms) : Json(nullptr)},
                     {"default_ms", c.default_ms},
                     {"least_ms", c.least_ms},
                     {"regret", ran ? Json(c.regret()) : Json(nullptr)},
                     {"speedup", ran ? Json(c.speedup()) : Json(nullptr)},
                     {"measured", c.measured}});
  }
  return dump(Json{{"schema", "pitot.learn-ppo/1"},
                   {"table", r.table},
                   {"seed", r.seed},
                   {"steps", r.steps},
                   {"max_steps", r.max_steps},
                   {"states", r.states},
                   {"sizes", r.sizes},
                   {"policy_weights", r.policy_weights},
                   {"value_weights", r.value_weights},
                   {"encoder_weights", r.encoder_weights},
                   {"best_steps", r.best_steps},
                   {"best_mean_reward", r.best_reward},
                   {"trained_on", regrets_json(regrets_of(r, false))},
                   {"held_out", regrets_json(regrets_of(r, true))},
                   {"cases", std::move(cases)}});
}

std::string ppo_updates_csv(const PpoResult& r) {
  std::string out =
      "steps,reward,episode_reward,likeliest_reward,policy_loss,value_loss,entropy,kl,clipped,"
      "explained_variance,measured\n";
  for (const PpoUpdate& u : r.updates)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", u.steps, u.reward, u.episode_reward,
                       u.likeliest_reward, u.policy_loss, u.value_loss, u.entropy, u.kl, u.clipped,
                       u.explained_variance, u.measured);
  return out;
}

}  // namespace pitot::report
