#include "knobs_orders.h"

#include <set>

#include "knob_table.h"
#include "knobs/orders_csv.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

Result<std::vector<knobs::SeededOrder>> orders_of_files(const OrdersArguments& args,
                                                        const knobs::Table& table) {
  std::vector<knobs::SeededOrder> out;
  std::set<uint64_t> seeds;
  for (const std::string& path : args.policies) {
    const auto text = read_file(path);
    if (!text) return text.error();
    const auto policy = knobs::read_trained_policy(*text, path);
    if (!policy) return policy.error();
    // Two orders of one seed would be read as one.
    if (!seeds.insert(policy->origin.seed).second)
      return input_error(path + ": another policy was trained with the same seed");
    auto orders = knobs::orders_of(*policy, table);
    if (!orders) return Error{orders.error().kind, path + ": " + orders.error().message};
    out.insert(out.end(), orders->begin(), orders->end());
  }
  return out;
}

}  // namespace

void run_orders(const OrdersArguments& args, Options& options) {
  const auto table = read_knob_table(args.table, options);
  if (!table) return;
  const auto orders = orders_of_files(args, *table);
  if (!orders) return fail(options, orders.error());
  const std::string csv = knobs::orders_csv(table->space(), *orders);
  if (args.output.empty()) return print(csv);
  if (Status s = write_file(args.output, csv); !s) fail(options, s.error());
}

}  // namespace pitot::cli
