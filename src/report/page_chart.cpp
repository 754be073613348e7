// A chart's data as JSON in an attribute, for the page's script.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escape.h"
#include "report/json.h"
#include "report/page_blocks.h"

namespace pitot::report::page {
namespace {

// Six digits are more than a screen shows.
Json chart_number(double v) {
  if (!std::isfinite(v) || v == 0) return std::isfinite(v) ? Json(0) : Json(nullptr);
  const double unit = std::pow(10, 6 - std::ceil(std::log10(std::fabs(v))));
  const double rounded = std::round(v * unit) / unit;
  return number_json(std::isfinite(rounded) ? rounded : v);
}

Json chart_numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double v : values) out.push_back(chart_number(v));
  return out;
}

const char* kind_name(Chart::Kind kind) {
  switch (kind) {
    case Chart::Kind::kBars:
      return "bars";
    case Chart::Kind::kStack:
      return "stack";
    case Chart::Kind::kLines:
      return "lines";
    case Chart::Kind::kDots:
      return "dots";
    case Chart::Kind::kHistogram:
      return "histogram";
  }
  return "bars";
}

Json chart_json(const Chart& c) {
  Json series = Json::array();
  for (const Series& s : c.series) {
    Json one{{"name", s.name}, {"values", chart_numbers(s.values)}};
    if (!s.low.empty()) one["low"] = chart_numbers(s.low);
    if (!s.high.empty()) one["high"] = chart_numbers(s.high);
    if (s.tone != Tone::kPlain) one["tone"] = tone_name(s.tone);
    series.push_back(std::move(one));
  }
  Json out{{"kind", kind_name(c.kind)}, {"x", c.x}, {"y", c.y}, {"series", std::move(series)}};
  if (!c.labels.empty()) out["labels"] = c.labels;
  if (!c.at.empty()) out["at"] = chart_numbers(c.at);
  if (c.sideways) out["sideways"] = true;
  if (c.scale == Chart::Scale::kPercent) out["scale"] = "percent";
  if (c.scale == Chart::Scale::kRatio) out["scale"] = "ratio";
  for (const auto& [name, v] : {std::pair{"middle", c.middle}, std::pair{"low", c.low},
                                std::pair{"high", c.high}, std::pair{"reference", c.reference}})
    if (std::isfinite(v)) out[name] = chart_number(v);
  return out;
}

bool has_data(const Chart& c) {
  return std::any_of(c.series.begin(), c.series.end(), [](const Series& s) {
    return std::any_of(s.values.begin(), s.values.end(), [](double v) { return std::isfinite(v); });
  });
}

}  // namespace

std::string chart_html(const Chart& c) {
  if (!has_data(c)) return {};
  const std::string data = chart_json(c).dump(-1, ' ', false, Json::error_handler_t::replace);
  // Sideways, each label wants a line of its own.
  const size_t lines = c.labels.size() * (c.kind == Chart::Kind::kBars ? c.series.size() : 1);
  const size_t height = c.sideways ? 76 + 22 * std::max<size_t>(lines, 1) : 250;
  return fmt::format(
      "<figure class=\"chart\" hidden data-chart=\"{}\"><figcaption>{}</figcaption><div "
      "class=\"plot\" style=\"height:{}px\"></div></figure>\n",
      xml_escape(data), xml_escape(c.title), height);
}

}  // namespace pitot::report::page
