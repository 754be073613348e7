#include "bench/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/values.h"

namespace pitot::bench {
namespace {

struct FloatFormat {
  int precision;          // bits of the significand, the hidden one included
  double largest, least;  // finite; the least subnormal
};

FloatFormat format_of(ptx::Type type) {
  using enum ptx::Type;
  switch (type) {
    case kF64:
      return {53, std::numeric_limits<double>::max(), 0x1p-1074};
    case kTf32:
      return {11, 0x1.ffcp127, 0x1p-136};
    case kF16:
      return {11, 65504, 0x1p-24};
    case kBf16:
      return {8, 0x1.fep127, 0x1p-133};
    case kE4m3:
      return {4, 448, 0x1p-9};
    case kE5m2:
      return {3, 57344, 0x1p-16};
    default:
      return {24, 0x1.fffffep127, 0x1p-149};
  }
}

uint64_t element(std::span<const std::byte> bytes, uint64_t index, unsigned each) {
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + index * each, each);
  return v;
}

constexpr double kRoundings = 2;  // units of the output's type that a result may be off
// One rounding, in the mean square; somewhat more, for a value that lies near the middle of two.
constexpr double kRoundingRms = 0.45;

// What is looked at of one element.
struct Case {
  double exact, scale, got, start;
  const FloatFormat& out;
  double u_out, u_in;

  double by_output() const { return std::max(u_out * std::fabs(exact), out.least); }
  double by_scale() const { return std::isfinite(scale) ? u_in * std::fabs(scale) : 0; }
  double unit() const { return std::max(by_output(), by_scale()); }
  double units() const { return std::fabs(got - exact) / unit(); }
  // In units: what the arithmetic explains, and the rounding of its result to a coarser type.
  double allowed(const ErrorLimits& limits) const {
    if (u_out <= u_in) return limits.worst;
    return (kRoundings * by_output() + limits.worst * by_scale()) / unit();
  }
  double explained_square(const ErrorLimits& limits) const {
    if (u_out <= u_in) return limits.rms * limits.rms;
    const double a = kRoundingRms * by_output(), b = limits.rms * by_scale();
    return (a * a + b * b) / (unit() * unit());
  }
};

// The class of a result: NaN 0, −∞ −1, ∞ 1, finite 2.
int class_of(double v) { return std::isnan(v) ? 0 : std::isinf(v) ? (v > 0 ? 1 : -1) : 2; }

// An exact value beyond what the type holds is an infinity there, or rounds to the largest number.
bool class_fits(const Case& c, int got) {
  if (class_of(c.exact) == got) return true;
  const double edge = c.out.largest * (1 - 8 * c.u_out);
  return class_of(c.exact) == 2 && std::fabs(c.exact) >= edge && got == (c.exact > 0 ? 1 : -1);
}

Wrong class_error(int wanted, int got) {
  return got == 0 ? Wrong::kNan : wanted == 0 ? Wrong::kNotNan : Wrong::kInfinity;
}

struct Look {
  Wrong wrong = Wrong::kNothing;
  double units = -1;  // below 0: not counted
};

Look look_at(const Case& c, const ErrorLimits& limits, double start_worst) {
  const int got = class_of(c.got), start = class_of(c.start);
  if (got != 2) {
    if (class_fits(c, got) || got == start) return {};
    return {class_error(class_of(c.exact), got), -1};
  }
  if (class_of(c.exact) != 2) {
    // What the start kernel has of it: a maximum that passes over NaN, say.
    if (start == 2 &&
        (c.got == c.start || std::fabs(c.got - c.start) <= 64 * c.u_out * std::fabs(c.start)))
      return {};
    return {class_error(class_of(c.exact), got), -1};
  }
  if (std::fabs(c.exact) > c.out.largest) {  // rounds to an infinity or to the largest number
    const bool near = c.got * c.exact > 0 && std::fabs(c.got) >= c.out.largest * (1 - 64 * c.u_out);
    return {near ? Wrong::kNothing : Wrong::kValue, -1};
  }
  const double units = c.units();
  const double most = std::max(c.allowed(limits), 4 * start_worst);
  return {units <= most ? Wrong::kNothing : Wrong::kValue, units};
}

void count(OutputJudgement& out, double units) {
  out.errors.squares += units * units;
  out.errors.worst = std::max(out.errors.worst, units);
  ++out.errors.count;
}

void note(OutputJudgement& out, uint64_t index, Wrong why, double got, double expected,
          double units) {
  if (out.differing++ != 0) return;
  out.wrong = why;
  out.index = index;
  out.got = got;
  out.expected = expected;
  out.units = units;
}

OutputJudgement judge_bits(const ExpectedOutput& expected, std::span<const std::byte> got) {
  OutputJudgement out;
  const unsigned each = ptx::bytes_of(expected.type);
  for (uint64_t i = 0; i < expected.start.size() / each; ++i) {
    const uint64_t want = element(expected.start, i, each), have = element(got, i, each);
    if (want == have) continue;
    const bool is_float = ptx::kind_of(expected.type) == ptx::TypeKind::kFloat;
    // NaN of any bits, and either zero.
    const double w = device::decode(want, expected.type), h = device::decode(have, expected.type);
    if (is_float && ((std::isnan(w) && std::isnan(h)) || w == h)) continue;
    note(out, i, is_poison(have, each) ? Wrong::kUnwritten : Wrong::kValue, h, w, 0);
  }
  return out;
}

}  // namespace

