// Records on their way between processes.
#pragma once

#include "cuda/gpu.h"
#include "measure/live_sample.h"
#include "measure/measure_result.h"
#include "support/archive.h"

namespace pitot::cuda {
template <class A>
void fields(A& a, GpuFacts& g) {
  a(g.number, g.name, g.capability, g.multiprocessors, g.memory_bytes, g.l2_bytes,
    g.shared_per_block, g.shared_per_block_optin, g.pci, g.driver);
}
}  // namespace pitot::cuda

namespace pitot::measure {

template <class A>
void fields(A& a, Telemetry& t) {
  a(t.sm_clock_mhz, t.memory_clock_mhz, t.temperature_c, t.power_w, t.utilisation_percent,
    t.memory_utilisation_percent, t.memory_used_bytes, t.throttle_reasons);
}
template <class A>
void fields(A& a, LiveSample& s) {
  a(s.ms, s.failure, s.lost, s.state);
}
template <class A>
void fields(A& a, Estimate& e) {
  a(e.value, e.lo, e.hi);
}
template <class A>
void fields(A& a, MeasureRecord& r) {
  a(r.spec, r.ptx, r.kernel, r.size_text, r.size_kind, r.ptx_hash, r.spec_hash, r.grid, r.block,
    r.dynamic_shared, r.producer, r.target, r.device, r.gpu, r.driver, r.tool, r.capability,
    r.protocol, r.cache, r.seed, r.started);
  a(r.ok, r.reason, r.samples, r.batch, r.median, r.mean, r.deviation, r.least, r.most, r.outliers,
    r.stable, r.narrow, r.warmup_ms, r.traffic_bytes, r.cycles, r.registers, r.local_bytes,
    r.static_shared, r.constant_bytes, r.estimated_registers, r.register_cap, r.occupancy,
    r.achieved_occupancy, r.before, r.after);
}
template <class A>
void fields(A& a, CompareRecord& c) {
  a(c.a, c.b, c.change, c.noise_band, c.least_detectable, c.rounds, c.placements, c.verdict,
    c.reason);
}

}  // namespace pitot::measure
