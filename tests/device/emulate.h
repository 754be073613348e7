// Runs a generated program on the emulator.
#pragma once

#include <string>
#include <vector>

#include "case.h"
#include "support/result.h"

namespace pitot::conformance {

// The output buffer. Errors: illegal PTX, instructions that the emulator does not have, faults.
Result<std::vector<uint8_t>> emulate(const Case& c);
// Spellings in the program that the emulator does not have.
std::vector<std::string> uncovered_in(const Case& c);

}  // namespace pitot::conformance
