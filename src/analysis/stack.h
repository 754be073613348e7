// Local memory that a kernel's PTX declares or allocates, and what it is for: arrays, call frames,
// argument reduction of sin and cos, or registers put aside (spill-like).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/access.h"

namespace pitot::analysis {

enum class StackUse : uint8_t {
  kUnused,
  kSpillLike,          // fixed slots, each stored and loaded whole, whose address goes nowhere else
  kArray,              // indexed by a value that is not constant, or accessed in parts
  kArgumentReduction,  // the scratch array of large sin and cos arguments
  kCallFrame,          // its address is handed to a call
  kEscapes,            // its address is stored or otherwise leaves view
};
const char* to_string(StackUse use);  // "spill-like", "array", …

struct StackObject {
  ptx::SymbolId symbol = ptx::kNoId;  // the variable; kNoId for what alloca returns
  StackUse use = StackUse::kUnused;
  uint64_t bytes = 0;  // declared; 0 for alloca
  uint32_t loads = 0, stores = 0;
  uint32_t first_access = kNone;  // instruction
};

struct StackUsage {
  std::vector<StackObject> objects;
  uint32_t allocas = 0;
  uint32_t loads = 0, stores = 0;  // of local memory, in all
  uint32_t spill_like_loads = 0, spill_like_stores = 0;
  uint64_t bytes = 0;  // declared in the function
  uint64_t spill_like_bytes = 0;
};

// What the PTX itself shows. Spills that ptxas makes when registers run out are not in PTX.
StackUsage stack_usage(const FlowFacts& flow, const AffineForms& forms, const AccessTable& table);

}  // namespace pitot::analysis
