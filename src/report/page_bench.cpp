// The section of `pitot bench eval` and `bench scores`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/page_histogram.h"
#include "report/page_sections.h"
#include "report/page_words.h"

namespace pitot::report::page {
namespace {

struct BenchInterval {
  double value = kUnknown, low = kUnknown, high = kUnknown;
};

BenchInterval bench_interval(const Node& n) {
  BenchInterval out{n.number("value"), kUnknown, kUnknown};
  const std::vector<Node> ends = n.list("ci95");
  if (ends.size() == 2) {
    out.low = ends[0].number();
    out.high = ends[1].number();
  }
  return out;
}

std::string one_decimal(double share) { return percent(share, 1); }
std::string ratio_words(double v) { return fixed(v, 3); }

Cell share_interval(const BenchInterval& i) {
  return interval_cell(i.value, i.low, i.high, one_decimal);
}
Cell ratio_interval(const BenchInterval& i) {
  return interval_cell(i.value, i.low, i.high, ratio_words);
}

Tone tone_of_verdict(const std::string& verdict) {
  if (verdict == "right") return Tone::kGood;
  if (verdict == "no-compile" || verdict == "contract") return Tone::kSoft;
  if (verdict == "imprecise" || verdict == "undecided") return Tone::kWarning;
  return Tone::kBad;
}

using VerdictCounts = std::map<std::string, double>;

// Right first, then the most frequent over all.
std::vector<std::string> verdicts_in_order(const std::vector<VerdictCounts>& counts) {
  VerdictCounts total;
  for (const VerdictCounts& c : counts)
    for (const auto& [verdict, n] : c) total[verdict] += n;
  std::vector<std::string> out;
  for (const auto& [verdict, n] : total) out.push_back(verdict);
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    if ((a == "right") != (b == "right")) return a == "right";
    return total[a] > total[b];
  });
  return out;
}

Cell verdict_bar(const VerdictCounts& counts) {
  Cell out;
  double all = 0;
  for (const auto& [verdict, n] : counts) all += n;
  if (!(all > 0)) return text_cell(kNothing);
  for (const std::string& verdict : verdicts_in_order({counts})) {
    const double n = counts.at(verdict);
    out.parts.push_back(
        {n / all, fmt::format("{} {}", figure(n), verdict), tone_of_verdict(verdict)});
    out.text += fmt::format("{}{} {}", out.text.empty() ? "" : ", ", figure(n), verdict);
  }
  return out;
}

void add_generators(const std::vector<Node>& generators, Section& out) {
  Table table;
  table.title = "Generators";
  table.note =
      "Means over tasks with 95 % intervals. Speed-up: geometric mean of the tasks' medians, where "
      "what failed counts as 1.";
  table.columns = {code_column("generator"), number_column("samples"), number_column("tasks"),
                   number_column("speed-up")};
  Chart shares;
  shares.kind = Chart::Kind::kBars;
  shares.title = "Share of samples that pass and that are fast, by generator";
  shares.scale = Chart::Scale::kPercent;
  std::vector<std::string> pass, fast;
  const auto add_keys = [](const Node& n, std::vector<std::string>& keys) {
    for (const auto& [key, value] : n.members())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  };
  for (const Node& g : generators) {
    add_keys(g["pass"], pass);
    add_keys(g["fast"], fast);
  }
  for (const std::string& k : pass) {
    table.columns.push_back(number_column("pass@" + k, "one of " + k + " samples is right"));
    shares.labels.push_back("pass@" + k);
  }
  for (const std::string& t : fast) {
    table.columns.push_back(
        number_column("fast_" + t, "right and more than " + t + " times as fast"));
    shares.labels.push_back("fast_" + t);
  }
  table.columns.push_back(number_column("of right ones", "speed-up of right samples alone"));
  for (const Node& g : generators) {
    Row row;
    Series series;
    series.name = g.text("generator");
    row.cells = {text_cell(series.name), count_cell(g.number("samples")),
                 count_cell(g.number("tasks")), ratio_interval(bench_interval(g["speedup"]))};
    const auto add = [&](const Node& n) {
      const BenchInterval i = bench_interval(n);
      row.cells.push_back(share_interval(i));
      series.values.push_back(i.value);
      series.low.push_back(i.low);
      series.high.push_back(i.high);
    };
    for (const std::string& k : pass) add(g["pass"][k]);
    for (const std::string& t : fast) add(g["fast"][t]);
    row.cells.push_back(ratio_interval(bench_interval(g["speedup_of_right"])));
    table.rows.push_back(std::move(row));
    shares.series.push_back(std::move(series));
  }
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(shares));
}

