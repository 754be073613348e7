// Records with every field set, for tests of the store.
#pragma once

#include <string>

#include "measure/measure_result.h"

namespace pitot::store::test {

inline measure::MeasureRecord measurement(uint64_t n = 0) {
  measure::MeasureRecord r;
  r.spec = "kernels/saxpy.kernel.toml";
  r.ptx = "saxpy.sm80.ptx";
  r.kernel = "saxpy";
  r.size_text = "n=" + std::to_string(1000 + n);
  r.size_kind = "full";
  r.ptx_hash = "00ff";
  r.spec_hash = "abcd";
  r.grid = {12, 3, 2};
  r.block = {256, 2, 1};
  r.dynamic_shared = 49152;
  r.producer = "NVIDIA NVVM Compiler, \"quoted\"";
  r.target = "sm_80";
  r.device = "cuda:0";
  r.gpu = "NVIDIA H200";
  r.driver = "580.95";
  r.tool = "0.1.0";
  r.capability = 90;
  r.protocol = "graph/3";
  r.cache = measure::CacheState::kCold;
  r.seed = UINT64_MAX - n;
  r.started = "2026-01-31T12:00:00Z";
  r.ok = true;
  r.samples = {0.101, 0.1025, 0.1 + static_cast<double>(n) * 1e-9};
  r.batch = 20;
  r.median = {0.1013, 0.1, 0.103};
  r.mean = 0.10127;
  r.deviation = 0.0009;
  r.least = 0.1;
  r.most = 0.1031;
  r.outliers = 1;
  r.stable = true;
  r.warmup_ms = 31.5;
  r.traffic_bytes = 12.5e6;
  r.cycles = 180000;
  r.registers = 32;
  r.local_bytes = 8;
  r.static_shared = 1024;
  r.constant_bytes = 400;
  r.estimated_registers = 30;
  r.register_cap = 64;
  r.occupancy = 0.75;
  r.before = {1980, 3201, 41, 350.5, 97, 40, 1e9, {"power cap", "thermal slowdown"}};
  r.after.sm_clock_mhz = 1755;
  return r;
}

inline measure::CompareRecord comparison(uint64_t n = 0) {
  measure::CompareRecord c;
  c.a = measurement(n);
  c.b = measurement(n);
  c.b.kernel = "saxpy_fast";
  c.change = {-0.1, -0.11, -0.09};
  c.noise_band = 0.004;
  c.least_detectable = 0.006;
  c.rounds = 80;
  c.placements = 8;
  c.verdict = measure::Verdict::kFaster;
  c.reason = "";
  return c;
}

}  // namespace pitot::store::test
