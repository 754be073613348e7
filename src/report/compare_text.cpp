// A comparison for a terminal: the verdict, and the interval drawn against the noise band.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/measure_report.h"
#include "report/measure_words.h"

namespace pitot::report {
namespace {

using measure::CompareRecord;
using measure::MeasureRecord;

// A share in percent with two digits of the uncertainty: "2.13".
std::string percent_digits(double share, double half_width) {
  const double half = 100 * std::fabs(half_width);
  const int decimals =
      std::isfinite(half) && half > 0 ? 1 - static_cast<int>(std::floor(std::log10(half))) : 4;
  return fmt::format("{:.{}f}", 100 * share, std::clamp(decimals, 0, 4));
}

std::string signed_percent(double share, double half_width) {
  if (std::isinf(share)) return share > 0 ? "+∞" : "-∞";
  return (share >= 0 ? "+" : "") + percent_digits(share, half_width) + " %";
}

double half_width_of(const CompareRecord& c) { return (c.change.hi - c.change.lo) / 2; }

std::string verdict_sentence(const CompareRecord& c, const TextStyle& style) {
  const double half = half_width_of(c);
  switch (c.verdict) {
    case measure::Verdict::kFaster:
      return ink(style, Ink::kGood, "faster:") +
             fmt::format(" B takes {} % less time than A, {} to {} % (95 %)",
                         percent_digits(-c.change.value, half), percent_digits(-c.change.hi, half),
                         percent_digits(-c.change.lo, half));
    case measure::Verdict::kSlower:
      return ink(style, Ink::kError, "slower:") +
             fmt::format(" B takes {} % more time than A, {} to {} % (95 %)",
                         percent_digits(c.change.value, half), percent_digits(c.change.lo, half),
                         percent_digits(c.change.hi, half));
    case measure::Verdict::kSame:
      return ink(style, Ink::kBold, "same:") +
             (std::isfinite(c.least_detectable)
                  ? fmt::format(" a change under {:.2g} % could not have been seen",
                                100 * c.least_detectable)
                  : std::string(" no change could have been seen: too few placements"));
    case measure::Verdict::kFault:
      break;
  }
  return ink(style, Ink::kError, "fault:") + " " +
         (c.reason.empty() ? "no reason given" : c.reason);
}

// −2.5 % [      ░░░░░|░░░░░     ├──●──┤ ] +2.5 %
std::string interval_bar(const CompareRecord& c) {
  constexpr int kHalf = 28;  // cells to each side of the middle
  const double reach =
      1.15 * std::max({std::fabs(c.change.lo), std::fabs(c.change.hi), std::fabs(c.noise_band)});
  if (!std::isfinite(reach) || reach <= 0) return "";
  auto cell = [&](double share) { return static_cast<int>(std::lround(share / reach * kHalf)); };
  const int band = cell(c.noise_band), lo = cell(c.change.lo), hi = cell(c.change.hi),
            at = cell(c.change.value);
  std::string bar;
  for (int i = -kHalf; i <= kHalf; ++i) {
    if (i == at)
      bar += "●";
    else if (i == lo)
      bar += "├";
    else if (i == hi)
      bar += "┤";
    else if (i > lo && i < hi)
      bar += "─";
    else if (i == 0)
      bar += "|";
    else
      bar += std::abs(i) <= band ? "░" : " ";
  }
  return fmt::format("  {:.2g} % [{}] +{:.2g} %\n", -100 * reach, bar, 100 * reach);
}

std::string side_line(const char* name, const MeasureRecord& r) {
  if (r.samples.empty() && !(r.median.value > 0))
    return fmt::format("  {}  {}  {} of {}\n", name, r.kernel, r.size_text, r.ptx);
  const double half = (r.median.hi - r.median.lo) / 2;
  std::string s = fmt::format("  {}  {}  {}  {} of {}", name, time_with_unit(r.median.value, half),
                              r.kernel, r.size_text, r.ptx);
  s += fmt::format("; {} registers", r.registers);
  if (r.local_bytes > 0) s += fmt::format(", {} local", bytes_text(r.local_bytes));
  if (r.occupancy) s += fmt::format(", occupancy {:.0f} %", 100 * *r.occupancy);
  return s + "\n";
}

}  // namespace

std::string compare_text(const CompareRecord& c, const TextStyle& style) {
  std::string out = verdict_sentence(c, style) + "\n";
  const bool fault = c.verdict == measure::Verdict::kFault;
  if (!fault) {
    const double half = half_width_of(c);
    out += interval_bar(c);
    if (c.verdict == measure::Verdict::kSame)
      out += fmt::format("  time of B against A {}, {} to {} (95 %)\n",
                         signed_percent(c.change.value, half), signed_percent(c.change.lo, half),
                         signed_percent(c.change.hi, half));
    out += std::isfinite(c.noise_band)
               ? fmt::format(
                     "  noise band ± {:.2g} %: A against itself stays within it; least "
                     "change that is found {:.2g} %\n",
                     100 * c.noise_band, 100 * c.least_detectable)
               : std::string();
    out += fmt::format("  {} rounds of A and B in random order, the modules loaded {}\n", c.rounds,
                       c.placements == 1 ? "once" : fmt::format("{} times", c.placements));
  }
  out += side_line("A", c.a) + side_line("B", c.b);
  if (!c.b.gpu.empty()) out += machine_line(c.b);
  std::string reasons = throttle_text(c.a);
  if (reasons.empty()) reasons = throttle_text(c.b);
  if (!reasons.empty())
    out += "  " + ink(style, Ink::kWarning, "note:") + " the GPU was throttled: " + reasons + "\n";
  return out;
}

}  // namespace pitot::report
