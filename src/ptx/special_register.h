// Special registers (%tid, %clock64, …): name, type, what they need, and for whom their value is
// the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ptx/isa.h"

namespace pitot::ptx {

struct Operand;

// Named after the register: kTid, kClusterCtarank, kPm0_64, kEnvreg31.
enum class SpecialId : uint16_t {
#define PITOT_SPECIAL(id, name, type, width, ptx, sm, flags) k##id,
#include "ptx/special_register.inc"
#undef PITOT_SPECIAL
  kCount,
};

// For whom a value is the same, and when. Values are per component of a vector register.
enum SpecialFlag : uint32_t {
  kUniformInWarp = 1u << 0,   // every lane of a warp reads the same
  kUniformInBlock = 1u << 1,  // every thread of a block reads the same
  kConstantInGrid = 1u << 2,  // every thread of the launch reads the same
  kVariesByLane = 1u << 3,    // the lanes of a warp read different values
  kChangesOverTime =
      1u << 4,  // two reads by one thread may differ (clocks, counters, after preemption %smid)
  kReadsNarrow =
      1u << 5,  // may be read as a narrower type, for code before .version 3.0 (%tid.x as .u16)
};

struct SpecialRegister {
  std::string_view name;   // "%tid"
  uint16_t index = 0;      // of SpecialId; stable
  Type type = Type::kU32;  // of one component
  uint8_t width = 1;       // 4 for %tid, which has .x .y .z .w
  Need need;
  uint32_t flags = 0;  // SpecialFlag bits

  SpecialId id() const { return static_cast<SpecialId>(index); }
  bool has(SpecialFlag f) const { return (flags & f) != 0; }
};

// By name with the percent sign, without a component; null if there is none. One hash and one
// comparison.
const SpecialRegister* find_special_register(std::string_view name);

// "%tid.x" of an operand that is one, however it was written: .r .g .b .a are other names of .x .y
// .z .w (PTX ISA, "Vectors").
std::string special_register_name(const Operand& special);

// All of them, in the order of SpecialId.
std::span<const SpecialRegister> special_registers();

}  // namespace pitot::ptx
