#include "check/drawn_sizes.h"

#include <algorithm>
#include <numeric>

#include "device/values.h"

namespace pitot::check {
namespace {

constexpr size_t kTriesEach = 4;  // of a size that has been drawn before

}  // namespace

std::vector<device::Sizes> drawn_sizes(const device::KernelSpec& spec, size_t count,
                                       uint64_t seed) {
  std::vector<device::Sizes> out;
  if (spec.sizes.empty() || spec.sizes[0].values.empty()) return out;
  uint64_t drawn = 0;
  const auto below = [&](uint64_t n) { return device::random_bits(seed, drawn++) % n; };
  for (size_t t = 0; t < count * kTriesEach && out.size() < count; ++t) {
    device::Sizes size;
    for (const auto& [name, first] : spec.sizes[0].values) {
      int64_t step = 0, most = 0;
      for (const device::SizeSpec& s : spec.sizes) {
        const auto at = s.values.find(name);
        if (at == s.values.end()) continue;
        step = std::gcd(step, at->second);
        most = std::max(most, at->second);
      }
      step = std::max<int64_t>(step, 1);
      // Far beyond them too: a loop that was unrolled needs several times as many turns.
      const int64_t near[] = {step, 2 * step,    3 * step, 5 * step,        most - step,
                              most, most + step, 4 * most, 8 * most + step, 16 * most};
      const uint64_t which = below(std::size(near) + 1);
      const int64_t any =
          step * static_cast<int64_t>(
                     1 + below(static_cast<uint64_t>(std::max<int64_t>(1, 2 * most / step))));
      size[name] = std::max(step, which < std::size(near) ? near[which] : any);
    }
    const bool there = std::find(out.begin(), out.end(), size) != out.end() ||
                       std::any_of(spec.sizes.begin(), spec.sizes.end(),
                                   [&](const device::SizeSpec& s) { return s.values == size; });
    if (!there) out.push_back(std::move(size));
  }
  return out;
}

}  // namespace pitot::check
