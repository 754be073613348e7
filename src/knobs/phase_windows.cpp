// See phase_windows.h.
#include "knobs/phase_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/random_draws.h"
#include "support/csv_table.h"

namespace pitot::knobs {
namespace {

struct WindowColumns {
  size_t window = 0;
  std::array<size_t, kPhaseCounters> counters{};
  std::optional<size_t> kernels, label;
};

std::optional<WindowColumns> window_columns(const CsvTable& table, Diagnostics& out) {
  WindowColumns at;
  bool whole = true;
  const auto wanted = [&](const char* name) {
    const auto column = table.column(name);
    if (!column) {
      out.error("phase-column", table.header.empty() ? SourceRange{} : table.header[0].range,
                fmt::format("there is no column '{}'", name));
      whole = false;
    }
    return column.value_or(0);
  };
  at.window = wanted("window");
  for (size_t k = 0; k < kPhaseCounters; ++k) at.counters[k] = wanted(kPhaseCounterNames[k]);
  at.kernels = table.column("kernels");
  at.label = table.column("label");
  return whole ? std::optional(at) : std::nullopt;
}

}  // namespace

std::vector<PhaseWindow> read_phase_windows(const SourceText& source, Diagnostics& out) {
  const CsvTable table = read_csv(source, out);
  std::vector<PhaseWindow> windows;
  if (out.errors() > 0) return windows;
  const auto at = window_columns(table, out);
  if (!at) return windows;
  std::set<std::string> known;
  for (size_t first = 0, last = 0; first < table.rows.size(); first = last) {
    const CsvField& name = table.rows[first][at->window];
    while (last < table.rows.size() && table.rows[last][at->window].text == name.text) ++last;
    if (last - first != kPhaseSteps)
      out.error(
          "phase-steps", name.range,
          fmt::format("window '{}' has {} rows, not {}", name.text, last - first, kPhaseSteps));
    if (!known.insert(name.text).second)
      out.error("phase-again", name.range, fmt::format("window '{}' was above already", name.text));
    PhaseWindow w;
    w.name = name.text;
    if (at->kernels) w.kernels = table.rows[first][*at->kernels].text;
    if (at->label) {
      const CsvField& label = table.rows[first][*at->label];
      for (size_t k = 0; k < kPhases; ++k)
        if (label.text == kPhaseNames[k]) w.label = static_cast<Phase>(k);
      if (!w.label && !label.text.empty())
        out.error("phase-label", label.range, fmt::format("there is no phase '{}'", label.text),
                  fmt::format("{}", fmt::join(kPhaseNames, ", ")));
    }
    for (size_t step = first; step < last; ++step)
      for (size_t k = 0; k < kPhaseCounters; ++k) {
        const CsvField& field = table.rows[step][at->counters[k]];
        const auto percent = csv_number(field.text);
        // Nsight Compute comes over 100 where it counts in several passes.
        if (!percent || !(*percent >= 0 && *percent <= 1000)) {
          out.error("phase-counter", field.range, fmt::format("'{}' is no percentage", field.text));
          continue;
        }
        if (step - first < kPhaseSteps)
          w.seen[(step - first) * kPhaseCounters + k] =
              static_cast<float>(std::min(*percent / 100, 1.0));
      }
    windows.push_back(std::move(w));
  }
  if (windows.empty() && out.errors() == 0) out.error("phase-empty", {}, "there are no windows");
  return windows;
}

Phase published_rule(const PhaseWindow& window) {
  std::array<double, kPhaseCounters> mean{};
  for (size_t i = 0; i < window.seen.size(); ++i)
    mean[i % kPhaseCounters] += window.seen[i] / static_cast<double>(kPhaseSteps);
  const double occupancy = mean[0], dram = mean[2], sm = mean[3];
  if (dram >= 0.6) return Phase::kMemory;
  if (occupancy >= 0.5 && sm >= 0.5 && dram < 0.4) return Phase::kCompute;
  if (occupancy < 0.4 && sm < 0.4 && dram < 0.4) return Phase::kLatency;
  return Phase::kMixed;
}

std::vector<PhaseWindow> synthetic_phase_windows(size_t count, uint64_t seed) {
  // Least and most of a window's level: occupancy, L2, DRAM, SM, issue.
  using Levels = std::array<std::array<double, 2>, kPhaseCounters>;
  static constexpr std::array<Levels, kPhases> kLevels = {{
      {{{0.6, 0.95}, {0.3, 0.95}, {0.05, 0.3}, {0.6, 0.95}, {0.4, 0.9}}},
      {{{0.2, 0.95}, {0.05, 0.7}, {0.68, 0.95}, {0.1, 0.5}, {0.05, 0.4}}},
      {{{0.05, 0.3}, {0.1, 0.9}, {0.02, 0.3}, {0.05, 0.3}, {0.02, 0.2}}},
      {{{0.5, 0.8}, {0.2, 0.8}, {0.45, 0.53}, {0.45, 0.7}, {0.2, 0.6}}},
  }};
  constexpr double kSpread = 0.03;
  constexpr size_t kGroups = 10;  // to be held out like kernels
  measure::RandomDraws draws(seed);
  std::vector<PhaseWindow> out(count);
  for (size_t i = 0; i < count; ++i) {
    PhaseWindow& w = out[i];
    w.name = fmt::format("{}", i);
    w.kernels = fmt::format("drawn{}", i / kPhases % kGroups);
    w.label = static_cast<Phase>(i % kPhases);
    for (size_t k = 0; k < kPhaseCounters; ++k) {
      const auto [lo, hi] = kLevels[i % kPhases][k];
      const double level = lo + (hi - lo) * draws.uniform();
      for (size_t t = 0; t < kPhaseSteps; ++t)
        w.seen[t * kPhaseCounters + k] =
            static_cast<float>(std::clamp(level + kSpread * (2 * draws.uniform() - 1), 0.0, 1.0));
    }
  }
  return out;
}

}  // namespace pitot::knobs
