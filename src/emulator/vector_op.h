// How an operation runs over the lanes of a register: loops of fixed length that vectorise, with
// the lanes that do not take part kept as they are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/warp.h"

namespace pitot::emulator {

// The word in which a register of type T lies in a frame.
template <class T>
using Word = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T>
inline T from_word(Word<T> w) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(w);
  } else {
    return static_cast<T>(w);
  }
}

// Narrow results leave the rest of the word zero.
template <class T>
inline Word<T> to_word(T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Word<T>>(v);
  } else {
    return static_cast<Word<T>>(static_cast<std::make_unsigned_t<T>>(v));
  }
}

template <class T>
inline Word<T>* words(Warp& w, uint32_t at) {
  return reinterpret_cast<Word<T>*>(w.regs + at);
}

// d[i] = result(i) for the lanes of the mask. The result may be computed for all of them.
template <class T, class F>
inline void store_lanes(Word<T>* d, LaneMask mask, F&& result) {
  if (mask == kAllLanes) {
    PITOT_LANES
    for (unsigned i = 0; i < kLanes; ++i) d[i] = to_word<T>(result(i));
    return;
  }
  PITOT_LANES
  for (unsigned i = 0; i < kLanes; ++i) {
    const Word<T> keep = d[i];
    const Word<T> r = to_word<T>(result(i));
    const Word<T> take = Word<T>{0} - static_cast<Word<T>>((mask >> i) & 1);
    d[i] = (r & take) | (keep & ~take);
  }
}

template <class D, class A, class F>
inline void unary(Warp& w, const Op& op, LaneMask mask, F f) {
  const auto* a = words<A>(w, op.a);
  store_lanes<D>(words<D>(w, op.d), mask, [&](unsigned i) { return D(f(from_word<A>(a[i]))); });
}

template <class D, class A, class B, class F>
inline void binary(Warp& w, const Op& op, LaneMask mask, F f) {
  const auto* a = words<A>(w, op.a);
  const auto* b = words<B>(w, op.b);
  store_lanes<D>(words<D>(w, op.d), mask,
                 [&](unsigned i) { return D(f(from_word<A>(a[i]), from_word<B>(b[i]))); });
}

template <class D, class A, class B, class C, class F>
inline void ternary(Warp& w, const Op& op, LaneMask mask, F f) {
  const auto* a = words<A>(w, op.a);
  const auto* b = words<B>(w, op.b);
  const auto* c = words<C>(w, op.c);
  store_lanes<D>(words<D>(w, op.d), mask, [&](unsigned i) {
    return D(f(from_word<A>(a[i]), from_word<B>(b[i]), from_word<C>(c[i])));
  });
}

// A mask from a condition on each lane.
template <class F>
inline LaneMask lanes_where(F&& condition) {
  LaneMask out = 0;
  for (unsigned i = 0; i < kLanes; ++i) out |= static_cast<LaneMask>(condition(i) ? 1 : 0) << i;
  return out;
}

// Calls f with a value of the C++ type that an integer type stands for.
template <class F>
inline Handler with_integer(ptx::Type t, F&& f) {
  using ptx::Type;
  switch (t) {
    case Type::kU16:
    case Type::kB16:
      return f(uint16_t{});
    case Type::kS16:
      return f(int16_t{});
    case Type::kU32:
    case Type::kB32:
      return f(uint32_t{});
    case Type::kS32:
      return f(int32_t{});
    case Type::kU64:
    case Type::kB64:
      return f(uint64_t{});
    case Type::kS64:
      return f(int64_t{});
    default:
      return nullptr;
  }
}
}  // namespace pitot::emulator