void add_verdicts(const std::vector<Node>& generators, Section& out) {
  std::vector<VerdictCounts> counts;
  std::vector<std::string> names;
  for (const Node& g : generators) {
    names.push_back(g.text("generator"));
    counts.emplace_back();
    for (const auto& [verdict, n] : g.members("verdicts")) counts.back()[verdict] = n.number();
  }
  const std::vector<std::string> order = verdicts_in_order(counts);
  Table table;
  table.title = "Verdicts";
  table.columns = {code_column("generator"), text_column("of its samples")};
  Chart bars;
  bars.kind = Chart::Kind::kStack;
  bars.title = "Verdicts by generator";
  bars.sideways = true;
  bars.x = "samples";
  bars.labels = names;
  for (const std::string& verdict : order) {
    table.columns.push_back(number_column(verdict));
    Series s;
    s.name = verdict;
    s.tone = tone_of_verdict(verdict);
    for (const VerdictCounts& c : counts)
      s.values.push_back(c.contains(verdict) ? c.at(verdict) : 0);
    bars.series.push_back(std::move(s));
  }
  for (size_t g = 0; g < names.size(); ++g) {
    Row row;
    Cell bar = verdict_bar(counts[g]);
    if (!bar.parts.empty()) bar.text.clear();  // the columns have the numbers
    row.cells = {text_cell(names[g]), std::move(bar)};
    for (const std::string& verdict : order)
      row.cells.push_back(count_cell(counts[g].contains(verdict) ? counts[g].at(verdict) : 0));
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(bars));
}

void add_speedups(const std::vector<Node>& generators, const std::vector<Node>& candidates,
                  Section& out) {
  // In the generators' order, so that each has one colour in all charts.
  std::vector<Samples> samples;
  for (const Node& g : generators) samples.push_back({g.text("generator"), {}});
  bool any = false;
  for (const Node& c : candidates) {
    const double v = c.number("speedup");
    if (!(v > 0)) continue;
    const std::string name = c.text("generator");
    auto at = std::find_if(samples.begin(), samples.end(),
                           [&](const Samples& s) { return s.first == name; });
    if (at == samples.end()) at = samples.insert(at, {name, {}});
    at->second.push_back(v);
    any = true;
  }
  if (!any) return;
  Table table;
  table.title = "Speed-ups of right candidates";
  table.note = "Over the task's baseline; above 1 is faster.";
  table.columns = {code_column("generator"), number_column("timed"),
                   number_column("least"),   number_column("quarter"),
                   number_column("median"),  number_column("three quarters"),
                   number_column("most"),    number_column("faster", "share above 1")};
  for (auto& [name, values] : samples) {
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const auto faster = std::count_if(values.begin(), values.end(), [](double v) { return v > 1; });
    Row row;
    row.cells = {text_cell(name), count_cell(static_cast<double>(values.size()))};
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
      row.cells.push_back(fixed_cell(quantile(values, part), 3));
    row.cells.push_back(
        percent_cell(static_cast<double>(faster) / static_cast<double>(values.size())));
    table.rows.push_back(std::move(row));
  }
  Chart chart = histogram(samples, Chart::Scale::kRatio);
  chart.title = "Speed-ups of right candidates";
  chart.x = "speed-up over the baseline";
  chart.y = "candidates";
  chart.reference = 0;
  out.blocks.emplace_back(std::move(table));
  out.blocks.emplace_back(std::move(chart));
}

void add_tasks(const std::vector<Node>& generators, const std::vector<Node>& candidates,
               Section& out) {
  std::map<std::pair<std::string, std::string>, VerdictCounts> verdicts;
  for (const Node& c : candidates)
    ++verdicts[{c.text("generator"), c.text("task")}][c.text("verdict")];
  Table table;
  table.title = "Tasks";
  table.note = "Median speed-up: over all samples, those that failed at 1. Best: of verified ones.";
  table.columns = {code_column("task"),      text_column("kind"),     code_column("generator"),
                   number_column("samples"), number_column("right"),  text_column("verdicts"),
                   number_column("pass@1"),  number_column("fast_1"), number_column("median"),
                   number_column("best")};
  for (const Node& g : generators) {
    const std::string generator = g.text("generator");
    for (const Node& t : g.list("by_task")) {
      const std::string task = t.text("task");
      Row row;
      Cell best = fixed_cell(t.number("best_speedup"), 3);
      if (best.key >= 1.0005) best.tone = Tone::kGood;
      row.cells = {text_cell(task),
                   text_cell(t.text("kind")),
                   text_cell(generator),
                   count_cell(t.number("samples")),
                   count_cell(t.number("right")),
                   verdict_bar(verdicts[{generator, task}]),
                   percent_cell(t["pass"].number("1")),
                   percent_cell(t["fast"].number("1")),
                   fixed_cell(t.number("median_speedup"), 3),
                   std::move(best)};
      table.rows.push_back(std::move(row));
    }
  }
  out.blocks.emplace_back(std::move(table));
}

