// Which instructions of the table the emulator executes, by example.
#pragma once

#include <string>
#include <vector>

namespace pitot::emulator {

struct InstructionCoverage {
  size_t spellings = 0, covered = 0;  // that were tried; that have a function
  std::vector<std::string> missing;   // spellings without one: they fault with their name
  std::vector<std::string> untried;   // no example could be made of these
};

// Tries every form of the instruction table with each of its modifiers (ptx/instances.h).
InstructionCoverage instruction_coverage();

}  // namespace pitot::emulator
