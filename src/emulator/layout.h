// Gives every variable, parameter and function of a module its place.
#pragma once

#include "emulator/program.h"

namespace pitot::emulator {

// Fills Program::symbols, dynamic_shared_at, and of each function: local_bytes, shared_bytes,
// parameter_bytes. Fails on variables that no place can be found for (more than 16 MiB of shared
// memory, sizes that overflow).
Status lay_out(Program& program);

}  // namespace pitot::emulator
