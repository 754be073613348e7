#include "knobs/orders_csv.h"

#include <fmt/format.h>

#include "support/csv.h"

namespace pitot::knobs {

std::string orders_csv(const Space& space, const std::vector<SeededOrder>& orders) {
  std::string out = "kernel,matrix_size,seed,rank";
  for (const Knob& k : space.knobs) out += "," + csv_field(k.name);
  out += "\n";
  for (const SeededOrder& o : orders)
    for (size_t rank = 0; rank < o.configurations.size(); ++rank)
      out +=
          fmt::format("{},{},{},{},{}\n", csv_field(o.at.kernel), o.at.matrix_size, o.seed, rank,
                      fmt::join(space.settings_of(space.choice_of(o.configurations[rank])), ","));
  return out;
}

Result<std::vector<SeededOrder>> orders_of(const TrainedPolicy& policy, const Table& table) {
  TableReadings readings(table);
  auto environment = Environment::make(readings, options_for(policy));
  if (!environment) return environment.error();
  if (Status s = fits(policy, *environment, table.cases()); !s) return s.error();
  const PolicyLogits logits(policy);
  std::vector<SeededOrder> out;
  for (size_t c = 0; c < table.cases().size(); ++c) {
    const auto seen = environment->reset(1, c);
    if (!seen) return seen.error();
    SeededOrder order{table.cases()[c], policy.origin.seed, {}};
    for (const size_t i : by_probability(table.space(), logits(*seen)))
      if (table.row(c, i) != nullptr) order.configurations.push_back(i);
    out.push_back(std::move(order));
  }
  return out;
}

}  // namespace pitot::knobs
