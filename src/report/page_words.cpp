#include "report/page_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitot::report::page {

std::string figure(double v, int digits) {
  if (!std::isfinite(v)) return kNothing;
  const double size = std::fabs(v);
  if (std::floor(v) == v && size < 1e15) return fmt::format("{:.0f}", v);
  if (size >= std::pow(10, digits - 1) && size < 1e15) return fmt::format("{:.0f}", v);
  return fmt::format("{:.{}g}", v, digits);
}

std::string fixed(double v, int decimals) {
  return std::isfinite(v) ? fmt::format("{:.{}f}", v, decimals) : kNothing;
}

std::string percent(double share, int decimals) {
  return std::isfinite(share) ? fmt::format("{:.{}f} %", 100 * share, decimals) : kNothing;
}

std::string signed_percent(double share, int decimals) {
  if (!std::isfinite(share)) return kNothing;
  // No "-0.00".
  const double unit = std::pow(10, -decimals);
  const double shown = std::fabs(100 * share) < unit / 2 ? 0 : 100 * share;
  return fmt::format("{}{:.{}f} %", shown > 0 ? "+" : "", shown, decimals);
}

int decimals_for(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values)
    if (std::isfinite(v)) most = std::max(most, std::fabs(v));
  return most >= 1000 ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : most >= 1 ? 3 : 4;
}

Cell text_cell(std::string text, std::string note) {
  Cell c;
  c.text = std::move(text);
  c.note = std::move(note);
  return c;
}

Cell badge(std::string text, Tone tone) {
  Cell c = text_cell(std::move(text));
  c.tone = tone;
  c.badge = !c.text.empty();
  return c;
}

Cell number_cell(double v, std::string text) {
  Cell c = text_cell(std::isfinite(v) ? std::move(text) : kNothing);
  c.key = v;
  return c;
}

Cell fixed_cell(double v, int decimals) { return number_cell(v, fixed(v, decimals)); }
Cell count_cell(double v) { return number_cell(v, figure(v)); }
Cell percent_cell(double share, int decimals) {
  return number_cell(share, percent(share, decimals));
}

Cell change_cell(double share) {
  Cell c = number_cell(share, signed_percent(share));
  c.tone = share < 0 ? Tone::kGood : share > 0 ? Tone::kBad : Tone::kPlain;
  return c;
}

Cell interval_cell(double v, double low, double high, const NumberWords& words) {
  Cell c = number_cell(v, words(v));
  if (!std::isfinite(low) || !std::isfinite(high)) return c;
  const auto bare = [&](double end) {
    const std::string text = words(end);
    return text.substr(0, text.find(' '));
  };
  c.note = fmt::format("{} … {}", bare(low), bare(high));
  return c;
}

Column text_column(std::string name, std::string help) {
  return {std::move(name), Column::Kind::kText, std::move(help)};
}
Column code_column(std::string name, std::string help) {
  return {std::move(name), Column::Kind::kCode, std::move(help)};
}
Column number_column(std::string name, std::string help) {
  return {std::move(name), Column::Kind::kNumber, std::move(help)};
}

}  // namespace pitot::report::page
