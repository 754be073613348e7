// What all floating-point operations share: bit patterns of f32 and f64 results, rounding modes,
// and kernels compiled once more for machines with AVX2 and FMA.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>

#include "emulator/select.h"
#include "emulator/vector_op.h"

#if defined(__x86_64__) && defined(__SSE2__)
#include <immintrin.h>
#define PITOT_X86 1
#endif

// Kernels must be inlined into the function that carries the target attribute.
#define PITOT_INLINE inline __attribute__((always_inline))

namespace pitot::emulator {

enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

// The rounding modifier of an opcode: rn, rz, rm, rp, rna and the integer ones; nearest without.
inline Rounding rounding_of(const Selection& s) {
  using ptx::Mod;
  if (s.has(Mod::kRz) || s.has(Mod::kRzi)) return Rounding::kZero;
  if (s.has(Mod::kRm) || s.has(Mod::kRmi)) return Rounding::kDown;
  if (s.has(Mod::kRp) || s.has(Mod::kRpi)) return Rounding::kUp;
  if (s.has(Mod::kRna)) return Rounding::kNearestAway;
  return Rounding::kNearest;
}
inline bool has_rounding(const Selection& s) {
  using ptx::Mod;
  return s.has(Mod::kRn) || s.has(Mod::kRz) || s.has(Mod::kRm) || s.has(Mod::kRp);
}

// Sets the host's rounding direction for a block. Operands must be read from memory after it and
// results written to memory before its end: the compiler moves neither across the barriers.
class RoundingScope {
 public:
  explicit PITOT_INLINE RoundingScope(Rounding r) {
#ifdef PITOT_X86
    constexpr unsigned kBits[] = {0, 0x6000, 0x2000, 0x4000, 0};
    before_ = _mm_getcsr();
    _mm_setcsr((before_ & ~0x6000u) | kBits[static_cast<unsigned>(r)]);
#else
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    before_ = static_cast<unsigned>(std::fegetround());
    std::fesetround(kModes[static_cast<unsigned>(r)]);
#endif
    asm volatile("" ::: "memory");
  }
  PITOT_INLINE ~RoundingScope() {
    asm volatile("" ::: "memory");
#ifdef PITOT_X86
    _mm_setcsr(before_);
#else
    std::fesetround(static_cast<int>(before_));
#endif
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

  // Makes a local array take part in the barriers.
  static PITOT_INLINE void share(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

 private:
  unsigned before_;
};

inline constexpr uint32_t kNan32 = 0x7fffffff;  // of every f32 operation
// Of f64 operations without a NaN among the operands; else the first NaN operand, made quiet.
inline constexpr uint64_t kNan64 = 0xfff8000000000000;
inline constexpr uint64_t kQuiet64 = 0x0008000000000000;

// c ? a : b without a branch: with one, computing a or b would move into it, and the loop would not
// vectorise.
PITOT_INLINE uint32_t pick(bool c, uint32_t a, uint32_t b) {
  const uint32_t m = uint32_t{0} - static_cast<uint32_t>(c);
  return (a & m) | (b & ~m);
}
PITOT_INLINE uint64_t pick64(bool c, uint64_t a, uint64_t b) {
  const uint64_t m = uint64_t{0} - static_cast<uint64_t>(c);
  return (a & m) | (b & ~m);
}

PITOT_INLINE bool is_nan32(uint32_t v) { return static_cast<int32_t>(v & 0x7fffffff) > 0x7f800000; }
PITOT_INLINE bool is_nan64(uint64_t v) {
  return static_cast<int64_t>(v & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
// .ftz: subnormals become zeros of the same sign.
PITOT_INLINE uint32_t flush32(uint32_t v) {
  return v & ~pick((v & 0x7f800000) == 0, 0x7fffffff, 0);
}
PITOT_INLINE uint32_t canonical32(uint32_t v) { return pick(is_nan32(v), kNan32, v); }
// .sat: [+0, 1]; NaN becomes +0, and so does −0.
PITOT_INLINE uint32_t saturate32(uint32_t v) {
  const auto s = static_cast<int32_t>(v);
  const int32_t top = s > 0x3f800000 ? 0x3f800000 : s;
  return static_cast<uint32_t>(s < 0 || s > 0x7f800000 ? 0 : top);
}
PITOT_INLINE uint64_t saturate64(uint64_t v) {
  const auto s = static_cast<int64_t>(v);
  const int64_t top = s > 0x3ff0000000000000 ? 0x3ff0000000000000 : s;
  return static_cast<uint64_t>(s < 0 || s > 0x7ff0000000000000 ? 0 : top);
}

PITOT_INLINE uint32_t bits(float v) { return std::bit_cast<uint32_t>(v); }
PITOT_INLINE uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }
PITOT_INLINE float as_f32(uint32_t v) { return std::bit_cast<float>(v); }
PITOT_INLINE double as_f64(uint64_t v) { return std::bit_cast<double>(v); }

// d[i] = f(i) for kCount words, of which 1 << kShift belong to a lane; f is a function object with
// an always-inline call. Other lanes' words are kept.
template <unsigned kCount = kLanes, unsigned kShift = 0, class W, class F>
PITOT_INLINE void write_lanes(W* d, LaneMask mask, const F& f) {
  if (mask == kAllLanes) {
    PITOT_LANES
    for (unsigned i = 0; i < kCount; ++i) d[i] = f(i);
    return;
  }
  PITOT_LANES
  for (unsigned i = 0; i < kCount; ++i) {
    const W keep = d[i];
    const W r = f(i);
    const W take = W{0} - static_cast<W>((mask >> (i >> kShift)) & 1);
    d[i] = (r & take) | (keep & ~take);
  }
}

// Whether the machine that runs this has what the second version of the kernels needs.
bool has_avx2_fma();

#if defined(__clang__)
// Kernels that call the C library do not vectorise, and at -O1 none does.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
template <class Kernel>
void run_plain(Warp& w, const Op& op, LaneMask mask) {
  Kernel::run(w, op, mask);
}
#ifdef PITOT_X86
template <class Kernel>
__attribute__((target("avx2,fma"))) void run_avx2(Warp& w, const Op& op, LaneMask mask) {
  Kernel::run(w, op, mask);
}
#endif
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// The handler of a kernel: a type with an always-inline static run(Warp&, const Op&, LaneMask).
template <class Kernel>
Handler handler_of() {
#ifdef PITOT_X86
  if (has_avx2_fma()) return run_avx2<Kernel>;
#endif
  return run_plain<Kernel>;
}

}  // namespace pitot::emulator
