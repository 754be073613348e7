#include "report/learn_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using environment::EvaluationResult;
using environment::MethodResult;
using environment::OutcomeSummary;
using learn::EpochRecord;

Json summary_json(const OutcomeSummary& s) {
  if (s.kernels == 0) return nullptr;
  return Json{
      {"kernels", s.kernels},
      {"mean_change", s.mean_change},
      {"best_change", s.best_change},
      {"best_kernel", s.best_kernel},
      {"worst_change", s.worst_change},
      {"mean_gain", s.mean_gain},
      {"ratio_to_oracle", s.with_oracle > 0 ? Json(s.ratio) : Json(nullptr)},
      {"kernels_with_oracle_gain", s.with_oracle},
      {"improved", s.improved},
      {"worse", s.worse},
      {"mean_measured", s.mean_measured},
      {"distinct_sequences", s.distinct_sequences > 0 ? Json(s.distinct_sequences) : Json()},
      {"sequence_entropy", s.distinct_sequences > 0 ? Json(s.entropy) : Json()}};
}

Json training_object(const learn::TrainingResult& r) {
  Json kernels = Json::array();
  for (const auto& k : r.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"held_out", k.held_out},
                       {"sequence", k.sequence},
                       {"reward", k.reward},
                       {"oracle", k.oracle},
                       {"failed", k.failed}});
  Json last = nullptr;
  if (!r.epochs.empty()) {
    const EpochRecord& e = r.epochs.back();
    last = {{"phase", e.phase},   {"epoch", e.epoch},     {"loss", e.loss},
            {"reward", e.reward}, {"entropy", e.entropy}, {"likeliest_reward", e.likeliest_reward},
            {"kl", e.kl}};
  }
  return Json{
      {"kind", r.kind},
      {"weights", r.weights},
      {"seed", r.seed},
      {"cost", r.cost},
      {"table", r.table},
      {"epochs", r.epochs.size()},
      {"imitated_steps", r.imitated_steps},
      {"best_cloning_accuracy", r.best_accuracy},
      {"best", {{"phase", r.best_phase}, {"epoch", r.best_epoch}, {"reward", r.best_reward}}},
      {"last", std::move(last)},
      {"kernels", std::move(kernels)}};
}

std::string budget_text(const MethodResult& m) {
  return m.whole ? "all" : fmt::format("{}", m.budget);
}

std::string summary_line(const MethodResult& m, const OutcomeSummary& s) {
  return fmt::format("  {:<8} {:>6} {:>9.2f} % {:>9.2f} % {:>8} {:>9} {:>6} {:>10} {:>8}\n",
                     m.method, budget_text(m), 100 * s.mean_change, 100 * s.best_change,
                     s.with_oracle > 0 ? fmt::format("{:.3f}", s.ratio) : "–", s.improved, s.worse,
                     s.distinct_sequences > 0 ? fmt::format("{}", s.distinct_sequences) : "–",
                     s.distinct_sequences > 0 ? fmt::format("{:.2f}", s.entropy) : "–");
}

}  // namespace

std::string table_text(const environment::TableResult& r, const TextStyle& style) {
  std::string out =
      fmt::format("{}  {} kernels, {} actions, {} steps  {}\n", ink(style, Ink::kBold, r.path),
                  r.kernels.size(), r.kind, r.max_steps, r.cost);
  out += fmt::format("  {:<24} {:>9} {:>7} {:>7} {:>7} {:>11} {:>12} {:>10}\n", "kernel",
                     "programs", "failed", "images", "levels", "unmeasured", "original", "best");
  for (const auto& k : r.kernels)
    out += fmt::format("  {:<24} {:>9} {:>7} {:>7} {:>7} {:>11} {:>12.6g} {:>8.2f} %\n", k.name,
                       k.programs, k.failed, k.images > 0 ? fmt::format("{}", k.images) : "–",
                       k.levels, k.unmeasured, k.original, 100 * (k.best / k.original - 1));
  return out;
}

std::string table_json(const environment::TableResult& r) {
  Json kernels = Json::array();
  for (const auto& k : r.kernels)
    kernels.push_back({{"kernel", k.name},
                       {"programs", k.programs},
                       {"failed", k.failed},
                       {"images", k.images},
                       {"levels", k.levels},
                       {"unmeasured", k.unmeasured},
                       {"original", k.original},
                       {"best", k.best}});
  return dump(Json{{"schema", "pitot.learn-table/1"},
                   {"table", r.path},
                   {"hash", r.hash},
                   {"cost", r.cost},
                   {"kind", r.kind},
                   {"max_steps", r.max_steps},
                   {"kernels", std::move(kernels)}});
}

std::string training_text(const learn::TrainingResult& r, const TextStyle& style) {
  std::string out;
  size_t learned = 0;
  double reward[2] = {0, 0}, oracle[2] = {0, 0};
  for (const auto& k : r.kernels) {
    learned += !k.held_out;
    reward[k.held_out] += k.reward;
    oracle[k.held_out] += k.oracle;
  }
  const size_t apart = r.kernels.size() - learned;
  out += fmt::format("{} policy of {} weights, seed {}, {}\n", ink(style, Ink::kBold, r.kind),
                     r.weights, r.seed, r.cost);
  if (r.best_accuracy > 0)
    out += fmt::format("  cloning: {} steps of the greedy search, {:.1f} % imitated at best\n",
                       r.imitated_steps, 100 * r.best_accuracy);
  out += fmt::format("  best: {} epoch {}\n", r.best_phase, r.best_epoch);
  auto line = [&](const char* what, size_t kernels, size_t side) {
    if (kernels == 0) return;
    const double n = static_cast<double>(kernels);
    out += fmt::format("  {} {} kernels: mean reward {:.4f} of the oracle's {:.4f}\n", kernels,
                       what, reward[side] / n, oracle[side] / n);
  };
  line("training", learned, 0);
  line("held-out", apart, 1);
  return out;
}

