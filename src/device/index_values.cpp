#include "device/index_values.h"

#include <bit>
#include <cmath>

#include "device/values.h"

namespace pitot::device {
namespace {

constexpr unsigned kRounds = 4;

}  // namespace

RandomOrder::RandomOrder(uint64_t seed, uint64_t n) : seed_(seed), n_(n) {
  half_bits_ = static_cast<unsigned>(std::bit_width(n - 1) + 1) / 2;
  if (half_bits_ == 0) half_bits_ = 1;
  half_mask_ = (uint64_t{1} << half_bits_) - 1;
}

uint64_t RandomOrder::round(unsigned number, uint64_t half) const {
  return random_bits(seed_ + number, half) & half_mask_;
}

uint64_t RandomOrder::at(uint64_t place) const {
  uint64_t v = place;
  do {
    uint64_t left = v >> half_bits_, right = v & half_mask_;
    for (unsigned r = 0; r < kRounds; ++r) {
      const uint64_t mixed = left ^ round(r, right);
      left = right;
      right = mixed;
    }
    v = left << half_bits_ | right;
  } while (v >= n_);
  return v;
}

uint64_t RandomOrder::place_of(uint64_t element) const {
  uint64_t v = element;
  do {
    uint64_t left = v >> half_bits_, right = v & half_mask_;
    for (unsigned r = kRounds; r-- > 0;) {
      const uint64_t mixed = right ^ round(r, left);
      right = left;
      left = mixed;
    }
    v = left << half_bits_ | right;
  } while (v >= n_);
  return v;
}

uint64_t RowOffsets::at(uint64_t row) {
  const uint64_t group = row / kGroup;
  if (group != group_) {
    group_ = group;
    std::array<double, kGroup> before{};
    double sum = 0;
    for (uint64_t r = 0; r < kGroup; ++r) {
      before[r] = sum;
      sum += std::exp(skew_ * random_normal(seed_, group * kGroup + r));
    }
    const auto total = static_cast<double>(kGroup * mean_);
    for (uint64_t r = 0; r < kGroup; ++r)
      offsets_[r] =
          group * kGroup * mean_ + static_cast<uint64_t>(std::floor(total * (before[r] / sum)));
  }
  return offsets_[row % kGroup];
}

}  // namespace pitot::device
