#include "environment/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "support/draws.h"

namespace pitot::environment {

Result<std::vector<size_t>> kernels_without(const RecordedTable& table,
                                            const std::vector<std::string>& held_out) {
  std::set<std::string> wanted(held_out.begin(), held_out.end());
  std::vector<size_t> out;
  for (size_t k = 0; k < table.kernels.size(); ++k)
    if (wanted.erase(table.kernels[k].name) == 0) out.push_back(k);
  if (!wanted.empty())
    return input_error(
        fmt::format("{} is to be held out, and the table has no such kernel", *wanted.begin()));
  if (out.empty()) return input_error("every kernel is held out: nothing to learn from");
  return out;
}

Result<std::vector<std::vector<std::string>>> folds_of(const RecordedTable& table, unsigned k,
                                                       uint64_t seed) {
  if (k < 2 || k > table.kernels.size())
    return input_error(fmt::format("{} folds of {} kernels", k, table.kernels.size()));
  std::vector<std::string> names;
  for (const RecordedKernel& kernel : table.kernels) names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  Draws draws(seed);
  for (size_t n = names.size(); n > 1; --n) std::swap(names[n - 1], names[draws.below(n)]);
  std::vector<std::vector<std::string>> out(k);
  for (size_t n = 0; n < names.size(); ++n) out[n % k].push_back(names[n]);
  return out;
}

}  // namespace pitot::environment
