// Small sweeps with known times, for the tests of knobs.
#pragma once

#include <cmath>

#include "knobs/table.h"

namespace pitot::knobs::test {

// Two kernels at two sizes, blocks 64, 128, 256 and caps 0, 32. The time of a row is its size's
// base over (1 + number of the configuration), so the last configuration is the fastest; (64, 32)
// of "sum" does not run.
inline SweepResult small_sweep() {
  SweepResult out;
  for (const char* kernel : {"gemm", "sum"})
    for (const int64_t size : {256, 512}) {
      int number = 0;
      for (const int64_t block : {64, 128, 256})
        for (const int64_t cap : {0, 32}) {
          SweepRow r;
          r.kernel = kernel;
          r.matrix_size = size;
          r.settings = {block, cap};
          r.threads_per_block = static_cast<uint32_t>(block);
          r.estimated_registers = 30;
          r.registers = 32;
          r.occupancy = 0.5;
          r.mean_ms = static_cast<double>(size) / ++number;
          r.deviation_ms = 0.25;
          r.least_ms = r.mean_ms - 0.5;
          r.most_ms = r.mean_ms + 0.5;
          if (std::string(kernel) == "sum" && block == 64 && cap == 32) r.failure = "no registers";
          out.rows.push_back(r);
        }
    }
  return out;
}

}  // namespace pitot::knobs::test
