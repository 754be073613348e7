// How messages name a place in global memory: by the buffer and the distance from where the
// kernel's pointer to it points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/memory.h"

namespace pitot::emulator {

std::string place_text(const Region& region, uint64_t address);  // "x+16", "x-4"

// Of an access that lies outside of every buffer, wholly or in part:
// "read of 4 bytes at x+40, right behind 'x', which has 40 bytes".
std::string outside_text(const GlobalMemory& memory, std::string_view verb, uint64_t address,
                         uint64_t bytes);

}  // namespace pitot::emulator
