// Special registers (%tid, %clock64, …): name, type, what they need. First version by the lead so that the
// parser builds; helper isa2 replaces it.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/isa.h"

namespace pitot::ptx {

struct SpecialRegister {
  std::string_view name;
  uint16_t index = 0;
  Type type = Type::kU32;
  uint8_t width = 1;  // 4 for %tid
  Need need;
  uint32_t flags = 0;
};

// By name with the percent sign, without a component; null if there is none.
const SpecialRegister* find_special_register(std::string_view name);

}  // namespace pitot::ptx
