// Which operations take only some of their inputs: for following undefined values.
#pragma once

#include <span>

#include "emulator/program.h"

namespace pitot::emulator {

Choice choice_of(const ptx::Opcode& opcode, std::span<const Slot> slots);

}  // namespace pitot::emulator
