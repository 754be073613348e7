#include "knobs/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "knobs/environment.h"
#include "knobs/orders.h"
#include "measure/random_draws.h"
#include "support/csv.h"
#include "support/csv_table.h"

namespace pitot::knobs {
namespace {

constexpr double kNothing = std::numeric_limits<double>::infinity();
constexpr size_t kResamples = 2000;

std::array<double, 2> middle95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.025), at(0.975)};
}

// Regrets of one method at one budget: a list of seeds for each case.
using Regrets = std::vector<std::vector<double>>;

// A mean of cases; with draws, of cases and seeds drawn with replacement.
double mean_of(const Regrets& regrets, const std::vector<size_t>& cases,
               measure::RandomDraws* draws) {
  double sum = 0;
  size_t counted = 0;
  for (const size_t c : cases) {
    const auto& seeds = regrets[c];
    if (seeds.empty()) continue;
    double of_case = 0;
    for (size_t i = 0; i < seeds.size(); ++i)
      of_case += seeds[draws == nullptr ? i : draws->below(static_cast<uint32_t>(seeds.size()))];
    sum += of_case / static_cast<double>(seeds.size());
    ++counted;
  }
  return counted == 0 ? std::nan("") : sum / static_cast<double>(counted);
}

// Summaries of searches, of one table or several.
class Comparison {
 public:
  explicit Comparison(const ComparisonOptions& options) : o_(options) {}

  void add(const Table& table, const Contender& contender, size_t default_configuration) {
    for (const auto& [number, orders] : contender.orders)
      for (size_t s = 0; s < orders.size(); ++s)
        for (const uint64_t budget : o_.budgets)
          add(row(table, contender.name, number, s, orders[s], budget, default_configuration));
  }
  void add(ComparisonRow r) {
    if (std::find(names_.begin(), names_.end(), r.method) == names_.end())
      names_.push_back(r.method);
    const size_t number = number_of({r.kernel, r.matrix_size});
    auto& regrets = regrets_[{r.method, r.budget}];
    if (std::isinf(r.best_ms)) {
      ++without_[{r.method, r.budget}];
    } else {
      if (regrets.size() <= number) regrets.resize(number + 1);
      regrets[number].push_back(r.regret());
      speedups_[{r.method, r.budget}].push_back(std::log(r.speedup()));
    }
    out_.rows.push_back(std::move(r));
  }

  ComparisonResult finish() {
    for (auto& [key, regrets] : regrets_) regrets.resize(cases_.size());
    for (const uint64_t budget : o_.budgets)
      for (const std::string& name : names_) summarise(name, budget);
    return std::move(out_);
  }

 private:
  static ComparisonRow row(const Table& table, const std::string& name, size_t number,
                           uint64_t seed, const std::vector<size_t>& order, uint64_t budget,
                           size_t default_configuration) {
    const Case& c = table.cases()[number];
    ComparisonRow r;
    r.kernel = c.kernel;
    r.matrix_size = c.matrix_size;
    r.method = name;
    r.seed = seed;
    r.budget = budget;
    r.best_ms = kNothing;
    for (size_t i = 0; i < order.size() && i < budget; ++i) {
      const SweepRow* row = table.row(number, order[i]);
      if (row != nullptr && row->ok()) r.best_ms = std::min(r.best_ms, row->mean_ms);
    }
    r.default_ms = table.row(number, default_configuration)->mean_ms;
    r.least_ms = table.row(number, table.best(number))->mean_ms;
    return r;
  }

  size_t number_of(const Case& c) {
    const auto at = std::find(cases_.begin(), cases_.end(), c);
    const auto number = static_cast<size_t>(at - cases_.begin());
    if (at == cases_.end()) cases_.push_back(c);
    return number;
  }

  void summarise(const std::string& name, uint64_t budget) {
    const std::pair key(name, budget);
    const Regrets& own = regrets_[key];
    const Regrets& random = regrets_[{"random", budget}];
    ComparisonSummary s;
    s.method = name;
    s.budget = budget;
    s.without = without_[key];
    std::vector<size_t> all;
    for (size_t c = 0; c < own.size(); ++c)
      if (!own[c].empty()) all.push_back(c);
    s.regret = mean_of(own, all, nullptr);
    for (const size_t c : all) {
      const double regret = mean_of(own, {c}, nullptr);
      if (!s.worst_case.empty() && regret <= s.worst_regret) continue;
      s.worst_regret = regret;
      s.worst_case = fmt::format("{} {}", cases_[c].kernel, cases_[c].matrix_size);
    }
    double logs = 0;
    for (const double l : speedups_[key]) logs += l;
    s.speedup =
        all.empty() ? std::nan("") : std::exp(logs / static_cast<double>(speedups_[key].size()));
    s.against_random = name == "random" ? std::nan("") : s.regret - mean_of(random, all, nullptr);
    // What is drawn together.
    std::vector<std::vector<size_t>> units;
    for (const size_t c : all) {
      const bool joins =
          o_.whole_kernels && !units.empty() && cases_[units.back()[0]].kernel == cases_[c].kernel;
      if (joins)
        units.back().push_back(c);
      else
        units.push_back({c});
    }
    measure::RandomDraws draws(o_.seed * 1000003 + budget);
    std::vector<double> means, differences;
    for (size_t i = 0; i < kResamples && !all.empty(); ++i) {
      std::vector<size_t> drawn;
      for (size_t u = 0; u < units.size(); ++u) {
        const auto& unit = units[draws.below(static_cast<uint32_t>(units.size()))];
        drawn.insert(drawn.end(), unit.begin(), unit.end());
      }
      means.push_back(mean_of(own, drawn, &draws));
      // The same cases for both: what a case is like does not count as a difference.
      differences.push_back(means.back() - mean_of(random, drawn, &draws));
    }
    if (!means.empty()) {
      s.regret_interval = middle95(std::move(means));
      s.against_random_interval = middle95(std::move(differences));
    }
    out_.summaries.push_back(std::move(s));
  }

