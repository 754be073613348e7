#include "knobs/orders.h"

#include <algorithm>
#include <limits>

#include "measure/random_draws.h"

namespace pitot::knobs {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<size_t> swept(const Table& table, size_t number) {
  std::vector<size_t> out;
  for (size_t i = 0; i < table.space().size(); ++i)
    if (table.row(number, i) != nullptr) out.push_back(i);
  return out;
}

template <class T>
void shuffle(std::vector<T>& list, measure::RandomDraws& draws) {
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[draws.below(static_cast<uint32_t>(i))]);
}

double time_of(const Table& table, size_t number, size_t configuration) {
  const SweepRow* r = table.row(number, configuration);
  return r != nullptr && r->ok() ? r->mean_ms : kNever;
}

// What has been measured, in order.
class Measured {
 public:
  Measured(const Table& table, size_t number)
      : table_(table), number_(number), seen_(table.space().size(), false) {}
  double measure(size_t configuration) {
    if (!seen_[configuration] && table_.row(number_, configuration) != nullptr) {
      seen_[configuration] = true;
      order_.push_back(configuration);
    }
    return time_of(table_, number_, configuration);
  }
  bool seen(size_t configuration) const { return seen_[configuration]; }
  std::vector<size_t> take() { return std::move(order_); }

 private:
  const Table& table_;
  size_t number_;
  std::vector<bool> seen_;
  std::vector<size_t> order_;
};

void descend(const Space& space, size_t from, Measured& measured, measure::RandomDraws& draws) {
  Choice at = space.choice_of(from);
  double best = measured.measure(from);
  std::vector<size_t> knobs(space.knobs.size());
  for (size_t k = 0; k < knobs.size(); ++k) knobs[k] = k;
  for (bool changed = true; changed;) {
    changed = false;
    shuffle(knobs, draws);
    for (const size_t k : knobs) {
      Choice there = at;
      for (uint32_t v = 0; v < space.knobs[k].values.size(); ++v) {
        there[k] = v;
        const double time = measured.measure(space.index_of(there));
        if (time < best) {
          best = time;
          at = there;
          changed = true;
        }
      }
    }
  }
}

}  // namespace

std::vector<size_t> random_order(const Table& table, size_t number, uint64_t seed) {
  std::vector<size_t> out = swept(table, number);
  measure::RandomDraws draws(seed);
  shuffle(out, draws);
  return out;
}

std::vector<size_t> greedy_order(const Table& table, size_t number, size_t start, uint64_t seed) {
  measure::RandomDraws draws(seed);
  Measured measured(table, number);
  descend(table.space(), start, measured, draws);
  for (const size_t again : random_order(table, number, draws.bits()))
    if (!measured.seen(again)) descend(table.space(), again, measured, draws);
  return measured.take();
}

std::vector<size_t> predicted_order(const Table& table, size_t number, const Table& predicted) {
  const auto at =
      std::find(predicted.cases().begin(), predicted.cases().end(), table.cases()[number]);
  std::vector<std::pair<double, size_t>> times;
  for (const size_t i : swept(table, number)) {
    double time = kNever;
    if (at != predicted.cases().end()) {
      const auto same =
          predicted.space().choice_with(table.space().settings_of(table.space().choice_of(i)));
      if (same)
        time = time_of(predicted, static_cast<size_t>(at - predicted.cases().begin()),
                       predicted.space().index_of(*same));
    }
    times.emplace_back(time, i);
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<size_t> out;
  for (const auto& [time, i] : times) out.push_back(i);
  return out;
}

}  // namespace pitot::knobs
