#include "analysis/trip_arithmetic.h"

#include <algorithm>

namespace pitot::analysis {

namespace {

uint64_t clamped(Wide t) {
  return t < 0 ? 0 : t > static_cast<Wide>(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(t);
}

// x < n goes round again. The type's values are [low, low + size).
TripBounds below(ScalarRange x, ScalarRange n, ScalarRange step, Wide low, Wide size) {
  TripBounds out;
  const bool exact = x.exact() && n.exact() && step.exact();
  if (x.low >= n.high) return {0, 0, exact};
  if (step.high <= 0) {
    out.least = x.high < n.low ? 1 : 0;
    if (!exact || step.low == 0) return out;
    // Down to the end of the type and round: `for (unsigned i = n; i < m; --i)`.
    const Wide t = (x.low - low) / -step.low + 1;
    if (x.low + t * step.low + size < n.low) return out;
    return {clamped(t), clamped(t), true};
  }
  auto times = [](Wide distance, Wide s) { return (distance + s - 1) / s; };
  out.least = x.high >= n.low ? 0 : clamped(times(n.low - x.high, step.high));
  if (step.low <= 0) return out;
  const Wide most = times(n.high - x.low, step.low);
  if (exact && x.low + most * step.low >= low + size) return out;
  out.most = clamped(most);
  out.exact = exact;
  return out;
}

}  // namespace

TripBounds first_failure(const LoopCounter& c, const ScalarRange& start, const ScalarRange& bound,
                         const ScalarRange& step) {
  const unsigned w = c.width;
  const Wide low = c.is_signed ? -power(w - 1) : 0;
  const Wide high = c.is_signed ? power(w - 1) - 1 : power(w) - 1;
  const ScalarRange x = start.as(c.is_signed, w), n = bound.as(c.is_signed, w);
  const ScalarRange s = step.as(true, w);
  auto minus = [](const ScalarRange& r) { return ScalarRange{-r.high, -r.low}; };
  switch (c.order) {
    case Order::kLt:
      return below(x, n, s, low, power(w));
    case Order::kLe:
      if (n.exact() && n.low == high) return {};  // never fails
      return below(x, {n.low + 1, n.high + 1}, s, low, power(w));
    case Order::kGt:
      return below(minus(x), minus(n), minus(s), -high, power(w));
    case Order::kGe:
      if (n.exact() && n.low == low) return {};
      return below(minus(x), {1 - n.high, 1 - n.low}, minus(s), -high, power(w));
    case Order::kEq:
      if (x.exact() && n.exact()) {
        if (x.low != n.low) return {0, 0, true};
        if (s.exact() && s.low != 0) return {1, 1, true};
        return {1, UINT64_MAX, false};
      }
      return {0, s.low > 0 || s.high < 0 ? 1 : UINT64_MAX, false};
    case Order::kNe: {
      if (s.low <= 0 && s.high >= 0) return {};
      const bool up = s.low > 0;
      const Wide nearest = up ? s.low : -s.high, farthest = up ? s.high : -s.low;
      Wide least = up ? n.low - x.high : x.low - n.high;
      Wide most = up ? n.high - x.low : x.high - n.low;
      if (x.exact() && n.exact() && s.exact()) {
        if (most < 0) most += power(w);
        if (most % nearest != 0) return {};
        return {clamped(most / nearest), clamped(most / nearest), true};
      }
      if (most < 0) return {};
      return {clamped(least / farthest), clamped(most / nearest), false};
    }
  }
  return {};
}

namespace {

bool holds(const LoopCounter& c, Wide x, Wide n) {
  switch (c.order) {
    case Order::kEq:
      return x == n;
    case Order::kNe:
      return x != n;
    case Order::kLt:
      return x < n;
    case Order::kLe:
      return x <= n;
    case Order::kGt:
      return x > n;
    case Order::kGe:
      return x >= n;
  }
  return false;
}

// UINT64_MAX when it still holds with all bits shifted out.
uint64_t step_through(const LoopCounter& c, Wide x, Wide n) {
  auto shift = [&] {
    if (c.shift > 0) {
      x >>= c.shift;
    } else {
      x = ScalarRange::constant(static_cast<uint64_t>(x << -c.shift) & Bits::mask(c.width))
              .as(c.is_signed, c.width)
              .low;
    }
  };
  if (c.stepped) shift();
  for (uint64_t t = 0; t <= c.width; ++t) {
    if (!holds(c, x, n)) return t;
    shift();
  }
  return UINT64_MAX;
}

}  // namespace

TripBounds first_failure_shifted(const LoopCounter& c, const ScalarRange& start,
                                 const ScalarRange& bound) {
  const ScalarRange x = start.as(c.is_signed, c.width), n = bound.as(c.is_signed, c.width);
  if (x.exact() && n.exact()) {
    const uint64_t t = step_through(c, x.low, n.low);
    return {t, t, t != UINT64_MAX};
  }
  // From a larger start a counter is halved more often, and doubled less often.
  const bool down = c.shift > 0 && x.low >= 0 &&
                    (c.order == Order::kGt || c.order == Order::kGe ||
                     (c.order == Order::kNe && n.exact() && n.low == 0));
  if (down) return {step_through(c, x.low, n.high), step_through(c, x.high, n.low), false};
  const bool up = c.shift < 0 && x.low > 0 && (c.order == Order::kLt || c.order == Order::kLe);
  if (up) return {step_through(c, x.high, n.low), step_through(c, x.low, n.high), false};
  return {};
}

ScalarRange fitted(const ScalarRange& r, unsigned width) {
  return r.low < -power(width - 1) || r.high >= power(width) ? ScalarRange::full(width) : r;
}

ScalarRange shifted(const ScalarRange& r, int64_t by, unsigned width) {
  if (fitted(r, width).low != r.low || fitted(r, width).high != r.high)
    return ScalarRange::full(width);
  ScalarRange out{r.low + by, r.high + by};
  const Wide size = power(width), seam = power(width - 1);
  // Whole turns do not matter.
  const Wide turns = out.low >= 0 ? out.low / size : -((-out.low + size - 1) / size);
  out.low -= turns * size;
  out.high -= turns * size;
  if (out.high < size) return out;
  if (out.low >= seam && out.high - size < seam) return {out.low - size, out.high - size};
  return ScalarRange::full(width);
}

Order negated(Order o) {
  switch (o) {
    case Order::kEq:
      return Order::kNe;
    case Order::kNe:
      return Order::kEq;
    case Order::kLt:
      return Order::kGe;
    case Order::kLe:
      return Order::kGt;
    case Order::kGt:
      return Order::kLe;
    case Order::kGe:
      return Order::kLt;
  }
  return o;
}

Order mirrored(Order o) {
  switch (o) {
    case Order::kLt:
      return Order::kGt;
    case Order::kLe:
      return Order::kGe;
    case Order::kGt:
      return Order::kLt;
    case Order::kGe:
      return Order::kLe;
    default:
      return o;
  }
}

int64_t signed_of(int64_t v, unsigned width) {
  return sign_extended(static_cast<uint64_t>(v), width);
}

}  // namespace pitot::analysis
