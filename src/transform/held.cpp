// Questions about registers and values.
#include "transform/held.h"

#include <charconv>

namespace pitot::transform {

using namespace analysis;

bool still_held(const FlowFacts& flow, ValueId v, uint32_t instruction) {
  if (v == kNone) return false;
  const Value& value = flow.values.values[v];
  const auto items = flow.accesses.of_register(value.reg);
  uint32_t writes = 0;
  for (uint32_t k : items) writes += flow.accesses.items[k].write ? 1 : 0;
  if (writes == 0) return true;
  if (value.kind == ValueKind::kWrite && writes == 1) return true;
  const BlockId block = flow.cfg.block_of[instruction];
  if (flow.block_of_value(v) != block) return false;
  // From the definition, or the block's start where the value is a phi, to the instruction.
  uint32_t from = flow.cfg.blocks[block].first;
  if (value.kind == ValueKind::kWrite) {
    from = flow.accesses.instruction_of[value.where] + 1;
    if (from > instruction) return false;
  }
  for (uint32_t k : items) {
    const uint32_t at = flow.accesses.instruction_of[k];
    if (flow.accesses.items[k].write && at >= from && at < instruction) return false;
  }
  return true;
}

bool comes_before(const FlowFacts& flow, uint32_t a, uint32_t b) {
  const BlockId x = flow.cfg.block_of[a], y = flow.cfg.block_of[b];
  return x == y ? a < b : flow.dom.strictly_dominates(x, y);
}

std::vector<uint8_t> handed_on(const FlowFacts& flow) {
  const DefUse& d = flow.values;
  std::vector<uint8_t> out(d.values.size(), 0);
  for (ValueId v : d.phi_operands)
    if (v != kNone) out[v] = 1;
  for (const Value& v : d.values)
    if (v.kind == ValueKind::kWrite && v.from != kNone) out[v.from] = 1;
  return out;
}

uint32_t sole_writer(const FlowFacts& flow, ValueId v) {
  if (v == kNone) return kNone;
  const Value& value = flow.values.values[v];
  if (value.kind != ValueKind::kWrite || !flow.accesses.items[value.where].kills()) return kNone;
  return flow.accesses.instruction_of[value.where];
}

bool is_visible(const ptx::Function& f, ptx::RegId reg, const ptx::Instruction& at) {
  const ptx::Register& r = f.registers[reg];
  if (r.declaration != ptx::kNoId &&
      f.register_declarations[r.declaration].range.begin > at.range.begin)
    return false;
  auto hides = [&](const ptx::RegisterDeclaration& d) {
    if (d.count == 0) return d.name == r.name;
    uint32_t number = 0;
    const char *digits = r.name.data() + d.name.size(), *end = r.name.data() + r.name.size();
    return r.name.size() > d.name.size() && r.name.starts_with(d.name) &&
           std::from_chars(digits, end, number).ptr == end && number < d.count;
  };
  for (uint32_t scope = at.scope; scope != r.scope; scope = f.scopes[scope].parent) {
    if (scope == 0) return false;
    for (const ptx::RegisterDeclaration& d : f.register_declarations)
      if (d.scope == scope && hides(d)) return false;
  }
  return true;
}

bool same_guard(const FlowFacts& flow, uint32_t a, uint32_t b) {
  const ptx::Instruction &x = flow.instruction(a), &y = flow.instruction(b);
  if (x.guard == ptx::kNoId || y.guard == ptx::kNoId) return x.guard == y.guard;
  if (x.guard_negated != y.guard_negated) return false;
  const ValueId v = flow.read(a, kImplicitOperand);
  return v != kNone && v == flow.read(b, kImplicitOperand);
}

}  // namespace pitot::transform