std::string training_json(const learn::TrainingResult& r) {
  Json out{{"schema", "pitot.learn-training/1"}};
  out.update(training_object(r));
  return dump(out);
}

std::string folds_json(const std::vector<learn::TrainingResult>& folds) {
  Json out = Json::array();
  for (const learn::TrainingResult& r : folds) out.push_back(training_object(r));
  return dump(Json{{"schema", "pitot.learn-folds/1"}, {"folds", std::move(out)}});
}

std::string cloning_csv(const std::vector<EpochRecord>& epochs) {
  std::string out = "epoch,loss,accuracy,likeliest_reward\n";
  for (const EpochRecord& e : epochs)
    if (e.phase == "clone")
      out += fmt::format("{},{},{},{}\n", e.epoch, e.loss, e.accuracy, e.likeliest_reward);
  return out;
}

std::string grpo_csv(const std::vector<EpochRecord>& epochs) {
  std::string out =
      "epoch,temperature,loss,reward,likeliest_reward,entropy,entropy_weight,kl,clipped\n";
  for (const EpochRecord& e : epochs)
    if (e.phase == "grpo")
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", e.epoch, e.temperature, e.loss, e.reward,
                         e.likeliest_reward, e.entropy, e.entropy_weight, e.kl, e.clipped);
  return out;
}

std::string trained_kernels_csv(const learn::TrainingResult& r) {
  std::string out = "kernel,held_out,sequence,reward,oracle,failed\n";
  for (const auto& k : r.kernels)
    out += fmt::format("{},{},{},{},{},{}\n", csv_field(k.kernel), int{k.held_out},
                       csv_field(fmt::format("{}", fmt::join(k.sequence, " "))), k.reward, k.oracle,
                       int{k.failed});
  return out;
}

std::string evaluation_text(const EvaluationResult& r, const TextStyle& style) {
  std::string out = fmt::format("{}  {} kernels, {} programs, {} actions, {} steps  {}\n",
                                ink(style, Ink::kBold, r.table), r.kernels, r.programs, r.kind,
                                r.max_steps, r.cost);
  if (!r.policies.empty() && !r.same_data)
    out += ink(style, Ink::kWarning, "  the policy was learned from another table\n");
  for (int group = 0; group < 3; ++group) {
    auto of = [&](const MethodResult& m) -> const OutcomeSummary& {
      return group == 0 ? m.all : group == 1 ? m.seen : m.held_out;
    };
    if (r.methods.empty() || of(r.methods[0]).kernels == 0) continue;
    // One of the groups may be all there is.
    if (group != 0 && of(r.methods[0]).kernels == r.kernels) continue;
    constexpr const char* kNames[] = {"all", "training", "held-out"};
    out += fmt::format("{} kernels: {}\n", of(r.methods[0]).kernels, kNames[group]);
    out +=
        fmt::format("  {:<8} {:>6} {:>11} {:>11} {:>8} {:>9} {:>6} {:>10} {:>8}\n", "method",
                    "budget", "mean", "best", "ratio", "improved", "worse", "sequences", "entropy");
    for (const MethodResult& m : r.methods) out += summary_line(m, of(m));
  }
  return out;
}

std::string evaluation_json(const EvaluationResult& r) {
  Json methods = Json::array();
  for (const MethodResult& m : r.methods) {
    Json kernels = Json::array();
    for (const auto& k : m.kernels)
      kernels.push_back({{"kernel", k.kernel},
                         {"held_out", k.held_out},
                         {"sequence", m.method == "random" ? Json(nullptr) : Json(k.sequence)},
                         {"gain", k.gain},
                         {"change", k.change},
                         {"measured", k.measured},
                         {"failed", k.failed}});
    methods.push_back({{"method", m.method},
                       {"budget", m.whole ? Json(nullptr) : Json(m.budget)},
                       {"all", summary_json(m.all)},
                       {"training", summary_json(m.seen)},
                       {"held_out", summary_json(m.held_out)},
                       {"kernels", std::move(kernels)}});
  }
  return dump(Json{{"schema", "pitot.learn-eval/1"},
                   {"table", r.table},
                   {"table_hash", r.table_hash},
                   {"cost", r.cost},
                   {"policies", r.policies},
                   {"same_data", r.same_data},
                   {"kind", r.kind},
                   {"max_steps", r.max_steps},
                   {"seed", r.seed},
                   {"random_runs", r.random_runs},
                   {"kernels", r.kernels},
                   {"programs", r.programs},
                   {"failed", r.failed},
                   {"unmeasured", r.unmeasured},
                   {"methods", std::move(methods)}});
}

std::string evaluation_csv(const EvaluationResult& r) {
  std::string out = "kernel,held_out,method,budget,measured,gain,change,ratio,sequence,failed\n";
  for (const MethodResult& m : r.methods)
    for (size_t k = 0; k < m.kernels.size(); ++k) {
      const auto& o = m.kernels[k];
      const double oracle = r.methods[0].kernels[k].gain;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(o.kernel), int{o.held_out},
                         m.method, budget_text(m), o.measured, o.gain, o.change,
                         oracle >= 0.01 ? fmt::format("{}", o.gain / oracle) : "",
                         csv_field(fmt::format("{}", fmt::join(o.sequence, " "))), int{o.failed});
    }
  return out;
}

}  // namespace pitot::report
