// The unit of execution: 32 lanes, a mask of them, and how their values lie in a register.
#pragma once

#include <bit>
#include <cstdint>

// Lanes are independent, also where the destination is one of the sources: without this a loop
// with an aliased register would run one lane at a time.
#if defined(__clang__)
#define PITOT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define PITOT_LANES _Pragma("GCC ivdep")
#endif

namespace pitot::emulator {

inline constexpr unsigned kLanes = 32;
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
using LaneMask = uint32_t;  // bit i: lane i
inline constexpr LaneMask kAllLanes = UINT32_MAX;

// Calls f(lane) for each lane of the mask, lowest first.
template <class F>
inline void for_each_lane(LaneMask mask, F&& f) {
  while (mask != 0) {
    f(static_cast<unsigned>(std::countr_zero(mask)));
    mask &= mask - 1;
  }
}

inline LaneMask mask_of_first(unsigned lanes) {
  return lanes >= kLanes ? kAllLanes : (LaneMask{1} << lanes) - 1;
}

}  // namespace pitot::emulator
