// Sweeps as CSV with the columns of the published study (phase0_baseline.csv, phase1_result.csv),
// so that its scripts read them; further knobs have columns of their own behind these.
#pragma once

#include <string>

#include "knobs/sweep_result.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::knobs {

// kernel, matrix_size, block_size, threads_per_block, reg_cap, est_regs, actual_regs, theor_occ,
// time_ms_mean, time_ms_std, time_ms_min, time_ms_max, achieved_occ if any row has it; further
// knobs. A configuration that did not run has no times.
std::string sweep_csv(const SweepResult& sweep);

// The same, then ok, reason, NAME_raw and NAME_norm of each counter (percent, and its hundredth
// within 0…1), source. Rows whose counters nobody asked for are not ok.
std::string counters_csv(const SweepResult& sweep);

// Reads both. Complaints are located: a missing column, a number that is none, a configuration
// twice, times that cannot be.
SweepResult read_sweep(const SourceText& source, Diagnostics& out);

}  // namespace pitot::knobs
