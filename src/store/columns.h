// The columns that a record is stored in: one list for the table's definition, writing and reading.
#pragma once

#include "measure/measure_result.h"

namespace pitot::store {

// Calls visit(name, member) for every field. A store that lacks a new field's column gets it when
// it is opened; columns are found by name and never change their meaning.
template <class Telemetry, class Visitor>
void visit_telemetry(const std::string& when, Telemetry& t, Visitor&& visit) {
  visit(when + "_sm_clock_mhz", t.sm_clock_mhz);
  visit(when + "_memory_clock_mhz", t.memory_clock_mhz);
  visit(when + "_temperature_c", t.temperature_c);
  visit(when + "_power_w", t.power_w);
  visit(when + "_utilisation_percent", t.utilisation_percent);
  visit(when + "_memory_utilisation_percent", t.memory_utilisation_percent);
  visit(when + "_memory_used_bytes", t.memory_used_bytes);
  visit(when + "_throttle_reasons", t.throttle_reasons);
}

template <class Record, class Visitor>
void visit_measurement(Record& r, Visitor&& visit) {
  visit("spec", r.spec);
  visit("ptx", r.ptx);
  visit("kernel", r.kernel);
  visit("size", r.size_text);
  visit("size_kind", r.size_kind);
  visit("ptx_hash", r.ptx_hash);
  visit("spec_hash", r.spec_hash);
  visit("grid_x", r.grid[0]);
  visit("grid_y", r.grid[1]);
  visit("grid_z", r.grid[2]);
  visit("block_x", r.block[0]);
  visit("block_y", r.block[1]);
  visit("block_z", r.block[2]);
  visit("dynamic_shared", r.dynamic_shared);
  visit("producer", r.producer);
  visit("target", r.target);
  visit("device", r.device);
  visit("gpu", r.gpu);
  visit("driver", r.driver);
  visit("tool", r.tool);
  visit("capability", r.capability);
  visit("protocol", r.protocol);
  visit("cache", r.cache);
  visit("seed", r.seed);
  visit("started", r.started);
  visit("ok", r.ok);
  visit("reason", r.reason);
  visit("samples", r.samples);
  visit("batch", r.batch);
  visit("median", r.median.value);
  visit("median_lo", r.median.lo);
  visit("median_hi", r.median.hi);
  visit("mean", r.mean);
  visit("deviation", r.deviation);
  visit("least", r.least);
  visit("most", r.most);
  visit("outliers", r.outliers);
  visit("stable", r.stable);
  visit("narrow", r.narrow);
  visit("warmup_ms", r.warmup_ms);
  visit("traffic_bytes", r.traffic_bytes);
  visit("cycles", r.cycles);
  visit("registers", r.registers);
  visit("local_bytes", r.local_bytes);
  visit("static_shared", r.static_shared);
  visit("constant_bytes", r.constant_bytes);
  visit("estimated_registers", r.estimated_registers);
  visit("register_cap", r.register_cap);
  visit("occupancy", r.occupancy);
  visit("achieved_occupancy", r.achieved_occupancy);
  visit_telemetry("before", r.before, visit);
  visit_telemetry("after", r.after, visit);
}

// Of a comparison but its two sides.
template <class Record, class Visitor>
void visit_comparison(Record& r, Visitor&& visit) {
  visit("change", r.change.value);
  visit("change_lo", r.change.lo);
  visit("change_hi", r.change.hi);
  visit("noise_band", r.noise_band);
  visit("least_detectable", r.least_detectable);
  visit("rounds", r.rounds);
  visit("placements", r.placements);
  visit("verdict", r.verdict);
  visit("reason", r.reason);
}

}  // namespace pitot::store
