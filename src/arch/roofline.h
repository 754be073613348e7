// Roofline: the most a GPU can do at a given arithmetic intensity, and which side of the ridge that
// is (Williams, Waterman, Patterson, "Roofline", CACM 2009). Peaks are lanes × SMs × boost clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/gpu.h"

namespace pitot::arch {

enum class Rate : uint8_t { kFp16, kFp32, kFp64, kInt32, kSfu, kTensorFp16 };
std::string_view name_of(Rate rate);  // "fp32"

// Operations a second; a fused multiply-add counts two for the floating-point rates, int32 and sfu
// results count one. None if the table lacks lanes, SMs or clock.
std::optional<double> peak_rate(const Gpu& gpu, Rate rate);

struct Roofline {
  double peak = 0;                                   // operations a second
  double bandwidth = 0;                              // bytes a second
  double ridge() const { return peak / bandwidth; }  // operations a byte
};

std::optional<Roofline> roofline(const Gpu& gpu, Rate rate);

struct Attainable {
  double intensity = 0;  // operations a byte; infinite if no bytes move
  double rate = 0;       // operations a second, at most
  double seconds = 0;    // at least
  bool memory_bound = false;
};

// What a kernel of `operations` and `bytes` of DRAM traffic can attain. Both must be ≥ 0.
Attainable attainable(const Roofline& roof, double operations, double bytes);

}  // namespace pitot::arch
