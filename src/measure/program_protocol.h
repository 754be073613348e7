// How the programs of a search are timed: many of one kernel, each in milliseconds.
#pragma once

#include <cstdint>
#include <string>

#include "measure/measure_result.h"
#include "measure/protocol.h"

namespace pitot::measure {

enum class ProgramClock : uint8_t {
  kSm,     // cycles of the SM, first instruction to last, by the copy with clock reads
  kEvent,  // microseconds between events, as `measure` has it
};

struct ProgramProtocol {
  ProgramClock clock = ProgramClock::kEvent;
  // Of the SM's clock: launches before those that count, and those.
  uint32_t warmups = 50, launches = 200;
  // Of events: a sample of a quarter of a millisecond, some milliseconds of warm-up.
  Protocol timing{.batch_ms = 0.25,
                  .seconds = 0.015,
                  .warmup_seconds = 0.004,
                  .warmup_limit_seconds = 0.012,
                  .cycles = false};
};

// What must be equal for two values to be compared: "sm-clock/1 50+200".
std::string describe(const ProgramProtocol& protocol);
const char* unit_of(ProgramClock clock);  // "cycles", "us"

// A program as it is loaded: PTX or a cubin.
struct ProgramCode {
  std::string plain;
  std::string timed;  // with clock reads; of the SM's clock only
};

struct ProgramTime {
  bool ok = false;
  std::string reason;    // why not
  Estimate median;       // in the clock's unit
  uint32_t samples = 0;  // that it is the median of
  uint32_t registers = 0;
};

}  // namespace pitot::measure
