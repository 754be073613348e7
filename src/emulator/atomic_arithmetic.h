// The read-modify-write operations on one element in memory (PTX ISA, "atom", "red"), as host
// atomics: blocks may run at the same time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "emulator/small_float.h"
#include "ptx/isa.h"

namespace pitot::emulator {

// f16 and bf16 as bits. Sums and comparisons are made in float: it holds more than twice their
// digits, so that rounding twice gives what rounding once does.
struct Half {
  static float widen(uint16_t h) { return std::bit_cast<float>(f16_to_f32(h)); }
  static uint16_t narrow(float f) {
    return static_cast<uint16_t>(f32_to_f16(std::bit_cast<uint32_t>(f)));
  }
};

struct Bfloat {
  static float widen(uint16_t h) { return std::bit_cast<float>(bf16_to_f32(h)); }
  static uint16_t narrow(float f) {
    return static_cast<uint16_t>(f32_to_bf16(std::bit_cast<uint32_t>(f)));
  }
};

namespace rmw {

// An operation: the new value from the old one and the operands. `flush`: subnormal numbers count
// as zero, which is what f32 additions on global memory do and those on shared memory do not.
template <class T>
struct Add {
  using Word = std::make_unsigned_t<T>;
  static Word apply(Word old, Word b, Word, bool) { return static_cast<Word>(old + b); }
};
template <class T>
struct Min {
  using Word = std::make_unsigned_t<T>;
  static Word apply(Word old, Word b, Word, bool) {
    return static_cast<Word>(std::min(static_cast<T>(old), static_cast<T>(b)));
  }
};
template <class T>
struct Max {
  using Word = std::make_unsigned_t<T>;
  static Word apply(Word old, Word b, Word, bool) {
    return static_cast<Word>(std::max(static_cast<T>(old), static_cast<T>(b)));
  }
};
template <class W>
struct And {
  using Word = W;
  static W apply(W old, W b, W, bool) { return old & b; }
};
template <class W>
struct Or {
  using Word = W;
  static W apply(W old, W b, W, bool) { return old | b; }
};
template <class W>
struct Xor {
  using Word = W;
  static W apply(W old, W b, W, bool) { return old ^ b; }
};
template <class W>
struct Exchange {
  using Word = W;
  static constexpr bool kReplaces = true;
  static W apply(W, W b, W, bool) { return b; }
};
template <class W>
struct CompareSwap {
  using Word = W;
  static W apply(W old, W b, W c, bool) { return old == b ? c : old; }
};
struct Increment {
  using Word = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool) { return old >= b ? 0 : old + 1; }
};
struct Decrement {
  using Word = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool) {
    return old == 0 || old > b ? b : old - 1;
  }
};
struct AddF32 {
  using Word = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool flush) {
    if (flush) old = flushed(old), b = flushed(b);
    uint32_t r = std::bit_cast<uint32_t>(std::bit_cast<float>(old) + std::bit_cast<float>(b));
    if ((r & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
    return flush ? flushed(r) : r;
  }
  static uint32_t flushed(uint32_t v) { return (v & 0x7f800000) == 0 ? v & 0x80000000 : v; }
};
struct AddF64 {
  using Word = uint64_t;
  static uint64_t apply(uint64_t old, uint64_t b, uint64_t, bool) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
};
template <class H>
struct AddHalf {
  using Word = uint16_t;
  static uint16_t apply(uint16_t old, uint16_t b, uint16_t, bool) {
    return H::narrow(H::widen(old) + H::widen(b));
  }
};
// A NaN loses against a number; +0 > -0.
template <class H, bool kMax>
struct ExtremeHalf {
  using Word = uint16_t;
  static uint16_t apply(uint16_t old, uint16_t b, uint16_t, bool) {
    const float x = H::widen(old), y = H::widen(b);
    if (std::isnan(x)) return std::isnan(y) ? 0x7fff : b;
    if (std::isnan(y)) return old;
    if (x == y) return ((old & 0x8000) != 0) == kMax ? b : old;
    return (x < y) == kMax ? b : old;
  }
};
// Both halves of a word, each by itself.
template <class E>
struct Packed {
  using Word = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool flush) {
    const auto low = E::apply(static_cast<uint16_t>(old), static_cast<uint16_t>(b), 0, flush);
    const auto high =
        E::apply(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(b >> 16), 0, flush);
    return low | static_cast<uint32_t>(high) << 16;
  }
};