void add_comparisons(const Node& root, Section& out) {
  Table table;
  table.title = "Generators compared";
  table.note = "Paired over the tasks that both were judged on; p by sign flips over tasks.";
  table.columns = {code_column("generator"),        code_column("beside"),
                   number_column("tasks"),          number_column("pass@1"),
                   number_column("speed-up ratio"), number_column("p")};
  const auto points = [](double v) {
    return std::isfinite(v) ? fmt::format("{:+.1f} points", 100 * v) : std::string(kNothing);
  };
  for (const Node& c : root.list("comparisons")) {
    const BenchInterval pass = bench_interval(c["pass_difference"]);
    BenchInterval ratio = bench_interval(c["log_speedup_ratio"]);
    for (double* v : {&ratio.value, &ratio.low, &ratio.high}) *v = std::exp(*v);
    Row row;
    row.cells = {text_cell(c.text("b")),
                 text_cell(c.text("a")),
                 count_cell(c.number("tasks")),
                 interval_cell(pass.value, pass.low, pass.high, points),
                 ratio_interval(ratio),
                 number_cell(c.number("p_value"), figure(c.number("p_value"), 3))};
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
}

std::string findings_words(const Node& candidate) {
  std::string out = candidate.text("reason");
  const double line = candidate.number("line");
  if (!out.empty() && line > 0) out = fmt::format("line {}: {}", figure(line), out);
  for (const Node& f : candidate.list("findings"))
    out += fmt::format("{}{} [{}]", out.empty() ? "" : "; ", f.text("message"), f.text("code"));
  return out;
}

void add_candidates(const std::vector<Node>& candidates, Section& out) {
  Table table;
  table.title = fmt::format("Candidates ({})", candidates.size());
  table.folded = true;
  table.columns = {
      code_column("task"),        code_column("candidate"),
      code_column("generator"),   number_column("round"),
      number_column("sample"),    text_column("verdict"),
      number_column("speed-up"),  number_column("error", "worst, in units of rounding"),
      number_column("registers"), number_column("trials"),
      text_column("reason")};
  for (const Node& c : candidates) {
    const std::string verdict = c.text("verdict");
    const double error = c.number("worst_error"), registers = c.number("registers");
    Row row;
    row.cells = {text_cell(c.text("task")),
                 text_cell(c.text("candidate")),
                 text_cell(c.text("generator")),
                 count_cell(c.number("round")),
                 count_cell(c.number("sample")),
                 badge(verdict, tone_of_verdict(verdict)),
                 fixed_cell(c.number("speedup"), 3),
                 number_cell(error, figure(error, 3)),
                 count_cell(registers > 0 ? registers : kUnknown),
                 count_cell(c.number("trials")),
                 text_cell(findings_words(c))};
    table.rows.push_back(std::move(row));
  }
  out.blocks.emplace_back(std::move(table));
}

}  // namespace

void read_bench(const Node& root, Section& out) {
  const std::vector<Node> generators = root.need("generators").list();
  const std::vector<Node> candidates = root.list("candidates");
  double samples = 0, right = 0;
  for (const Node& g : generators) {
    samples += g.number("samples");
    const double n = g["verdicts"].number("right");
    right += std::isfinite(n) ? n : 0;
  }
  Facts facts;
  facts.add("generators", figure(static_cast<double>(generators.size())));
  facts.add("samples", figure(samples));
  if (samples > 0)
    facts.add("right", fmt::format("{} ({})", figure(right), percent(right / samples)));
  std::string clock;
  for (const Node& c : candidates)
    if (clock.empty()) clock = c.text("clock");
  facts.add("times of", clock);
  facts.add("judged", root.text("settings"));
  out.blocks.emplace_back(std::move(facts));
  add_generators(generators, out);
  add_comparisons(root, out);
  add_verdicts(generators, out);
  add_speedups(generators, candidates, out);
  add_tasks(generators, candidates, out);
  add_candidates(candidates, out);
}

}  // namespace pitot::report::page
