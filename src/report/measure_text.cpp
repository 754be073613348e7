// A measurement for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/measure_report.h"
#include "report/measure_words.h"

namespace pitot::report {
namespace {

using measure::MeasureRecord;
using measure::Telemetry;

// Bars from the least sample to the greatest; what is left of a long tail is one bar at the end.
std::string sample_histogram(const MeasureRecord& r) {
  constexpr size_t kBars = 32;
  constexpr std::array<const char*, 9> kHeights = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (r.samples.size() < 8 || !(r.most > r.least)) return "";
  std::vector<double> sorted = r.samples;
  std::sort(sorted.begin(), sorted.end());
  // An outlier must not squeeze all others into one bar.
  const double middle = sorted[sorted.size() / 2],
               upper = sorted[sorted.size() - 1 - sorted.size() / 20];
  const double end = std::min(r.most, std::max(upper, middle + 2 * (middle - r.least)));
  if (!(end > r.least)) return "";
  std::array<size_t, kBars> counts{};
  size_t beyond = 0;
  for (const double t : sorted) {
    const double at = (t - r.least) / (end - r.least) * kBars;
    if (t > end)
      ++beyond;
    else
      ++counts[std::min<size_t>(static_cast<size_t>(at), kBars - 1)];
  }
  const size_t tallest = *std::max_element(counts.begin(), counts.end());
  std::string bars;
  for (const size_t n : counts) bars += kHeights[(n * 8 + tallest - 1) / tallest];
  const double grain = (end - r.least) / 20;
  std::string line =
      fmt::format("  {} |{}| {}", time_with_unit(r.least, grain), bars, time_with_unit(end, grain));
  if (beyond > 0) line += fmt::format(", {} more up to {}", beyond, time_with_unit(r.most, grain));
  return line + "\n";
}

std::string launch_line(const MeasureRecord& r) {
  std::string s = fmt::format("  {} blocks of {} threads", grid_text(r.grid), grid_text(r.block));
  if (r.static_shared + r.dynamic_shared > 0) {
    s += fmt::format(", {} shared", bytes_text(r.static_shared + r.dynamic_shared));
    if (r.dynamic_shared > 0) s += fmt::format(" ({} dynamic)", bytes_text(r.dynamic_shared));
  }
  s += fmt::format("; {} registers", r.registers);
  if (r.register_cap != 0) s += fmt::format(" (capped at {})", r.register_cap);
  if (r.local_bytes > 0) s += fmt::format(", {} local a thread", bytes_text(r.local_bytes));
  if (r.occupancy) s += fmt::format("; occupancy {:.0f} %", 100 * *r.occupancy);
  if (r.achieved_occupancy) s += fmt::format(", achieved {:.0f} %", 100 * *r.achieved_occupancy);
  return s + "\n";
}

std::string notes(const MeasureRecord& r, const TextStyle& style) {
  std::string out;
  auto note = [&](const std::string& text) {
    out += "  " + ink(style, Ink::kWarning, "note:") + " " + text + "\n";
  };
  if (!r.stable) note("times had not settled when the warm-up ended");
  if (!r.narrow) note("the interval is wider than was asked for");
  if (const std::string reasons = throttle_text(r); !reasons.empty())
    note("the GPU was throttled: " + reasons);
  return out;
}

}  // namespace

std::string measure_text(const MeasureRecord& r, const TextStyle& style) {
  std::string out = ink(style, Ink::kBold, r.kernel);
  out += fmt::format("  {}{} of {}\n", r.size_text,
                     r.size_kind.empty() ? "" : fmt::format(" ({})", r.size_kind), r.ptx);
  if (!r.ok) {
    out += "  " + ink(style, Ink::kError, "not measured:") + " " +
           (r.reason.empty() ? "no reason given" : r.reason) + "\n";
    return out + machine_line(r);
  }
  const double half = (r.median.hi - r.median.lo) / 2;
  out += fmt::format("  {}  95 % interval {} to {}\n",
                     ink(style, Ink::kBold, time_with_unit(r.median.value, half)),
                     time_with_unit(r.median.lo, half), time_with_unit(r.median.hi, half));
  out += fmt::format("  median of {} samples{}, {} L2; deviation {:.2g} %, {}\n", r.samples.size(),
                     r.batch > 1 ? fmt::format(" of {} launches", r.batch) : std::string(),
                     r.cache == measure::CacheState::kCold ? "cold" : "warm",
                     100 * r.deviation / r.mean,
                     r.outliers == 1 ? "1 outlier" : fmt::format("{} outliers", r.outliers));
  out += sample_histogram(r);
  if (r.traffic_bytes)
    out += fmt::format("  {:.4g} GB/s, were each buffer moved once\n",
                       *r.traffic_bytes / r.median.value / 1e6);
  if (r.cycles) out += fmt::format("  {:.0f} cycles of the slowest SM\n", *r.cycles);
  return out + launch_line(r) + machine_line(r) + notes(r, style);
}

}  // namespace pitot::report
