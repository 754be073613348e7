// Cycles from the records of the clock reads.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/clock_probe.h"

namespace pitot::measure {

Result<ClockSpan> clock_span(std::span<const ClockRecord> records) {
  if (records.empty()) return failed_error("no clock records");
  struct Extent {
    uint64_t first = UINT64_MAX, last = 0;
  };
  std::map<uint32_t, Extent> sms;  // each has a clock of its own
  ClockSpan span;
  for (size_t i = 0; i < records.size(); ++i) {
    const ClockRecord& r = records[i];
    if (r.start == UINT64_MAX || r.end == 0)
      return failed_error(fmt::format("block {} of {} did not {}", i, records.size(),
                                      r.start == UINT64_MAX ? "start" : "end"));
    if (r.end < r.start)
      return failed_error(
          fmt::format("block {} ended {} cycles before it began: it moved to "
                      "another SM, or the clock was reset",
                      i, r.start - r.end));
    Extent& e = sms[r.sm];
    e.first = std::min(e.first, r.start);
    e.last = std::max(e.last, r.end);
    span.block_cycles += static_cast<double>(r.end - r.start) / static_cast<double>(records.size());
  }
  span.sms = static_cast<uint32_t>(sms.size());
  for (const auto& [sm, extent] : sms) {
    const uint64_t cycles = extent.last - extent.first;
    span.mean_cycles += static_cast<double>(cycles) / span.sms;
    if (cycles >= span.cycles) {
      span.cycles = cycles;
      span.slowest_sm = sm;
    }
  }
  return span;
}

}  // namespace pitot::measure
