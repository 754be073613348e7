#include "report/page_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "report/page_words.h"

namespace pitot::report::page {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0;;) {
    const size_t comma = std::min(line.find(',', at), line.size());
    out.push_back(line.substr(at, comma - at));
    if (comma == line.size()) return out;
    at = comma + 1;
  }
}

std::string_view next_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "nan" and "inf" are numbers too: what a training that went wrong writes. Empty: not known.
std::optional<double> number_of(std::string_view field) {
  if (field.empty()) return kUnknown;
  double v = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), v);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return v;
}

// Which columns share a chart: the same kind of quantity.
constexpr std::pair<std::string_view, std::string_view> kCurveGroups[] = {
    {"reward", "Reward"},
    {"episode_reward", "Reward"},
    {"likeliest_reward", "Reward"},
    {"loss", "Loss"},
    {"policy_loss", "Loss"},
    {"value_loss", "Value loss"},
    {"accuracy", "Accuracy"},
    {"entropy", "Entropy"},
    {"kl", "Divergence and clipping"},
    {"clipped", "Divergence and clipping"},
    {"explained_variance", "Explained variance"},
};

std::string_view curve_group(std::string_view column) {
  for (const auto& [name, group] : kCurveGroups)
    if (name == column) return group;
  return column;
}

}  // namespace

bool is_curve(std::string_view text) {
  const auto names = fields_of(next_line(text));
  return names.size() > 1 && (names[0] == "epoch" || names[0] == "steps");
}

Result<Section> read_curve(const std::string& path, std::string_view text) {
  const auto names = fields_of(next_line(text));
  std::vector<std::vector<double>> columns(names.size());
  for (size_t line = 2; !text.empty(); ++line) {
    const std::string_view row = next_line(text);
    if (row.empty()) continue;
    const auto fields = fields_of(row);
    if (fields.size() != names.size())
      return input_error(fmt::format("{}:{}: {} fields, where the head has {}", path, line,
                                     fields.size(), names.size()));
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto v = number_of(fields[i]);
      if (!v)
        return input_error(fmt::format("{}:{}: column '{}' wants a number, not '{}'", path, line,
                                       names[i], fields[i]));
      columns[i].push_back(*v);
    }
  }
  Section out;
  out.title = "Learning curve";
  out.schema = "CSV";
  out.path = path;
  const size_t rows = columns[0].size();
  Facts facts;
  facts.add(std::string(names[0]) + (names[0] == "epoch" ? "s" : ""),
            rows > 0 ? figure(columns[0].back()) : "none");
  for (size_t i = 1; i < names.size(); ++i)
    if (curve_group(names[i]) == "Reward" && rows > 0) {
      double best = -std::numeric_limits<double>::infinity();
      for (const double v : columns[i])
        if (v > best) best = v;
      facts.add(fmt::format("{}, last (best)", names[i]),
                fmt::format("{} ({})", figure(columns[i].back()), figure(best)));
    }
  out.blocks.emplace_back(std::move(facts));
  std::vector<Chart> charts;
  for (size_t i = 1; i < names.size() && rows > 1; ++i) {
    const std::string group(curve_group(names[i]));
    auto at = std::find_if(charts.begin(), charts.end(),
                           [&](const Chart& c) { return c.title == group; });
    if (at == charts.end()) {
      Chart chart;
      chart.kind = Chart::Kind::kLines;
      chart.title = group;
      chart.x = names[0];
      chart.at = columns[0];
      at = charts.insert(at, std::move(chart));
    }
    Series s;
    s.name = names[i];
    s.values = columns[i];
    at->series.push_back(std::move(s));
  }
  // Rewards first, settings (what has no group) last.
  const auto place = [](const Chart& c) {
    const auto* at = std::find_if(std::begin(kCurveGroups), std::end(kCurveGroups),
                                  [&](const auto& g) { return g.second == c.title; });
    return at - std::begin(kCurveGroups);
  };
  std::stable_sort(charts.begin(), charts.end(),
                   [&](const Chart& a, const Chart& b) { return place(a) < place(b); });
  for (Chart& c : charts) out.blocks.emplace_back(std::move(c));
  Table table;
  table.title = fmt::format("Values ({} rows)", rows);
  table.folded = true;
  for (const std::string_view name : names)
    table.columns.push_back(number_column(std::string(name)));
  for (size_t r = 0; r < rows; ++r) {
    Row row;
    for (const auto& column : columns)
      row.cells.push_back(number_cell(column[r], figure(column[r], 5)));
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
  return out;
}

}  // namespace pitot::report::page
