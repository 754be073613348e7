// Known bits: every transfer function against all values that the operands' facts allow.
#include "analysis/bits.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "analysis/int_ops.h"

namespace pitot::analysis {
namespace {

constexpr unsigned kWidth = 5;

// Lanes agree on bits outside `vary`: a concretisation is a set of lane values, here pairs.
std::vector<uint64_t> values_of(const Bits& b) {
  std::vector<uint64_t> out;
  for (uint64_t v = 0; v < 1u << kWidth; ++v)
    if ((v & b.zero) == 0 && (v & b.one) == b.one) out.push_back(v);
  return out;
}

Bits random_bits(std::mt19937& rng) {
  uint64_t m = Bits::mask(kWidth);
  uint64_t zero = rng() & rng() & m, one = rng() & rng() & m & ~zero;
  return {zero | ~m, one, rng() & m & ~zero & ~one};
}

void expect_sound(const Bits& out, uint64_t v, const char* what) {
  ASSERT_EQ(v & out.zero, 0u) << what;
  ASSERT_EQ(v & out.one, out.one) << what;
}

using Concrete = std::function<uint64_t(uint64_t, uint64_t)>;

// Two lanes hold x1, y1 and x2, y2, which differ only in bits that may vary.
void check(const char* what, const std::function<Bits(const Bits&, const Bits&)>& abstract,
           const Concrete& concrete, uint32_t rounds = 400) {
  std::mt19937 rng(7);
  for (uint32_t k = 0; k < rounds; ++k) {
    Bits a = random_bits(rng), b = random_bits(rng);
    Bits out = abstract(a, b);
    auto xs = values_of(a), ys = values_of(b);
    for (uint64_t x1 : xs) {
      for (uint64_t y1 : ys) {
        uint64_t v1 = concrete(x1, y1);
        expect_sound(out, v1, what);
        uint64_t x2 = xs[rng() % xs.size()], y2 = ys[rng() % ys.size()];
        x2 = (x2 & a.vary) | (x1 & ~a.vary);
        y2 = (y2 & b.vary) | (y1 & ~b.vary);
        ASSERT_EQ((v1 ^ concrete(x2, y2)) & ~out.vary, 0u)
            << what << " " << x1 << "," << y1 << " beside " << x2 << "," << y2;
      }
    }
  }
}

uint64_t low(uint64_t v) { return v & Bits::mask(kWidth); }

TEST(Bits, Arithmetic) {
  check(
      "add", [](auto& a, auto& b) { return bits_add(a, b, kWidth); },
      [](uint64_t x, uint64_t y) { return low(x + y); });
  check(
      "sub", [](auto& a, auto& b) { return bits_sub(a, b, kWidth); },
      [](uint64_t x, uint64_t y) { return low(x - y); });
  check(
      "mul", [](auto& a, auto& b) { return bits_mul(a, b, kWidth); },
      [](uint64_t x, uint64_t y) { return low(x * y); });
}

TEST(Bits, Logic) {
  check(
      "and", [](auto& a, auto& b) { return bits_and(a, b); },
      [](uint64_t x, uint64_t y) { return x & y; });
  check(
      "or", [](auto& a, auto& b) { return bits_or(a, b); },
      [](uint64_t x, uint64_t y) { return x | y; });
  check(
      "xor", [](auto& a, auto& b) { return bits_xor(a, b); },
      [](uint64_t x, uint64_t y) { return x ^ y; });
  check(
      "not", [](auto& a, auto&) { return bits_not(a, kWidth); },
      [](uint64_t x, uint64_t) { return low(~x); });
}

TEST(Bits, ShiftsAndExtensions) {
  for (unsigned n = 0; n <= kWidth + 1; ++n) {
    check(
        "shl", [n](auto& a, auto&) { return bits_shl(a, n, kWidth); },
        [n](uint64_t x, uint64_t) { return n >= kWidth ? 0 : low(x << n); }, 60);
    check(
        "shr.u", [n](auto& a, auto&) { return bits_shr(a, n, kWidth, false); },
        [n](uint64_t x, uint64_t) { return n >= kWidth ? 0 : x >> n; }, 60);
    check(
        "shr.s", [n](auto& a, auto&) { return bits_shr(a, n, kWidth, true); },
        [n](uint64_t x, uint64_t) {
          return low(static_cast<uint64_t>(sign_extended(x, kWidth) >> std::min(n, kWidth - 1)));
        },
        60);
  }
  check(
      "sign", [](auto& a, auto&) { return sign_extend(a, kWidth, 16); },
      [](uint64_t x, uint64_t) {
        return static_cast<uint64_t>(sign_extended(x, kWidth)) & 0xffff;
      });
}

TEST(Bits, Comparisons) {
  for (bool is_signed : {false, true}) {
    for (Order o : {Order::kEq, Order::kNe, Order::kLt, Order::kLe, Order::kGt, Order::kGe}) {
      check(
          "compare", [&](auto& a, auto& b) { return bits_compare(a, b, o, kWidth, is_signed); },
          [&](uint64_t x, uint64_t y) -> uint64_t {
            int64_t s = sign_extended(x, kWidth), t = sign_extended(y, kWidth);
            if (!is_signed) s = static_cast<int64_t>(x), t = static_cast<int64_t>(y);
            switch (o) {
              case Order::kEq:
                return s == t;
              case Order::kNe:
                return s != t;
              case Order::kLt:
                return s < t;
              case Order::kLe:
                return s <= t;
              case Order::kGt:
                return s > t;
              default:
                return s >= t;
            }
          },
          150);
    }
  }
}

TEST(Bits, WholeWarpsCompareAlikeOnTheirBoundary) {
  Bits tid{~Bits::mask(10), 0, 31};  // warps of consecutive x
  EXPECT_FALSE(bits_compare(tid, Bits::constant(64), Order::kLt, 32, false).varies());
  EXPECT_FALSE(bits_compare(tid, Bits::constant(31), Order::kGt, 32, true).varies());
  EXPECT_TRUE(bits_compare(tid, Bits::constant(33), Order::kLt, 32, false).varies());
  EXPECT_TRUE(bits_compare(tid, Bits::constant(0), Order::kEq, 32, false).varies());
}

TEST(Bits, JoinKeepsWhatBothSay) {
  Bits j = join(Bits::constant(12), Bits::constant(4));
  EXPECT_EQ(j.trailing_zeros(), 2u);
  EXPECT_EQ(j.one, 4u);
  EXPECT_FALSE(j.varies());
  EXPECT_EQ(join(Bits::bottom(), Bits::constant(3)), Bits::constant(3));
}

TEST(Bits, FullWidthDoesNotWrapTheFacts) {
  Bits top = Bits::uniform(64);
  top.zero = 15;
  Bits sum = bits_add(top, top, 64);
  EXPECT_EQ(sum.trailing_zeros(), 4u);
  EXPECT_EQ(sum.max(), ~uint64_t{15});
  EXPECT_EQ(bits_mul(top, Bits::constant(3), 64).trailing_zeros(), 4u);
}

}  // namespace
}  // namespace pitot::analysis
