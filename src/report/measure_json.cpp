// JSON of measurements and comparisons.
#include "report/json.h"
#include "report/measure_report.h"
#include "report/measure_words.h"

namespace pitot::report {
namespace {

using measure::CompareRecord;
using measure::Estimate;
using measure::MeasureRecord;
using measure::Telemetry;

template <class T>
Json or_null(const std::optional<T>& v) {
  return v ? Json(*v) : Json(nullptr);
}

// What is not finite becomes null.
Json interval_json(const Estimate& e) { return Json::array({e.lo, e.hi}); }

Json telemetry_json(const Telemetry& t) {
  return Json{{"sm_clock_mhz", or_null(t.sm_clock_mhz)},
              {"memory_clock_mhz", or_null(t.memory_clock_mhz)},
              {"temperature_c", or_null(t.temperature_c)},
              {"power_w", or_null(t.power_w)},
              {"utilisation_percent", or_null(t.utilisation_percent)},
              {"memory_utilisation_percent", or_null(t.memory_utilisation_percent)},
              {"memory_used_bytes", or_null(t.memory_used_bytes)},
              {"throttle_reasons", t.throttle_reasons}};
}

Json measurement_json(const MeasureRecord& r) {
  Json j{{"kernel", r.kernel},
         {"device", r.device},
         {"clock", "measured"},
         {"ok", r.ok},
         {"reason", r.ok ? Json(nullptr) : Json(r.reason)}};
  const bool timed = r.ok || !r.samples.empty();
  j["unit"] = "ms";
  j["median"] = timed ? Json(r.median.value) : Json(nullptr);
  j["ci95"] = timed ? interval_json(r.median) : Json(nullptr);
  j["samples"] = r.samples.size();
  j["batch"] = r.batch;
  j["mean"] = timed ? Json(r.mean) : Json(nullptr);
  j["std"] = timed ? Json(r.deviation) : Json(nullptr);
  j["min"] = timed ? Json(r.least) : Json(nullptr);
  j["max"] = timed ? Json(r.most) : Json(nullptr);
  j["outliers"] = r.outliers;
  j["stable"] = r.stable;
  j["narrow"] = r.narrow;
  j["warmup_ms"] = r.warmup_ms;
  j["cycles"] = or_null(r.cycles);
  j["traffic_bytes"] = or_null(r.traffic_bytes);
  j["regs"] = r.registers;
  j["estimated_regs"] = or_null(r.estimated_registers);
  j["reg_cap"] = r.register_cap;
  j["local_bytes"] = r.local_bytes;
  j["static_shared"] = r.static_shared;
  j["dynamic_shared"] = r.dynamic_shared;
  j["constant_bytes"] = r.constant_bytes;
  j["occupancy"] = or_null(r.occupancy);
  j["achieved_occupancy"] = or_null(r.achieved_occupancy);
  j["spec"] = r.spec;
  j["ptx"] = r.ptx;
  j["size"] = r.size_text;
  j["size_kind"] = r.size_kind;
  j["grid"] = r.grid;
  j["block"] = r.block;
  j["cache"] = r.cache == measure::CacheState::kCold ? "cold" : "warm";
  j["protocol"] = r.protocol;
  j["seed"] = r.seed;
  j["gpu"] = r.gpu;
  j["capability"] = r.capability;
  j["driver"] = r.driver;
  j["tool"] = r.tool;
  j["target"] = r.target;
  j["producer"] = r.producer;
  j["started"] = r.started;
  j["ptx_hash"] = r.ptx_hash;
  j["spec_hash"] = r.spec_hash;
  j["before"] = telemetry_json(r.before);
  j["after"] = telemetry_json(r.after);
  return j;
}

Json comparison_json(const CompareRecord& c) {
  const bool fault = c.verdict == measure::Verdict::kFault;
  Json j{{"delta", fault ? Json(nullptr) : Json(c.change.value)},
         {"ci95", fault ? Json(nullptr) : interval_json(c.change)},
         {"noise_band", fault ? Json(nullptr) : Json(c.noise_band)},
         {"mde", fault ? Json(nullptr) : Json(c.least_detectable)},
         {"verdict", verdict_name(c.verdict)},
         {"reason", c.reason.empty() ? Json(nullptr) : Json(c.reason)},
         {"rounds", c.rounds},
         {"placements", c.placements}};
  j["a"] = measurement_json(c.a);
  j["b"] = measurement_json(c.b);
  return j;
}

// fault, slower, faster, same
int gravity(measure::Verdict v) {
  return v == measure::Verdict::kFault    ? 3
         : v == measure::Verdict::kSlower ? 2
         : v == measure::Verdict::kFaster ? 1
                                          : 0;
}

void add_problems(const std::vector<VerifiedFile>& files, const std::vector<std::string>& errors,
                  Json& out) {
  out["diagnostics"] = diagnostics_json(files);
  out["errors"] = errors;
}

}  // namespace

std::string measure_json(const std::vector<MeasureRecord>& records,
                         const std::vector<VerifiedFile>& files,
                         const std::vector<std::string>& errors) {
  Json runs = Json::array();
  for (const MeasureRecord& r : records) runs.push_back(measurement_json(r));
  Json out{{"schema", "pitot.measure/1"}, {"runs", std::move(runs)}};
  add_problems(files, errors, out);
  return dump(out);
}

std::string measure_jsonl(const std::vector<MeasureRecord>& records) {
  std::string out;
  for (const MeasureRecord& r : records) {
    Json j{{"schema", "pitot.measure/1"}};
    j.update(measurement_json(r));
    j["times"] = r.samples;
    out += j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

std::string compare_json(const std::vector<CompareRecord>& records,
                         const std::vector<VerifiedFile>& files,
                         const std::vector<std::string>& errors) {
  Json out{{"schema", "pitot.compare/1"}};
  if (records.size() == 1) {
    out.update(comparison_json(records.front()));
    add_problems(files, errors, out);
    return dump(out);
  }
  measure::Verdict gravest = measure::Verdict::kSame;
  Json pairs = Json::array();
  for (const CompareRecord& c : records) {
    if (gravity(c.verdict) > gravity(gravest)) gravest = c.verdict;
    pairs.push_back(comparison_json(c));
  }
  out["verdict"] = verdict_name(gravest);
  out["pairs"] = std::move(pairs);
  add_problems(files, errors, out);
  return dump(out);
}

}  // namespace pitot::report
