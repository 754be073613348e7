// CSV of measurements and comparisons; the columns never change their order.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "report/measure_report.h"
#include "report/measure_words.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using measure::CompareRecord;
using measure::MeasureRecord;
using measure::Telemetry;

// As many digits as tell the number apart from its neighbours; nothing for what is not known.
std::string csv_value(double v) { return std::isnan(v) ? "" : fmt::format("{}", v); }
template <class T>
std::string csv_value(const std::optional<T>& v) {
  return v ? fmt::format("{}", *v) : "";
}

std::string matrix_size(const std::string& size) {
  std::map<std::string, std::string> values;
  for (size_t at = 0; at < size.size();) {
    const size_t end = std::min(size.find(' ', at), size.size()), is = size.find('=', at);
    if (is < end) values[size.substr(at, is - at)] = size.substr(is + 1, end - is - 1);
    at = end + 1;
  }
  if (values.empty()) return "";
  if (const auto n = values.find("n"); n != values.end()) return n->second;
  for (const auto& [name, value] : values)
    if (value != values.begin()->second) return "";
  return values.begin()->second;
}

struct MeasureColumn {
  const char* name;
  std::string (*text)(const MeasureRecord&);
};

std::string thread_count(const MeasureRecord& r) {
  return fmt::format("{}", uint64_t{r.block[0]} * r.block[1] * r.block[2]);
}

std::string throttle_list(const Telemetry& t) {
  return csv_field(fmt::format("{}", fmt::join(t.throttle_reasons, "; ")));
}

// Times are empty where there are none.
template <double MeasureRecord::*kMember>
std::string column_time(const MeasureRecord& r) {
  return r.samples.empty() ? "" : csv_value(r.*kMember);
}
template <double measure::Estimate::*kMember>
std::string column_median(const MeasureRecord& r) {
  return r.samples.empty() ? "" : csv_value(r.median.*kMember);
}
template <auto kMember>
std::string column_plain(const MeasureRecord& r) {
  return fmt::format("{}", r.*kMember);
}
template <std::string MeasureRecord::*kMember>
std::string column_text(const MeasureRecord& r) {
  return csv_field(r.*kMember);
}
template <auto kMember>
std::string column_optional(const MeasureRecord& r) {
  return csv_value(r.*kMember);
}
template <Telemetry MeasureRecord::*kWhen, std::optional<double> Telemetry::*kMember>
std::string column_state(const MeasureRecord& r) {
  return csv_value(r.*kWhen.*kMember);
}

constexpr MeasureColumn kMeasureColumns[] = {
    // Of published tuning sweeps, in their order.
    {"kernel", column_text<&MeasureRecord::kernel>},
    {"matrix_size", [](const MeasureRecord& r) { return csv_field(matrix_size(r.size_text)); }},
    {"block_size", thread_count},
    {"threads_per_block", thread_count},
    {"reg_cap", column_plain<&MeasureRecord::register_cap>},
    {"est_regs", column_optional<&MeasureRecord::estimated_registers>},
    {"actual_regs", column_plain<&MeasureRecord::registers>},
    {"theor_occ", column_optional<&MeasureRecord::occupancy>},
    {"time_ms_mean", column_time<&MeasureRecord::mean>},
    {"time_ms_std", column_time<&MeasureRecord::deviation>},
    {"time_ms_min", column_time<&MeasureRecord::least>},
    {"time_ms_max", column_time<&MeasureRecord::most>},
    {"achieved_occ", column_optional<&MeasureRecord::achieved_occupancy>},
    // The rest.
    {"time_ms_median", column_median<&measure::Estimate::value>},
    {"ci95_lo_ms", column_median<&measure::Estimate::lo>},
    {"ci95_hi_ms", column_median<&measure::Estimate::hi>},
    {"samples", [](const MeasureRecord& r) { return fmt::format("{}", r.samples.size()); }},
    {"batch", column_plain<&MeasureRecord::batch>},
    {"outliers", column_plain<&MeasureRecord::outliers>},
    {"stable", column_plain<&MeasureRecord::stable>},
    {"narrow", column_plain<&MeasureRecord::narrow>},
    {"warmup_ms", column_plain<&MeasureRecord::warmup_ms>},
    {"cycles", column_optional<&MeasureRecord::cycles>},
    {"traffic_bytes", column_optional<&MeasureRecord::traffic_bytes>},
    {"ok", column_plain<&MeasureRecord::ok>},
    {"reason", column_text<&MeasureRecord::reason>},
    {"spec", column_text<&MeasureRecord::spec>},
    {"ptx", column_text<&MeasureRecord::ptx>},
    {"size", column_text<&MeasureRecord::size_text>},
    {"size_kind", column_text<&MeasureRecord::size_kind>},
    {"grid", [](const MeasureRecord& r) { return grid_text(r.grid); }},
    {"block", [](const MeasureRecord& r) { return grid_text(r.block); }},
    {"dynamic_shared", column_plain<&MeasureRecord::dynamic_shared>},
    {"static_shared", column_plain<&MeasureRecord::static_shared>},
    {"local_bytes", column_plain<&MeasureRecord::local_bytes>},
    {"constant_bytes", column_plain<&MeasureRecord::constant_bytes>},
    {"cache",
     [](const MeasureRecord& r) {
       return std::string(r.cache == measure::CacheState::kCold ? "cold" : "warm");
     }},
    {"protocol", column_text<&MeasureRecord::protocol>},
    {"seed", column_plain<&MeasureRecord::seed>},
    {"device", column_text<&MeasureRecord::device>},
    {"gpu", column_text<&MeasureRecord::gpu>},
    {"capability", column_plain<&MeasureRecord::capability>},
    {"driver", column_text<&MeasureRecord::driver>},
    {"tool", column_text<&MeasureRecord::tool>},
    {"target", column_text<&MeasureRecord::target>},
    {"producer", column_text<&MeasureRecord::producer>},
    {"started", column_text<&MeasureRecord::started>},
    {"ptx_hash", column_text<&MeasureRecord::ptx_hash>},
    {"spec_hash", column_text<&MeasureRecord::spec_hash>},
    {"sm_clock_mhz_before", column_state<&MeasureRecord::before, &Telemetry::sm_clock_mhz>},
    {"sm_clock_mhz_after", column_state<&MeasureRecord::after, &Telemetry::sm_clock_mhz>},
    {"memory_clock_mhz_before", column_state<&MeasureRecord::before, &Telemetry::memory_clock_mhz>},
    {"memory_clock_mhz_after", column_state<&MeasureRecord::after, &Telemetry::memory_clock_mhz>},
    {"temperature_c_before", column_state<&MeasureRecord::before, &Telemetry::temperature_c>},
    {"temperature_c_after", column_state<&MeasureRecord::after, &Telemetry::temperature_c>},
    {"power_w_before", column_state<&MeasureRecord::before, &Telemetry::power_w>},
    {"power_w_after", column_state<&MeasureRecord::after, &Telemetry::power_w>},
    {"throttle_reasons_before", [](const MeasureRecord& r) { return throttle_list(r.before); }},
    {"throttle_reasons_after", [](const MeasureRecord& r) { return throttle_list(r.after); }},
};

}  // namespace