// Whether the old value does not matter for the new one.
template <class E>
constexpr bool replaces() {
  if constexpr (requires { E::kReplaces; }) return E::kReplaces;
  return false;
}

// Returns what was there. The address is aligned to the element.
template <class E>
inline typename E::Word run(std::byte* at, typename E::Word b, typename E::Word c, bool flush) {
  using W = typename E::Word;
  W* p = reinterpret_cast<W*>(at);
  W old = __atomic_load_n(p, __ATOMIC_RELAXED);
  for (;;) {
    const W next = E::apply(old, b, c, flush);
    if (__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

// Calls f(E{}) with the operation that the modifiers and the type of an element name. False when
// there is none.
template <class F>
bool visit(const ptx::Opcode& o, ptx::Type t, F&& f) {
  using ptx::Mod;
  using ptx::Type;
  auto has = [&](Mod m) { return o.has_mod(m); };
  const bool min = has(Mod::kMin), max = has(Mod::kMax);
  const unsigned bits = ptx::bits_of(t);
  if (has(Mod::kExch)) {
    if (bits == 32) return f(Exchange<uint32_t>{}), true;
    if (bits == 64) return f(Exchange<uint64_t>{}), true;
    return false;
  }
  if (has(Mod::kCas)) {
    if (bits == 16) return f(CompareSwap<uint16_t>{}), true;
    if (bits == 32) return f(CompareSwap<uint32_t>{}), true;
    if (bits == 64) return f(CompareSwap<uint64_t>{}), true;
    return false;
  }
  if (has(Mod::kAnd) || has(Mod::kOr) || has(Mod::kXor)) {
    if (bits == 32)
      return has(Mod::kAnd)  ? f(And<uint32_t>{})
             : has(Mod::kOr) ? f(Or<uint32_t>{})
                             : f(Xor<uint32_t>{}),
             true;
    if (bits == 64)
      return has(Mod::kAnd)  ? f(And<uint64_t>{})
             : has(Mod::kOr) ? f(Or<uint64_t>{})
                             : f(Xor<uint64_t>{}),
             true;
    return false;
  }
  if (has(Mod::kInc) && bits == 32) return f(Increment{}), true;
  if (has(Mod::kDec) && bits == 32) return f(Decrement{}), true;
  if (!min && !max && !has(Mod::kAdd)) return false;
  switch (t) {
    case Type::kU32:
      return min ? f(Min<uint32_t>{}) : max ? f(Max<uint32_t>{}) : f(Add<uint32_t>{}), true;
    case Type::kS32:
      return min ? f(Min<int32_t>{}) : max ? f(Max<int32_t>{}) : f(Add<int32_t>{}), true;
    case Type::kU64:
      return min ? f(Min<uint64_t>{}) : max ? f(Max<uint64_t>{}) : f(Add<uint64_t>{}), true;
    case Type::kS64:
      return min ? f(Min<int64_t>{}) : max ? f(Max<int64_t>{}) : f(Add<int64_t>{}), true;
    case Type::kF32:
      return min || max ? false : (f(AddF32{}), true);
    case Type::kF64:
      return min || max ? false : (f(AddF64{}), true);
    case Type::kF16:
      return min   ? f(ExtremeHalf<Half, false>{})
             : max ? f(ExtremeHalf<Half, true>{})
                   : f(AddHalf<Half>{}),
             true;
    case Type::kBf16:
      return min   ? f(ExtremeHalf<Bfloat, false>{})
             : max ? f(ExtremeHalf<Bfloat, true>{})
                   : f(AddHalf<Bfloat>{}),
             true;
    case Type::kF16x2:
      return min   ? f(Packed<ExtremeHalf<Half, false>>{})
             : max ? f(Packed<ExtremeHalf<Half, true>>{})
                   : f(Packed<AddHalf<Half>>{}),
             true;
    case Type::kBf16x2:
      return min   ? f(Packed<ExtremeHalf<Bfloat, false>>{})
             : max ? f(Packed<ExtremeHalf<Bfloat, true>>{})
                   : f(Packed<AddHalf<Bfloat>>{}),
             true;
    default:
      return false;
  }
}

}  // namespace rmw
}  // namespace pitot::emulator
