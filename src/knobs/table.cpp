#include "knobs/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pitot::knobs {

Result<Table> Table::of(SweepResult sweep) {
  if (sweep.rows.empty()) return input_error("the sweep has no rows");
  Table t;
  t.sweep_ = std::move(sweep);
  for (size_t k = 0; k < t.sweep_.knobs.size(); ++k) {
    std::set<int64_t> values;
    for (const SweepRow& r : t.sweep_.rows) values.insert(r.settings[k]);
    t.space_.knobs.push_back({t.sweep_.knobs[k], {values.begin(), values.end()}});
  }
  for (size_t i = 0; i < t.sweep_.rows.size(); ++i) {
    const SweepRow& r = t.sweep_.rows[i];
    const Case c{r.kernel, r.matrix_size};
    auto at = std::find(t.cases_.begin(), t.cases_.end(), c);
    if (at == t.cases_.end()) {
      at = t.cases_.insert(at, c);
      t.places_.emplace_back(t.space_.size());
    }
    const auto choice = t.space_.choice_with(r.settings);
    t.places_[static_cast<size_t>(at - t.cases_.begin())][t.space_.index_of(*choice)] = i;
  }
  for (size_t c = 0; c < t.cases_.size(); ++c)
    if (t.ran(c).empty())
      return input_error(fmt::format("of '{}' at {} no configuration ran", t.cases_[c].kernel,
                                     t.cases_[c].matrix_size));
  return t;
}

std::vector<std::string> Table::kernels() const {
  std::vector<std::string> out;
  for (const Case& c : cases_)
    if (std::find(out.begin(), out.end(), c.kernel) == out.end()) out.push_back(c.kernel);
  return out;
}

const SweepRow* Table::row(size_t number, size_t configuration) const {
  const auto& place = places_[number][configuration];
  return place ? &sweep_.rows[*place] : nullptr;
}

std::vector<size_t> Table::ran(size_t number) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < places_[number].size(); ++i)
    if (const SweepRow* r = row(number, i); r != nullptr && r->ok()) out.push_back(i);
  return out;
}

size_t Table::best(size_t number) const {
  const std::vector<size_t> all = ran(number);
  return *std::min_element(all.begin(), all.end(), [&](size_t a, size_t b) {
    return row(number, a)->mean_ms < row(number, b)->mean_ms;
  });
}

}  // namespace pitot::knobs