std::string measure_csv(const std::vector<MeasureRecord>& records) {
  std::string out;
  for (const MeasureColumn& c : kMeasureColumns)
    out += (out.empty() ? "" : ",") + std::string(c.name);
  out += "\n";
  for (const MeasureRecord& r : records) {
    std::string row;
    for (const MeasureColumn& c : kMeasureColumns) {
      if (&c != kMeasureColumns) row += ",";
      row += c.text(r);
    }
    out += row + "\n";
  }
  return out;
}

std::string compare_csv(const std::vector<CompareRecord>& records) {
  std::string out =
      "kernel_a,kernel_b,ptx_a,ptx_b,size_a,size_b,verdict,delta,ci95_lo,ci95_hi,noise_band,mde,"
      "rounds,placements,median_ms_a,median_ms_b,regs_a,regs_b,cache,gpu,device,driver,protocol,"
      "seed,started,ptx_hash_a,ptx_hash_b,spec_hash_a,spec_hash_b,reason\n";
  for (const CompareRecord& c : records) {
    const double none = std::nan("");
    const bool fault = c.verdict == measure::Verdict::kFault;
    auto figure = [&](double v) { return csv_value(fault ? none : v); };
    std::vector<std::string> row;
    auto put = [&](std::string v) { row.push_back(std::move(v)); };
    for (const std::string& s :
         {c.a.kernel, c.b.kernel, c.a.ptx, c.b.ptx, c.a.size_text, c.b.size_text})
      put(csv_field(s));
    put(verdict_name(c.verdict));
    for (const double v :
         {c.change.value, c.change.lo, c.change.hi, c.noise_band, c.least_detectable})
      put(figure(v));
    put(fmt::format("{}", c.rounds));
    put(fmt::format("{}", c.placements));
    put(column_median<&measure::Estimate::value>(c.a));
    put(column_median<&measure::Estimate::value>(c.b));
    put(fmt::format("{}", c.a.registers));
    put(fmt::format("{}", c.b.registers));
    put(c.a.cache == measure::CacheState::kCold ? "cold" : "warm");
    for (const std::string& s : {c.a.gpu, c.a.device, c.a.driver, c.a.protocol}) put(csv_field(s));
    put(fmt::format("{}", c.a.seed));
    for (const std::string& s :
         {c.a.started, c.a.ptx_hash, c.b.ptx_hash, c.a.spec_hash, c.b.spec_hash, c.reason})
      put(csv_field(s));
    out += fmt::format("{}\n", fmt::join(row, ","));
  }
  return out;
}

}  // namespace pitot::report
