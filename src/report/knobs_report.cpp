#include "report/knobs_report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "report/json.h"

namespace pitot::report {
namespace {

std::string settings_text(const knobs::SweepResult& sweep, const knobs::SweepRow& r) {
  std::string out;
  for (size_t k = 0; k < sweep.knobs.size(); ++k)
    out += fmt::format("{}{}={}", k > 0 ? " " : "", sweep.knobs[k], r.settings[k]);
  return out;
}

struct CaseSummary {
  size_t rows = 0, ran = 0;
  const knobs::SweepRow *fastest = nullptr, *slowest = nullptr;
};

}  // namespace

std::string sweep_text(const knobs::SweepResult& sweep, const TextStyle&) {
  std::vector<std::pair<std::string, int64_t>> order;
  std::map<std::pair<std::string, int64_t>, CaseSummary> cases;
  for (const knobs::SweepRow& r : sweep.rows) {
    const auto key = std::pair(r.kernel, r.matrix_size);
    const auto [at, fresh] = cases.try_emplace(key);
    if (fresh) order.push_back(key);
    CaseSummary& c = at->second;
    ++c.rows;
    if (!r.ok()) continue;
    ++c.ran;
    if (c.fastest == nullptr || r.mean_ms < c.fastest->mean_ms) c.fastest = &r;
    if (c.slowest == nullptr || r.mean_ms > c.slowest->mean_ms) c.slowest = &r;
  }
  std::string out = fmt::format("{:<12} {:>6} {:>10} {:>12} {:>12}  {}\n", "kernel", "size", "ran",
                                "fastest us", "slowest us", "fastest configuration");
  for (const auto& key : order) {
    const CaseSummary& c = cases[key];
    out += fmt::format("{:<12} {:>6} {:>10}", key.first, key.second,
                       fmt::format("{}/{}", c.ran, c.rows));
    if (c.fastest != nullptr)
      out += fmt::format(" {:>12.2f} {:>12.2f}  {}", c.fastest->mean_ms * 1e3,
                         c.slowest->mean_ms * 1e3, settings_text(sweep, *c.fastest));
    out += "\n";
  }
  return out;
}

std::string sweep_provenance_json(const knobs::SweepResult& sweep,
                                  const knobs::SweepProvenance& p) {
  Json templates = Json::array();
  for (const auto& t : p.templates)
    templates.push_back({{"family", t.family},
                         {"source", t.source},
                         {"source_hash", t.source_hash},
                         {"compiler", t.compiler}});
  Json failures = Json::array();
  for (const knobs::SweepRow& r : sweep.rows) {
    if (r.ok()) continue;
    Json j{{"kernel", r.kernel}, {"matrix_size", r.matrix_size}};
    for (size_t k = 0; k < sweep.knobs.size(); ++k) j[sweep.knobs[k]] = r.settings[k];
    j["reason"] = r.failure;
    failures.push_back(std::move(j));
  }
  return dump(Json{{"schema", "pitot.knobs-sweep/1"},
                   {"source", p.source},
                   {"device", p.device},
                   {"gpu", p.gpu},
                   {"driver", p.driver},
                   {"protocol", p.protocol},
                   {"seed", p.seed},
                   {"started", p.started},
                   {"tool", p.tool},
                   {"knobs", sweep.knobs},
                   {"templates", std::move(templates)},
                   {"counters", p.counters},
                   {"rows", sweep.rows.size()},
                   {"failures", std::move(failures)}});
}

std::string rank_provenance_json(const knobs::RankProvenance& p) {
  return dump(Json{{"schema", "pitot.knobs-rank/1"},
                   {"sweep", p.sweep},
                   {"sweep_hash", p.sweep_hash},
                   {"features", p.features},
                   {"features_hash", p.features_hash},
                   {"model", p.model},
                   {"recipe", p.recipe},
                   {"model_data_hash", p.model_data_hash},
                   {"data_hash", p.data_hash},
                   {"families", p.families},
                   {"distinct", p.distinct},
                   {"measured", p.measured},
                   {"draws", p.draws},
                   {"seed", p.seed},
                   {"xgboost", p.xgboost},
                   {"tool", p.tool}});
}

std::string comparison_text(const knobs::ComparisonResult& result, const TextStyle&) {
  std::string out =
      fmt::format("{:>6}  {:<12} {:>9} {:>19} {:>8}  {:<22} {:>24}\n", "budget", "method",
                  "regret %", "interval", "speedup", "worst case", "against random, points");
  for (const knobs::ComparisonSummary& s : result.summaries) {
    out += fmt::format("{:>6}  {:<12} ", s.budget, s.method);
    if (std::isnan(s.regret)) {
      out += fmt::format("nothing ran in {} searches\n", s.without);
      continue;
    }
    out += fmt::format(
        "{:>9.2f} {:>19} {:>8.3f}  {:<22}", 100 * s.regret,
        fmt::format("{:.2f} to {:.2f}", 100 * s.regret_interval[0], 100 * s.regret_interval[1]),
        s.speedup, fmt::format("{} {:+.1f} %", s.worst_case, 100 * s.worst_regret));
    if (!std::isnan(s.against_random))
      out += fmt::format(" {:>+8.2f} ({:+.2f} to {:+.2f})", 100 * s.against_random,
                         100 * s.against_random_interval[0], 100 * s.against_random_interval[1]);
    if (s.without > 0) out += fmt::format("  ({} found nothing that runs)", s.without);
    out += "\n";
  }
  return out;
}

std::string comparison_json(const knobs::ComparisonResult& result) {
  Json list = Json::array();
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
  for (const knobs::ComparisonSummary& s : result.summaries)
    list.push_back({{"method", s.method},
                    {"budget", s.budget},
                    {"regret", number(s.regret)},
                    {"regret_interval", s.regret_interval},
                    {"speedup", number(s.speedup)},
                    {"worst_case", s.worst_case},
                    {"worst_regret", s.worst_regret},
                    {"against_random", number(s.against_random)},
                    {"against_random_interval", s.against_random_interval},
                    {"found_nothing", s.without}});
  return dump(Json{{"schema", "pitot.knobs-compare/1"},
                   {"searches", result.rows.size()},
                   {"summaries", std::move(list)}});
}

}  // namespace pitot::report
