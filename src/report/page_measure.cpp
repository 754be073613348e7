// The sections of `pitot measure` (JSON and JSON lines, which have every sample) and `compare`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page_histogram.h"
#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

constexpr double kMicroseconds = 1e3;  // of a millisecond

struct MeasuredRun {
  std::string name;                                           // kernel and size
  double median = kUnknown, low = kUnknown, high = kUnknown;  // µs
};

MeasuredRun measured(const Node& r) {
  MeasuredRun out;
  out.name = r.text("kernel");
  const std::string size = r.text("size");
  if (!size.empty()) out.name += ", " + size;
  out.median = r.number("median") * kMicroseconds;
  const std::vector<Node> ends = r.list("ci95");
  if (ends.size() == 2) {
    out.low = ends[0].number() * kMicroseconds;
    out.high = ends[1].number() * kMicroseconds;
  }
  return out;
}

void add_runs(const std::vector<Node>& runs, Section& out) {
  std::vector<double> medians;
  std::vector<MeasuredRun> all;
  for (const Node& r : runs) {
    all.push_back(measured(r));
    medians.push_back(all.back().median);
  }
  const int decimals = decimals_for(medians);
  const auto words = [decimals](double us) { return fixed(us, decimals); };
  Table table;
  table.title = "Runs";
  table.note = "Microseconds a launch; the median with its 95 % interval.";
  table.columns = {
      code_column("kernel"),     text_column("size"),        text_column("device"),
      number_column("median"),   number_column("mean"),      number_column("deviation"),
      number_column("least"),    number_column("most"),      number_column("samples"),
      number_column("outliers"), number_column("registers"), number_column("occupancy"),
      number_column("SM MHz"),   text_column("cache"),       text_column("state")};
  for (size_t i = 0; i < runs.size(); ++i) {
    const Node& r = runs[i];
    const auto time = [&](const char* key) {
      const double us = r.number(key) * kMicroseconds;
      return number_cell(us, words(us));
    };
    Cell state = badge("steady", Tone::kGood);
    if (!r.flag("ok"))
      state = badge("failed", Tone::kBad), state.note = r.text("reason");
    else if (!r.flag("stable") || !r.flag("narrow"))
      state = badge(r.flag("stable") ? "wide" : "unsteady", Tone::kWarning);
    Row row;
    row.cells = {text_cell(r.text("kernel")),
                 text_cell(r.text("size"), r.text("size_kind")),
                 text_cell(r.text("gpu"), r.text("gpu").empty() ? r.text("device") : ""),
                 interval_cell(all[i].median, all[i].low, all[i].high, words),
                 time("mean"),
                 time("std"),
                 time("min"),
                 time("max"),
                 count_cell(r.number("samples")),
                 count_cell(r.number("outliers")),
                 count_cell(r.number("regs")),
                 percent_cell(r.number("occupancy"), 0),
                 count_cell(r["after"].number("sm_clock_mhz")),
                 text_cell(r.text("cache")),
                 std::move(state)};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

void add_medians(const std::vector<Node>& runs, Section& out) {
  if (runs.size() < 2) return;
  Chart dots;
  dots.kind = Chart::Kind::kDots;
  dots.title = "Medians and their 95 % intervals";
  dots.sideways = true;
  dots.x = "µs";
  Series s;
  s.name = "median";
  for (const Node& r : runs) {
    const MeasuredRun run = measured(r);
    dots.labels.push_back(run.name);
    s.values.push_back(run.median);
    s.low.push_back(run.low);
    s.high.push_back(run.high);
  }
  dots.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(dots));
}

void add_samples(const std::vector<Node>& runs, Section& out) {
  for (const Node& r : runs) {
    const MeasuredRun run = measured(r);
    std::vector<double> times;
    for (const Node& t : r.list("times")) times.push_back(t.number() * kMicroseconds);
    if (times.empty()) continue;
    Chart chart = histogram({{"samples", std::move(times)}});
    chart.title = "Samples of " + run.name;
    chart.x = "µs a launch";
    chart.y = "samples";
    chart.middle = run.median;
    chart.low = run.low;
    chart.high = run.high;
    out.blocks.emplace_back(std::move(chart));
  }
}

Tone tone_of_speed(const std::string& verdict) {
  return verdict == "faster"   ? Tone::kGood
         : verdict == "same"   ? Tone::kNote
         : verdict == "slower" ? Tone::kBad
                               : Tone::kBad;
}

}  // namespace

