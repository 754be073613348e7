#include "environment/recorded_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pitot::environment {

void set_levels(RecordedKernel& kernel) {
  std::vector<RecordedProgram>& programs = kernel.programs;
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < programs.size(); ++k)
    if (programs[k].value.ok()) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return programs[a].value.cost < programs[b].value.cost;
  });
  kernel.levels = 0;
  for (size_t begin = 0; begin < order.size();) {
    const search::CostValue& leader = programs[order[begin]].value;
    size_t end = begin + 1;
    while (end < order.size() && !better(leader, programs[order[end]].value)) ++end;
    const size_t middle = begin + (end - begin) / 2;
    const double upper = programs[order[middle]].value.cost;
    const double median =
        (end - begin) % 2 != 0 ? upper : (programs[order[middle - 1]].value.cost + upper) / 2;
    for (size_t k = begin; k < end; ++k) programs[order[k]].level = median;
    ++kernel.levels;
    begin = end;
  }
}

double reward_of(const RecordedKernel& kernel, uint32_t program) {
  const RecordedProgram& p = kernel.programs[program];
  if (!p.value.ok()) return 0;
  const double reward = std::log(kernel.original().level / p.level);
  return std::fabs(reward) < kDeadZone ? 0 : reward;
}

}  // namespace pitot::environment
