// Clock reads in a kernel: a copy of its PTX that also writes when each block ran, by the clock of
// its SM; and what those records say of the launch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "support/result.h"

namespace pitot::measure {

// What one block writes, by linear block number (x fastest). A launch needs an array of these in
// device memory with the initial values below; its address is the kernel's last parameter.
struct ClockRecord {
  uint64_t start = UINT64_MAX;  // SM clock at the block's first instruction: least of its warps
  uint64_t end = 0;             // before the last exit of a lane: greatest of its warps
  uint32_t sm = 0;              // %smid
  uint32_t unused[3] = {};      // a record fills one sector of 32 bytes
};
static_assert(sizeof(ClockRecord) == 32);

struct ClockProbe {
  struct Insertion {
    uint32_t offset;  // in the original text
    std::string text;
  };
  std::string text;                   // the original with the insertions, otherwise byte for byte
  std::vector<Insertion> insertions;  // by offset
  std::string prefix;                 // that all inserted names share and none of the original has
};

// Adds the reads to one entry (with an empty name, to the only one). Costs a warp about thirty
// instructions and a reduction in global memory at each end; they lie outside the time between the
// two reads of that warp, but not outside that of other warps on the SM. Stores of the kernel may
// still be on their way when it reads the clock last.
// Errors (kInput) say why it cannot be done: no such entry, errors in the PTX, 32-bit addresses, a
// .version or .target that lacks an instruction, exit in a called function, an entry that the
// module itself launches.
Result<ClockProbe> insert_clock_probe(const ptx::Module& module, std::string_view entry);

struct ClockSpan {
  uint64_t cycles = 0;      // last end − first start on the SM where that is longest
  uint32_t slowest_sm = 0;  // its number
  uint32_t sms = 0;         // that had blocks
  double mean_cycles = 0;   // of all these SMs
  double block_cycles = 0;  // mean of a block's own time
};

// Errors (kFailed): no records; a block that never wrote (it did not run, or trapped), or whose
// end lies before its start.
Result<ClockSpan> clock_span(std::span<const ClockRecord> records);

}  // namespace pitot::measure
