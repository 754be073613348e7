#include "profile/sample.h"

#include <algorithm>
#include <cmath>

namespace pitot::profile {

Sample choose_blocks(const emulator::Launch& l, uint64_t wanted, uint32_t sms) {
  const uint64_t blocks = uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  const uint64_t cluster = uint64_t{l.cluster[0]} * l.cluster[1] * l.cluster[2];
  const uint64_t per_gang = l.cooperative ? blocks : std::max<uint64_t>(1, cluster);
  Sample s;
  s.all_gangs = std::max<uint64_t>(1, blocks / per_gang);
  const uint64_t gangs = std::max<uint64_t>(1, wanted / per_gang);
  if (wanted == 0 || gangs >= s.all_gangs) {
    s.gangs = s.all_gangs;
    s.clump = static_cast<size_t>(std::min<uint64_t>(4, s.all_gangs));
    for (uint64_t i = 0; i < 4 && s.all_gangs > sms; ++i) {
      const uint64_t first = (s.all_gangs - sms) * (2 * i + 1) / 8;
      s.successors.emplace_back(first, first + sms);
    }
    return s;
  }
  s.clump = gangs >= 4 ? 4 : gangs >= 2 ? 2 : 1;
  const uint64_t clumps = gangs / s.clump;
  s.gangs = clumps * s.clump;
  // The clump's gangs, from its first.
  std::vector<uint64_t> offsets(s.clump);
  const bool roomy = s.clump == 4 && s.all_gangs / clumps >= uint64_t{sms} + 4;
  for (uint64_t k = 0; k < s.clump; ++k) offsets[k] = roomy && k >= 2 ? sms + k - 2 : k;
  std::vector<uint64_t> chosen;
  for (uint64_t i = 0; i < clumps; ++i) {
    const uint64_t first = s.all_gangs * i / clumps, last = s.all_gangs * (i + 1) / clumps;
    const uint64_t length = offsets.back() + 1;
    const uint64_t room = last - first > length ? last - first - length : 0;
    // Multiples of the golden ratio fill the interval evenly and fall into step with no grid.
    const double golden = 0.6180339887498949 * static_cast<double>(i + 1);
    const double place = golden - std::floor(golden);
    const auto start = first + static_cast<uint64_t>(place * static_cast<double>(room + 1));
    for (uint64_t k : offsets) chosen.push_back(std::min(start + k, last - 1));
    if (roomy)
      for (size_t k = 0; k < 2; ++k)
        s.successors.emplace_back(i * s.clump + k, i * s.clump + k + 2);
  }
  if (per_gang == 1) {
    s.blocks = std::move(chosen);
    return s;
  }
  const auto all = emulator::gangs_of(l);
  for (uint64_t g : chosen) s.blocks.push_back(all[g].front());
  std::sort(s.blocks.begin(), s.blocks.end());
  return s;
}

}  // namespace pitot::profile
