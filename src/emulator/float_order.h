// Minimum and maximum of floating-point values as PTX has them: −0 below +0, NaN ignored or
// passed on. On bit patterns, so that they vectorise.
#pragma once

#include "emulator/float_lanes.h"

namespace pitot::emulator {

// An integer that orders as the value does. Its own inverse.
PITOT_INLINE int32_t order_key(uint32_t v) {
  const auto s = static_cast<int32_t>(v);
  return s ^ ((s >> 31) & INT32_MAX);
}
PITOT_INLINE int64_t order_key(uint64_t v) {
  const auto s = static_cast<int64_t>(v);
  return s ^ ((s >> 63) & INT64_MAX);
}

// Where a NaN stands: last, so that the other operand wins, or with .NaN first. Both ends of the
// integers are NaN themselves.
constexpr int32_t nan_key(bool maximum, bool nan_wins) {
  return maximum == nan_wins ? INT32_MAX : INT32_MIN;
}

template <bool kMaximum>
PITOT_INLINE uint32_t extreme32(uint32_t a, uint32_t b, int32_t for_nan) {
  const auto nan = static_cast<uint32_t>(for_nan);
  const uint32_t x = pick(is_nan32(a), nan, static_cast<uint32_t>(order_key(a)));
  const uint32_t y = pick(is_nan32(b), nan, static_cast<uint32_t>(order_key(b)));
  const bool less = static_cast<int32_t>(x) < static_cast<int32_t>(y);
  return canonical32(static_cast<uint32_t>(order_key(pick(less != kMaximum, x, y))));
}

}  // namespace pitot::emulator