  const ComparisonOptions& o_;
  std::vector<Case> cases_;
  std::vector<std::string> names_;
  std::map<std::pair<std::string, uint64_t>, Regrets> regrets_;
  std::map<std::pair<std::string, uint64_t>, std::vector<double>> speedups_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> without_;
  ComparisonResult out_;
};

}  // namespace

Result<ComparisonResult> compare(const Table& table, std::vector<Contender> others,
                                 const ComparisonOptions& options) {
  if (options.budgets.empty() || options.seeds == 0)
    return input_error("a comparison has at least one budget and one seed");
  const auto start = baseline_of(table.space(), options.baseline);
  if (!start) return start.error();
  const size_t baseline = table.space().index_of(*start);
  std::vector<Contender> all(4);
  all[0].name = "default";
  all[1].name = "random";
  all[2].name = "greedy";
  all[3].name = "exhaustive";
  for (size_t c = 0; c < table.cases().size(); ++c) {
    const SweepRow* r = table.row(c, baseline);
    if (r == nullptr || !r->ok())
      return input_error(
          fmt::format("the default of '{}' at {} is not in the table or does not run",
                      table.cases()[c].kernel, table.cases()[c].matrix_size));
    all[0].orders[c] = {{baseline}};
    measure::RandomDraws draws(options.seed + c);
    for (uint64_t s = 0; s < options.seeds; ++s) {
      all[1].orders[c].push_back(random_order(table, c, draws.bits()));
      all[2].orders[c].push_back(greedy_order(table, c, baseline, draws.bits()));
    }
    // Finds the best whatever it cost: it is what the others are held against.
    all[3].orders[c] = {{table.best(c)}};
  }
  all.insert(all.end(), std::make_move_iterator(others.begin()),
             std::make_move_iterator(others.end()));
  Comparison comparison(options);
  for (const Contender& c : all) comparison.add(table, c, baseline);
  return comparison.finish();
}

ComparisonResult pooled(std::vector<ComparisonResult> parts, const ComparisonOptions& options) {
  Comparison comparison(options);
  for (ComparisonResult& part : parts)
    for (ComparisonRow& r : part.rows) comparison.add(std::move(r));
  return comparison.finish();
}

Contender read_orders(const SourceText& source, std::string name, const Table& table,
                      Diagnostics& out) {
  Contender contender;
  contender.name = std::move(name);
  const CsvTable csv = read_csv(source, out);
  std::vector<std::string> wanted = {"kernel", "matrix_size", "seed", "rank"};
  for (const Knob& k : table.space().knobs) wanted.push_back(k.name);
  std::vector<size_t> columns;
  for (const std::string& w : wanted) {
    if (const auto c = csv.column(w))
      columns.push_back(*c);
    else
      out.error("orders-column", csv.header.empty() ? SourceRange{} : csv.header[0].range,
                fmt::format("there is no column '{}'", w));
  }
  if (out.errors() > 0) return contender;
  // By case and seed: ranks and configurations.
  std::map<std::pair<size_t, int64_t>, std::vector<std::pair<int64_t, size_t>>> read;
  for (const auto& fields : csv.rows) {
    std::vector<int64_t> numbers;
    for (size_t i = 1; i < columns.size(); ++i) {
      const auto v = csv_number(fields[columns[i]].text);
      if (!v || *v != std::floor(*v)) {
        out.error("orders-number", fields[columns[i]].range,
                  fmt::format("'{}' is no whole number", fields[columns[i]].text));
        return contender;
      }
      numbers.push_back(static_cast<int64_t>(*v));
    }
    const Case c{fields[columns[0]].text, numbers[0]};
    const auto at = std::find(table.cases().begin(), table.cases().end(), c);
    if (at == table.cases().end()) continue;  // of another table
    const auto choice = table.space().choice_with(std::span(numbers).subspan(3));
    if (!choice) {
      out.error("orders-settings", fields[columns[4]].range,
                "the table has no configuration with these settings");
      return contender;
    }
    read[{static_cast<size_t>(at - table.cases().begin()), numbers[1]}].emplace_back(
        numbers[2], table.space().index_of(*choice));
  }
  for (auto& [key, ranks] : read) {
    std::sort(ranks.begin(), ranks.end());
    std::vector<size_t> order;
    for (const auto& [rank, configuration] : ranks) order.push_back(configuration);
    contender.orders[key.first].push_back(std::move(order));
  }
  return contender;
}

std::string comparison_csv(const ComparisonResult& result) {
  std::string out =
      "kernel,matrix_size,method,seed,budget,best_ms,default_ms,least_ms,regret,speedup\n";
  for (const ComparisonRow& r : result.rows) {
    const bool found = std::isfinite(r.best_ms);
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", csv_field(r.kernel), r.matrix_size, csv_field(r.method),
        r.seed, r.budget, found ? fmt::format("{}", r.best_ms) : "", r.default_ms, r.least_ms,
        found ? fmt::format("{}", r.regret()) : "", found ? fmt::format("{}", r.speedup()) : "");
  }
  return out;
}

}  // namespace pitot::knobs