void read_measure(const Node& root, Section& out) {
  const std::vector<Node> runs = root.need("runs").list();
  const auto failed =
      std::count_if(runs.begin(), runs.end(), [](const Node& r) { return !r.flag("ok"); });
  Facts facts;
  facts.add("runs", figure(static_cast<double>(runs.size())));
  if (failed > 0) facts.add("failed", figure(static_cast<double>(failed)));
  if (!runs.empty()) {
    facts.add("GPU", runs[0].text("gpu"));
    facts.add("driver", runs[0].text("driver"));
    facts.add("protocol", runs[0].text("protocol"));
    facts.add("started", runs[0].shown("started", " "));
  }
  out.blocks.emplace_back(std::move(facts));
  add_runs(runs, out);
  add_medians(runs, out);
  add_samples(runs, out);
}

void read_compare(const Node& root, Section& out) {
  out.verdict = root.need("verdict").text();
  out.tone = tone_of_speed(out.verdict);
  std::vector<Node> pairs = root.list("pairs");
  if (!root.has("pairs")) pairs.push_back(root);
  Table table;
  table.title = "Comparisons";
  table.note = "Change of the time from a to b; below 0 is faster. Times in microseconds.";
  table.columns = {text_column("verdict"),
                   code_column("a"),
                   code_column("b"),
                   number_column("change"),
                   number_column("a, µs"),
                   number_column("b, µs"),
                   number_column("noise", "differences of a with itself"),
                   number_column("least seen", "the least change that could have been seen"),
                   number_column("rounds"),
                   text_column("reason")};
  Chart dots;
  dots.kind = Chart::Kind::kDots;
  dots.title = "Change of the time from a to b with its 95 % interval";
  dots.sideways = true;
  dots.scale = Chart::Scale::kPercent;
  dots.reference = 0;
  Series s;
  s.name = "change";
  std::vector<double> medians;
  for (const Node& p : pairs)
    for (const char* side : {"a", "b"}) medians.push_back(measured(p[side]).median);
  const int decimals = decimals_for(medians);
  for (const Node& p : pairs) {
    const MeasuredRun a = measured(p["a"]), b = measured(p["b"]);
    const std::string verdict = p.text("verdict");
    double low = kUnknown, high = kUnknown;
    if (const auto ends = p.list("ci95"); ends.size() == 2)
      low = ends[0].number(), high = ends[1].number();
    const double change = p.number("delta");
    const auto side = [](const Node& n, const MeasuredRun& run) {
      return text_cell(run.name, n.text("ptx"));
    };
    const auto words = [decimals](double us) { return fixed(us, decimals); };
    Row row;
    row.cells = {badge(verdict, tone_of_speed(verdict)),
                 side(p["a"], a),
                 side(p["b"], b),
                 interval_cell(change, low, high, [](double v) { return signed_percent(v); }),
                 interval_cell(a.median, a.low, a.high, words),
                 interval_cell(b.median, b.low, b.high, words),
                 percent_cell(p.number("noise_band"), 2),
                 percent_cell(p.number("mde"), 2),
                 count_cell(p.number("rounds")),
                 text_cell(p.text("reason"))};
    table.rows.push_back(std::move(row));
    dots.labels.push_back(a.name == b.name ? a.name : a.name + " → " + b.name);
    s.values.push_back(change);
    s.low.push_back(low);
    s.high.push_back(high);
  }
  dots.series.push_back(std::move(s));
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(dots));
}

}  // namespace pitot::report::page
