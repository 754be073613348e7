#include "report/predict_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using predict::PredictedKernel;
using predict::PredictionSource;
using predict::PredictResult;
using predict::RankResult;

Json known_or_null(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

bool has_interval(const PredictedKernel& k) { return k.lo > 0 && std::isfinite(k.hi); }

Json source_json(const char* schema, const PredictionSource& s) {
  return Json{
      {"schema", schema},      {"model", s.model},
      {"recipe", s.recipe},    {"target", s.target},
      {"unit", s.unit},        {"coverage", s.coverage > 0 ? Json(s.coverage) : Json(nullptr)},
      {"warnings", s.warnings}};
}

// The keys that both verbs have, after the path.
void add_facts(Json& j, const PredictedKernel& k) {
  j["size"] = k.size;
  j["target"] = k.target;
  j["compiler"] = k.compiler;
  j["gpu"] = k.gpu;
  j["analytic_us"] = known_or_null(k.analytic_us);
  j["emulated"] = k.emulated;
  j["nearest_family"] = k.nearest.empty() ? Json(nullptr) : Json(k.nearest);
  j["distance"] = k.nearest.empty() ? Json(nullptr) : known_or_null(k.distance);
  j["launchable"] = k.launchable.empty() ? Json(nullptr) : Json(k.launchable);
  j["launch_problem"] = k.launch_problem.empty() ? Json(nullptr) : Json(k.launch_problem);
  j["notes"] = k.notes;
}

Json interval_json(const PredictedKernel& k) {
  if (!has_interval(k)) return Json{nullptr, nullptr};
  return Json{k.lo, k.hi};
}

std::string value_text(const PredictedKernel& k, const std::string& unit) {
  if (std::isnan(k.value)) return "nothing can be said";
  std::string out = fmt::format("{:.4g} {}", k.value, unit);
  if (has_interval(k)) out += fmt::format(" ({:.4g} … {:.4g})", k.lo, k.hi);
  return out;
}

std::string flags_text(const PredictedKernel& k) {
  std::string out;
  if (k.launchable == "no") out += "  cannot launch: " + k.launch_problem;
  if (k.launchable == "unsure") out += "  may not launch: " + k.launch_problem;
  if (k.ood) out += "  unlike what the model learned from";
  if (k.uncertain.value_or(false)) out += "  uncertain";
  return out;
}

std::string head_text(const PredictionSource& s, const TextStyle& style) {
  std::string out = s.recipe == "untrained" ? "untrained: the analytic score, without intervals\n"
                                            : fmt::format("model {} ({}), intervals of {:g} %\n",
                                                          s.model, s.recipe, 100 * s.coverage);
  for (const std::string& w : s.warnings) out += ink(style, Ink::kWarning, "warning: ") + w + "\n";
  return out;
}

std::string csv_of(const std::vector<PredictedKernel>& kernels) {
  std::string out =
      "path,kernel,size,target,gpu,value,lo,hi,score,analytic_us,ood,uncertain,launchable\n";
  const auto number = [](double v) { return std::isfinite(v) ? fmt::format("{}", v) : ""; };
  for (const PredictedKernel& k : kernels)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(k.path),
                       csv_field(k.kernel), csv_field(k.size), k.target, csv_field(k.gpu),
                       number(k.value), has_interval(k) ? number(k.lo) : "",
                       has_interval(k) ? number(k.hi) : "", number(k.score), number(k.analytic_us),
                       k.ood ? 1 : 0, k.uncertain ? (*k.uncertain ? "1" : "0") : "", k.launchable);
  return out;
}

}  // namespace

std::string predict_text(const PredictResult& r, const TextStyle& style) {
  std::string out = head_text(r.source, style);
  for (const PredictedKernel& k : r.kernels) {
    out += fmt::format("{}{}: {}{}\n", k.path, k.size.empty() ? "" : " (" + k.size + ")",
                       value_text(k, r.source.unit), flags_text(k));
    for (const std::string& note : k.notes) out += "  note: " + note + "\n";
  }
  return out;
}

std::string predict_json(const PredictResult& r) {
  Json j = source_json("pitot.predict/1", r.source);
  j["kernels"] = Json::array();
  for (const PredictedKernel& k : r.kernels) {
    Json one{{"path", k.path},
             {"kernel", k.kernel},
             {"value", known_or_null(k.value)},
             {"interval", interval_json(k)},
             {"ood", r.source.recipe == "untrained" ? Json(nullptr) : Json(k.ood)}};
    add_facts(one, k);
    j["kernels"].push_back(std::move(one));
  }
  j["errors"] = r.errors;
  return dump(j);
}

std::string predict_csv(const PredictResult& r) { return csv_of(r.kernels); }

std::string rank_text(const RankResult& r, const TextStyle& style) {
  std::string out = head_text(r.source, style);
  for (size_t i = 0; i < r.order.size(); ++i) {
    const PredictedKernel& k = r.order[i];
    out += fmt::format("{:>4}  {:<40} {}{}\n", i + 1, k.path, value_text(k, r.source.unit),
                       flags_text(k));
    if (i + 1 == r.top && i + 1 < r.order.size())
      out += ink(style, Ink::kFaint, "      ── measure those above ──") + "\n";
  }
  return out;
}

std::string rank_json(const RankResult& r) {
  Json j = source_json("pitot.rank/1", r.source);
  j["top"] = r.top;
  j["order"] = Json::array();
  for (const PredictedKernel& k : r.order) {
    Json one{{"kernel", k.path},
             {"entry", k.kernel},
             {"score", known_or_null(k.score)},
             {"value", known_or_null(k.value)},
             {"interval", interval_json(k)},
             {"ood", r.source.recipe == "untrained" ? Json(nullptr) : Json(k.ood)},
             {"uncertain", k.uncertain ? Json(*k.uncertain) : Json(nullptr)}};
    add_facts(one, k);
    j["order"].push_back(std::move(one));
  }
  j["measure"] = r.measure;
  j["errors"] = r.errors;
  return dump(j);
}

std::string rank_csv(const RankResult& r) { return csv_of(r.order); }

}  // namespace pitot::report
