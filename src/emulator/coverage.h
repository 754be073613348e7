// Which instructions the emulator executes: those of the table, by example, and those of files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/module.h"
#include "support/result.h"

namespace pitot::emulator {

struct InstructionCoverage {
  size_t spellings = 0, covered = 0;  // that were tried; that have a function
  std::vector<std::string> missing;   // spellings without one: they fault with their name
  std::vector<std::string> untried;   // no example could be made of these
};

// Tries every form of the instruction table with each of its modifiers (ptx/instances.h).
InstructionCoverage instruction_coverage();

// The same of the instructions of PTX files, executed or not.
struct FileCoverage {
  struct Missing {
    size_t count = 0;
    std::string first;  // "file:line" of one
  };
  size_t files = 0, instructions = 0, covered = 0;
  std::map<std::string, Missing> missing;  // by spelling

  // Counts a module without errors in; fails when the emulator cannot load it at all.
  Status add(const std::shared_ptr<const ptx::Module>& module);
};

}  // namespace pitot::emulator
