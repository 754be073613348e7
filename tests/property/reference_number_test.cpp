// The reference interpreter's exact numbers against the host's floating-point unit, in every
// rounding mode: two ways to the same IEEE 754 result.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "property/random_program.h"
#include "reference/number.h"

namespace pitot::property {

namespace {

using reference::Number;
using reference::Rounding;
using reference::Value;

struct Mode {
  Rounding rounding;
  int host;
};
constexpr Mode kModes[] = {{Rounding::kNearestEven, FE_TONEAREST},
                           {Rounding::kZero, FE_TOWARDZERO},
                           {Rounding::kDown, FE_DOWNWARD},
                           {Rounding::kUp, FE_UPWARD}};

// Operands are volatile so that nothing is computed before the mode is set.
template <class F>
F on_host(int operation, F a, F b, F c, int mode) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile F x = a, y = b, z = c, r = 0;
  switch (operation) {
    case 0:
      r = x + y;
      break;
    case 1:
      r = x * y;
      break;
    case 2:
      r = x / y;
      break;
    case 3:
      r = std::sqrt(x);
      break;
    default:
      r = std::fma(x, y, z);
      break;
  }
  std::fesetround(before);
  return r;
}

Number exactly(int operation, const Number& a, const Number& b, const Number& c, Rounding mode) {
  switch (operation) {
    case 0:
      return reference::sum(a, b, mode);
    case 1:
      return reference::product(a, b);
    case 2:
      return reference::quotient(a, b);
    case 3:
      return reference::square_root(a);
    default:
      return reference::sum(reference::product(a, b), c, mode);
  }
}

template <class F, class Bits>
void compare_with_host(reference::Format f, uint32_t rounds) {
  Random r(7);
  for (uint32_t n = 0; n < rounds; ++n) {
    const int operation = static_cast<int>(r.below(5));
    const Mode& mode = r.of(kModes);
    Bits in[3];
    for (Bits& b : in) b = static_cast<Bits>(interesting_bits(r, f.bits()));
    const F host = on_host(operation, std::bit_cast<F>(in[0]), std::bit_cast<F>(in[1]),
                           std::bit_cast<F>(in[2]), mode.host);
    const Number exact =
        exactly(operation, reference::decode(f, in[0]), reference::decode(f, in[1]),
                reference::decode(f, in[2]), mode.rounding);
    ASSERT_EQ(std::isnan(host), exact.nan()) << operation;
    if (exact.nan()) continue;
    const auto got = static_cast<Bits>(reference::encode(f, exact, mode.rounding));
    ASSERT_EQ(got, std::bit_cast<Bits>(host))
        << "operation " << operation << " mode " << static_cast<int>(mode.rounding) << std::hex
        << " of " << in[0] << ' ' << in[1] << ' ' << in[2];
  }
}

TEST(ReferenceNumber, SinglePrecisionIsTheHosts) {
  compare_with_host<float, uint32_t>(reference::kSingle, 200000);
}
TEST(ReferenceNumber, DoublePrecisionIsTheHosts) {
  compare_with_host<double, uint64_t>(reference::kDouble, 200000);
}

}  // namespace

}  // namespace pitot::property
