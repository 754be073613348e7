// Words for the reports of measurements.
#include "report/measure_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/measure_report.h"

namespace pitot::report {
namespace {

// "1980 MHz", "1980 to 1755 MHz"; empty when neither is known.
std::string before_and_after(const std::optional<double>& before,
                             const std::optional<double>& after, const char* unit) {
  if (!before && !after) return "";
  const double first = before ? *before : *after, last = after ? *after : *before;
  if (std::round(first) == std::round(last)) return fmt::format("{:.0f} {}", last, unit);
  return fmt::format("{:.0f} to {:.0f} {}", first, last, unit);
}

}  // namespace

std::string grid_text(const std::array<uint32_t, 3>& d) {
  if (d[2] != 1) return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
  return d[1] != 1 ? fmt::format("{}x{}", d[0], d[1]) : fmt::format("{}", d[0]);
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.4g} KiB", bytes / 1024);
  return fmt::format("{:.4g} MiB", bytes / 1024 / 1024);
}

std::string machine_line(const measure::MeasureRecord& r) {
  std::string s = fmt::format("  {} ({}{})", r.gpu.empty() ? "unknown GPU" : r.gpu, r.device,
                              r.driver.empty() ? "" : ", driver " + r.driver);
  std::string state;
  auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) state += fmt::format("{}{}{}", state.empty() ? ": " : ", ", what, value);
  };
  add("SM ", before_and_after(r.before.sm_clock_mhz, r.after.sm_clock_mhz, "MHz"));
  add("memory ", before_and_after(r.before.memory_clock_mhz, r.after.memory_clock_mhz, "MHz"));
  add("", before_and_after(r.before.temperature_c, r.after.temperature_c, "°C"));
  add("", before_and_after(r.before.power_w, r.after.power_w, "W"));
  return s + state + "\n";
}

std::string throttle_text(const measure::MeasureRecord& r) {
  std::vector<std::string> reasons;
  for (const auto* state : {&r.before, &r.after})
    for (const std::string& reason : state->throttle_reasons)
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
        reasons.push_back(reason);
  return fmt::format("{}", fmt::join(reasons, ", "));
}

const char* verdict_name(measure::Verdict v) {
  switch (v) {
    case measure::Verdict::kFaster:
      return "faster";
    case measure::Verdict::kSlower:
      return "slower";
    case measure::Verdict::kSame:
      return "same";
    case measure::Verdict::kFault:
      break;
  }
  return "fault";
}

std::string time_with_unit(double ms, double half_width) {
  struct Unit {
    double per_ms;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e-3, "s"}, {1, "ms"}, {1e3, "µs"}, {1e6, "ns"}};
  const Unit* unit = kUnits;
  while (unit != kUnits + 3 && std::fabs(ms) * unit->per_ms < 0.9995) ++unit;
  if (ms == 0) unit = kUnits + 1;
  if (!std::isfinite(ms)) return ms > 0 ? "∞" : ms < 0 ? "-∞" : "unknown";
  const double value = ms * unit->per_ms, half = std::fabs(half_width) * unit->per_ms;
  int decimals = 3 - static_cast<int>(std::floor(std::log10(std::max(std::fabs(value), 1e-9))));
  if (std::isfinite(half) && half > 0)
    decimals = 1 - static_cast<int>(std::floor(std::log10(half)));
  return fmt::format("{:.{}f} {}", value, std::clamp(decimals, 0, 6), unit->name);
}

}  // namespace pitot::report
