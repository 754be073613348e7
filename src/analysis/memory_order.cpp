#include "analysis/memory_order.h"

#include "ptx/special_register.h"

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

bool is_copy_async(const ptx::Opcode& op) {
  return op.mnemonic == Mnemonic::kCp && !op.has_mod(Mod::kBulk);
}

// Dynamic shared memory: all such symbols start at the same place.
bool is_dynamic(const ptx::Module& m, uint32_t symbol) {
  return symbol < m.symbols.size() && m.symbols[symbol].unsized;
}

bool disjoint(const ptx::Module& m, const MemoryAccess& a, const MemoryAccess& b) {
  using Kind = AddressRoot::Kind;
  if (a.size == 0 || b.size == 0 || a.root.kind == Kind::kUnknown || a.root.kind != b.root.kind)
    return false;
  if (a.root.id != b.root.id) {
    if (a.root.kind != Kind::kSymbol) return false;
    return !is_dynamic(m, a.root.id) || !is_dynamic(m, b.root.id);
  }
  const int64_t distance = b.root.offset - a.root.offset;
  return distance >= static_cast<int64_t>(a.size) || -distance >= static_cast<int64_t>(b.size);
}

}  // namespace

uint8_t space_bits(Space s) {
  switch (ptx::base_space(s)) {
    case Space::kNone:
      return kInGlobal | kInShared | kInLocal;
    case Space::kGlobal:
      return kInGlobal;
    case Space::kShared:
      return kInShared;
    case Space::kLocal:
      return kInLocal;
    case Space::kParam:
      return kInParam;
    default:
      return 0;
  }
}

bool conflicts(const ptx::Module& m, const MemoryAccess& a, const MemoryAccess& b) {
  if (a.ordered && b.ordered) return true;
  if (!a.writes && !b.writes) return false;
  return (a.spaces & b.spaces) != 0 && !disjoint(m, a, b);
}

void MemoryOrder::reset(const FlowFacts& facts) {
  facts_ = &facts;
  roots_.reset(facts);
  folded = false;
  start_block();
}

void MemoryOrder::start_block() {
  reads_.clear();
  writes_.clear();
  last_fence_ = kNone;
  used_ = {};
}

bool MemoryOrder::is_async(uint32_t instruction) const {
  return facts_->instruction(instruction).opcode->has(ptx::kAsync);
}

bool MemoryOrder::reads_clock(const ptx::Instruction& i) const {
  if (i.opcode->mnemonic != Mnemonic::kMov) return false;
  for (const Operand& o : facts_->module->operands_of(i)) {
    if (o.kind != OperandKind::kSpecialRegister) continue;
    const auto all = ptx::special_registers();
    return o.id < all.size() && all[o.id].has(ptx::kChangesOverTime);
  }
  return false;
}

MemoryOrder::Kind MemoryOrder::describe(uint32_t instruction) {
  const ptx::Instruction& i = facts_->instruction(instruction);
  const ptx::Opcode& op = *i.opcode;
  constexpr uint32_t kTouches = ptx::kLoad | ptx::kStore | ptx::kAtomic | ptx::kRed;
  constexpr uint32_t kOrders = ptx::kFence | ptx::kBarrier | ptx::kCall | ptx::kSpecial;
  if ((op.effects & (kTouches | kOrders | ptx::kVolatile | ptx::kAsync | ptx::kMma)) == 0)
    return reads_clock(i) ? Kind::kOrdersAll : Kind::kNothing;
  if ((op.effects & kOrders) != 0 || op.mnemonic == Mnemonic::kTcgen05 ||
      op.has_mod(Mod::kAcquire) || op.has_mod(Mod::kRelease) || op.has_mod(Mod::kAcqRel))
    return Kind::kOrdersAll;
  now_.clear();
  if ((op.effects & kTouches) == 0) {
    if (op.has_mod(Mod::kMmaAsync)) {  // reads its operands from shared memory, through descriptors
      MemoryAccess a;
      a.instruction = instruction;
      a.spaces = kInShared;
      now_.push_back(a);
      return Kind::kAccess;
    }
    // Commits, arrivals, waits; plain matrix arithmetic touches registers only.
    return op.has(ptx::kVolatile) || op.has(ptx::kAsync) ? Kind::kOrdersAll : Kind::kNothing;
  }
  if (op.group == ptx::Group::kTexture) return Kind::kNothing;

  // A kernel's own parameters and constants are never written.
  const uint8_t spaces =
      op.group == ptx::Group::kSurface ? uint8_t{kInSurface} : space_bits(op.space);
  const bool writes = op.has(ptx::kStore) || op.has(ptx::kAtomic) || op.has(ptx::kRed);
  const bool ordered = op.has(ptx::kVolatile);
  if (spaces == 0 && !ordered) return Kind::kNothing;

  const auto operands = facts_->module->operands_of(i);
  uint32_t addresses = 0;
  for (const Operand& o : operands) addresses += o.kind == OperandKind::kAddress ? 1 : 0;
  const bool copy = is_copy_async(op) && addresses == 2 && operands.size() > 2 &&
                    operands[2].kind == OperandKind::kInteger;
  // A matrix load reads rows that other lanes name; bulk copies have sizes of their own.
  const bool exact = copy || (addresses == 1 && !op.has(ptx::kAsync) && !op.has(ptx::kMma));
  if (!exact) {
    MemoryAccess a;
    a.instruction = instruction;
    a.spaces = addresses == 1 || op.has(ptx::kMma) ? spaces : spaces | kInGlobal | kInShared;
    a.writes = writes;
    a.ordered = ordered;
    now_.push_back(a);
    return Kind::kAccess;
  }
  for (uint8_t k = 0; k < operands.size() && k < kImplicitOperand; ++k) {
    if (operands[k].kind != OperandKind::kAddress) continue;
    MemoryAccess a;
    a.instruction = instruction;
    a.spaces = copy && k == 1 ? static_cast<uint8_t>(kInGlobal) : spaces;
    a.writes = writes && !(copy && k == 1);
    a.ordered = ordered;
    a.size = copy ? static_cast<uint32_t>(operands[2].value) : ptx::bytes_of(op.type) * op.vector;
    a.root = roots_.of(instruction, operands[k], k);
    now_.push_back(a);
  }
  return Kind::kAccess;
}

}  // namespace pitot::analysis
