// What a gate remembers of one kernel: hashes, counts, opcodes. The baseline file is a list of
// these.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/diff_result.h"

namespace pitot::gate {

// Each hash forgives more than the one before; equal ones bound the change class.
struct Fingerprint {
  std::string text;       // the kernel's bytes and those of what it uses
  std::string program;    // up to names, spelling and layout of the text
  std::string flow;       // and the order of independent instructions and of blocks
  std::string shape;      // and constants
  std::string skeleton;   // and types and modifiers
  std::string constants;  // of the immediates alone, in order
};

// Physical resources and messages of one target.
struct Physical {
  Counts counts;  // registers, spills, spill_loads, spill_stores, stack, local, shared, barriers
  std::vector<std::string> advisories;  // "C7510: …", as ptxas says them
};

struct KernelState {
  std::string name;       // as in the module
  std::string demangled;  // for people and for patterns
  std::string source;     // file as the caller named it
  std::string target;     // "sm_90a"
  std::string version;    // "8.7"
  std::string producer;   // "LLVM NVPTX Back-End"; empty if unknown
  uint32_t line = 0;      // of the header
  uint64_t threads = 0;   // of a block by the launch bounds; 0 if they do not say
  bool dynamic_shared = false;
  bool trigonometric_table = false;  // uses the argument reduction of sin and cos
  Fingerprint hash;
  Counts pitot;                             // every static feature by its column name
  Counts compat;                            // registers, spills, local_bytes, instructions
  std::map<std::string, uint32_t> opcodes;  // spelling → how often, callees included
  std::map<std::string, std::vector<uint32_t>> lines;  // spelling → lines; not kept in a baseline
  std::map<std::string, Physical> ptxas;               // target → resources
};

}  // namespace pitot::gate