bool is_poison(uint64_t bits, unsigned each) {
  uint64_t p = 0;
  std::memset(&p, static_cast<int>(device::kPoison), each);
  return bits == p;
}

double unit_roundoff(ptx::Type type) { return std::ldexp(1.0, -format_of(type).precision); }

double ErrorSum::rms() const {
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

double ErrorSum::explained_rms() const {
  return count == 0 ? 0 : std::sqrt(explained / static_cast<double>(count));
}

void ErrorSum::add(const ErrorSum& o) {
  squares += o.squares;
  explained += o.explained;
  worst = std::max(worst, o.worst);
  count += o.count;
}

ErrorLimits model_limits(double length, double operations) {
  const double sum = length > 1 ? std::sqrt(length) : 0;
  // A rounding is off by 0.41 units in the mean square: uniform within half a place of numbers
  // whose significands are spread evenly over [1, 2).
  return {2 * operations + 8 * sum, 0.41 * std::sqrt(operations) + 0.5 * sum};
}

OutputJudgement judge_output(const ExpectedOutput& expected, std::span<const std::byte> got,
                             ptx::Type arithmetic, const ErrorLimits& limits,
                             const ErrorSum& start) {
  if (expected.exact_bits()) return judge_bits(expected, got);
  OutputJudgement out;
  const unsigned each = ptx::bytes_of(expected.type);
  const FloatFormat format = format_of(expected.type);
  const double u_out = unit_roundoff(expected.type), u_in = unit_roundoff(arithmetic);
  for (uint64_t i = 0; i < expected.exact.size(); ++i) {
    const uint64_t bits = element(got, i, each);
    const Case c{expected.exact[i],
                 expected.scale[i],
                 device::decode(bits, expected.type),
                 device::decode(element(expected.start, i, each), expected.type),
                 format,
                 u_out,
                 u_in};
    const Look look = look_at(c, limits, start.worst);
    if (look.units >= 0 && look.wrong == Wrong::kNothing) {
      count(out, look.units);
      out.errors.explained += c.explained_square(limits);
    }
    if (look.wrong != Wrong::kNothing)
      note(out, i, is_poison(bits, each) ? Wrong::kUnwritten : look.wrong, c.got, c.exact,
           std::max(0.0, look.units));
  }
  return out;
}

OutputJudgement judge_start(const ExpectedOutput& expected, ptx::Type arithmetic) {
  OutputJudgement out;
  if (expected.exact_bits()) return out;
  const unsigned each = ptx::bytes_of(expected.type);
  const FloatFormat format = format_of(expected.type);
  const double u_out = unit_roundoff(expected.type), u_in = unit_roundoff(arithmetic);
  for (uint64_t i = 0; i < expected.exact.size(); ++i) {
    const double start = device::decode(element(expected.start, i, each), expected.type);
    const Case c{expected.exact[i], expected.scale[i], start, start, format, u_out, u_in};
    const int have = class_of(start), want = class_of(c.exact);
    if (have == 2 && want == 2 && std::fabs(c.exact) <= format.largest) {
      count(out, c.units());
    } else if (!class_fits(c, have) && !(have == 2 && want == 2)) {
      note(out, i, class_error(want, have), start, c.exact, 0);
    }
  }
  return out;
}

}  // namespace pitot::bench
