// Peak rates from the table and the roofline itself.
#include "arch/roofline.h"

#include <algorithm>
#include <limits>

namespace pitot::arch {

std::string_view name_of(Rate rate) {
  switch (rate) {
    case Rate::kFp16:
      return "fp16";
    case Rate::kFp32:
      return "fp32";
    case Rate::kFp64:
      return "fp64";
    case Rate::kInt32:
      return "int32";
    case Rate::kSfu:
      return "sfu";
    case Rate::kTensorFp16:
      return "tensor_fp16";
  }
  return "";
}

std::optional<double> peak_rate(const Gpu& gpu, Rate rate) {
  const Capability& c = *gpu.capability;
  Figure<uint32_t> lanes;
  double per_result = 2;
  switch (rate) {
    case Rate::kFp16:
      lanes = c.fp16_lanes;
      break;
    case Rate::kFp32:
      lanes = c.fp32_lanes;
      break;
    case Rate::kFp64:
      lanes = c.fp64_lanes;
      break;
    case Rate::kTensorFp16:
      lanes = c.tensor_fp16_lanes;
      break;
    case Rate::kInt32:
      lanes = c.int32_lanes, per_result = 1;
      break;
    case Rate::kSfu:
      lanes = c.sfu_lanes, per_result = 1;
      break;
  }
  if (!lanes || !gpu.sms || !gpu.boost_mhz) return std::nullopt;
  return per_result * *lanes * *gpu.sms * *gpu.boost_mhz * 1e6;
}

std::optional<Roofline> roofline(const Gpu& gpu, Rate rate) {
  auto peak = peak_rate(gpu, rate);
  if (!peak || !gpu.dram_gb_per_s) return std::nullopt;
  return Roofline{*peak, *gpu.dram_gb_per_s * 1e9};
}

Attainable attainable(const Roofline& roof, double operations, double bytes) {
  Attainable result;
  double compute_time = operations / roof.peak;
  double memory_time = bytes / roof.bandwidth;
  result.intensity = bytes > 0 ? operations / bytes : std::numeric_limits<double>::infinity();
  result.seconds = std::max(compute_time, memory_time);
  result.memory_bound = memory_time > compute_time;
  result.rate = result.memory_bound ? result.intensity * roof.bandwidth : roof.peak;
  return result;
}

}  // namespace pitot::arch
