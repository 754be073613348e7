// A naive interpreter of PTX for tests: it walks the parsed module, one thread at a time, each run
// until it ends or waits for others. Written from the PTX ISA's text as an oracle for the emulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace pitot::reference {

struct Buffer {  // global memory: one range of addresses
  uint64_t base = 0;
  std::vector<uint8_t> bytes;
};

struct Launch {  // one block
  uint32_t threads = 1;
  std::vector<uint8_t> parameters;  // of the kernel, laid out as declared
  uint64_t budget = 1u << 22;       // instructions of all threads
};

// Runs the kernel; memory is changed in place. Returns what went wrong, empty if nothing did.
std::string run(const ptx::Module& module, const ptx::Function& kernel, const Launch& launch,
                Buffer& memory);

}  // namespace pitot::reference
