// Reaching definitions in sparse form: every read is tied to one value, and values meet in phis
// (pruned static single assignment over the registers as they are, nothing is renamed).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/access_roles.h"
#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/liveness.h"

namespace pitot::analysis {

using ValueId = uint32_t;  // index into DefUse::values

enum class ValueKind : uint8_t {
  kUndefined,  // the register at function entry, never written before
  kParameter,  // the register at function entry, given by the caller (.reg parameters)
  kWrite,      // written by an instruction
  kPhi,        // meets at the start of a block
};

struct Value {
  ValueKind kind = ValueKind::kUndefined;
  RegId reg = kNoId;
  uint32_t where = kNone;  // kWrite: item of Accesses; kPhi: block
  // kWrite: the value that stays where a conditional or partial write does not, else kNone (kNone
  // as well when no read could see it). kPhi: the first operand in phi_operands.
  uint32_t from = kNone;
};

struct DefUse {
  std::vector<Value> values;
  // Access item → the value it reads, or the one it defines. kNone in unreachable blocks only.
  std::vector<ValueId> value_of;
  // One per predecessor in the order of Cfg::predecessors, kNone for unreachable ones. A phi of
  // block 0 (a function that loops to its start) has one more at the end: the value at entry.
  std::vector<ValueId> phi_operands;
  std::vector<uint32_t> use_first, use_items;  // value → access items that read it

  void build(const ptx::Function& f, const Accesses& accesses, const Cfg& cfg,
             const DominatorTree& dom, const BlockLists& frontiers, const Liveness& live,
             Workspace& ws);

  // No values at all: every access has kNone.
  void clear(const Accesses& accesses);

  // The reads of a value. Phis and conditional writes that carry it on are not among them.
  std::span<const uint32_t> uses_of(ValueId v) const {
    return std::span(use_items).subspan(use_first[v], use_first[v + 1] - use_first[v]);
  }
  std::span<const ValueId> operands_of_phi(const Cfg& cfg, ValueId v) const {
    const BlockId b = values[v].where;
    return std::span(phi_operands)
        .subspan(values[v].from, cfg.predecessors(b).size() + (b == 0 ? 1 : 0));
  }
  // The instruction that wrote a kWrite value.
  uint32_t instruction_of(const Accesses& a, ValueId v) const {
    return a.instruction_of[values[v].where];
  }
  // The value of the first read access of `reg` by the instruction, kNone if it does not read it.
  ValueId value_read(const Accesses& a, uint32_t instruction, RegId reg) const;
  // Every write (and entry value) that may be seen through phis and conditional writes, once each.
  void reaching_definitions(const Cfg& cfg, ValueId v, std::vector<ValueId>& out) const;
};

}  // namespace pitot::analysis
