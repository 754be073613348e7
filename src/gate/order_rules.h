// Which pairs of instructions of a block must keep their order, beyond register dependences:
// memory that may be the same, barriers and fences, asynchronous operations, clocks, calls.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/access_roles.h"
#include "ptx/module.h"

namespace pitot::gate {

// A resource that instructions use in common; two uses may be swapped when both only read it.
enum class Use : uint8_t { kNone, kRead, kWrite };

struct MemoryUse {
  Use use = Use::kNone;
  bool anywhere = false;  // any address of any space: fences, volatile and acquire forms, calls
  ptx::Space space = ptx::Space::kNone;  // base space; kNone: generic
  bool on_symbol = false;                // base is a symbol, else a register
  uint32_t base = ptx::kNoId;   // SymbolId or RegId, after following constant additions; kNoId:
                                // unknown
  bool base_is_stable = false;  // the base register has one unguarded write in the function
  int64_t offset = 0;           // bytes
  uint32_t bytes = 0;           // 0: unknown extent
};

struct OrderFacts {
  Use everything = Use::kRead;   // kWrite: nothing passes it (clock reads, calls, unknown opcodes)
  Use convergence = Use::kNone;  // barriers write it; shuffles, votes, matrix operations read it
  Use async =
      Use::kNone;  // asynchronous operations write it; whoever touches their registers reads
  MemoryUse memory;
};

// One entry an instruction of the function.
std::vector<OrderFacts> order_facts(const ptx::Module& m, const ptx::Function& f,
                                    const analysis::Accesses& accesses);

// Whether swapping two memory uses could be seen. `same_base_value`: when both have the same
// unstable base register, whether it holds the same value at both.
bool may_conflict(const ptx::Module& m, const MemoryUse& a, const MemoryUse& b,
                  bool same_base_value);

}  // namespace pitot::gate
