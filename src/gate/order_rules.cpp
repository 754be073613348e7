// Order facts from the instruction table's effects. What is not known orders everything.
#include "gate/order_rules.h"

#include <algorithm>

namespace pitot::gate {

namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

bool is_clock(std::string_view name) {
  return name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm");
}

class FactBuilder {
 public:
  FactBuilder(const ptx::Module& m, const ptx::Function& f, const analysis::Accesses& accesses)
      : m_(m), f_(f), accesses_(accesses), async_register_(f.registers.size() + 1, false) {}

  std::vector<OrderFacts> run() {
    find_single_writes();
    std::vector<OrderFacts> out(f_.instruction_count);
    for (uint32_t i = 0; i < f_.instruction_count; ++i) {
      out[i] = facts_of(i);
      // wgmma and tcgen05 read and write registers after they were issued.
      std::string_view text = m_.body(f_)[i].opcode->text;
      if (text.starts_with("wgmma") || text.starts_with("tcgen05"))
        for (const auto& a : accesses_.of(i)) async_register_[a.reg] = true;
    }
    for (uint32_t i = 0; i < f_.instruction_count; ++i) {
      if (out[i].async != Use::kNone) continue;
      for (const auto& a : accesses_.of(i))
        if (async_register_[a.reg]) out[i].async = Use::kRead;
    }
    return out;
  }

 private:
  // The instruction that alone writes each register, without a guard; kNoId where there is none.
  void find_single_writes() {
    std::vector<uint32_t> writes(f_.registers.size() + 1, 0);
    single_write_.assign(f_.registers.size() + 1, ptx::kNoId);
    for (size_t k = 0; k < accesses_.items.size(); ++k) {
      const auto& a = accesses_.items[k];
      if (!a.write) continue;
      single_write_[a.reg] =
          ++writes[a.reg] == 1 && a.kills() ? accesses_.instruction_of[k] : ptx::kNoId;
    }
    for (ptx::RegId r : f_.register_parameters)
      if (r < single_write_.size()) single_write_[r] = ptx::kNoId;
  }

  OrderFacts facts_of(uint32_t index) {
    const Instruction& in = m_.body(f_)[index];
    const ptx::Opcode& op = *in.opcode;
    OrderFacts facts;
    const bool known = op.form != nullptr;
    if (!known || op.has(ptx::kCall) || op.has(ptx::kTrap) || op.has(ptx::kSpecial) ||
        op.has(ptx::kBranch) || op.has(ptx::kRet) || op.has(ptx::kExit) || reads_clock(in)) {
      facts.everything = Use::kWrite;
      return facts;
    }
    const bool memory =
        op.has(ptx::kLoad) || op.has(ptx::kStore) || op.has(ptx::kAtomic) || op.has(ptx::kRed);
    const bool pure_volatile =
        op.has(ptx::kVolatile) && !op.has(ptx::kAtomic) && !op.has(ptx::kRed);
    if (op.has(ptx::kBarrier) || op.has(ptx::kFence) || pure_volatile) {
      facts.convergence = Use::kWrite;
    } else if (op.has(ptx::kConvergent)) {
      facts.convergence = Use::kRead;
    }
    if (op.has(ptx::kAsync) || op.text.starts_with("mbarrier") || op.text.starts_with("tcgen05"))
      facts.async = Use::kWrite;
    if (op.has(ptx::kBarrier) || op.has(ptx::kFence) || facts.async == Use::kWrite ||
        pure_volatile || is_strong(op)) {
      facts.memory.use = Use::kWrite;
      facts.memory.anywhere = true;
      return facts;
    }
    if (memory || op.group == ptx::Group::kTexture || op.group == ptx::Group::kSurface)
      describe_memory(in, facts.memory);
    return facts;
  }

  bool reads_clock(const Instruction& in) const {
    for (const Operand& o : m_.operands_of(in))
      if (o.kind == OperandKind::kSpecialRegister && is_clock(m_.slice(o.range))) return true;
    return false;
  }

  // Forms that order other accesses, or must not be reordered among themselves.
  static bool is_strong(const ptx::Opcode& op) {
    for (std::string_view mod :
         {".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".mmio", ".sc"}) {
      size_t at = op.text.find(mod);
      if (at == std::string_view::npos) continue;
      size_t end = at + mod.size();
      if (end == op.text.size() || op.text[end] == '.') return true;
    }
    return op.text.starts_with("multimem");
  }

  void describe_memory(const Instruction& in, MemoryUse& use) {
    const ptx::Opcode& op = *in.opcode;
    const bool writes = op.has(ptx::kStore) || op.has(ptx::kAtomic) || op.has(ptx::kRed);
    use.use = writes ? Use::kWrite : Use::kRead;
    if (op.group == ptx::Group::kTexture || op.group == ptx::Group::kSurface) {
      use.anywhere = true;
      return;
    }
    const Operand* address = nullptr;
    int addresses = 0;
    for (const Operand& o : m_.operands_of(in)) {
      if (o.kind != OperandKind::kAddress) continue;
      address = &o;
      ++addresses;
    }
    use.space = ptx::base_space(op.space);
    if (addresses != 1) {
      use.anywhere = true;
      return;
    }
    // Matrix loads and stores take one address a lane: no extent is known.
    if (!op.has(ptx::kMma) && address->child_count == 0)
      use.bytes = ptx::bytes_of(op.type) * op.vector;
    use.offset = address->value;
    if (address->base_kind == OperandKind::kSymbol) {
      use.on_symbol = true;
      use.base = address->id;
    } else if (address->base_kind == OperandKind::kRegister) {
      use.base = address->id;
      follow_additions(use);
    }
  }

  // Replaces a base register by what it was computed from: add or sub of a constant, moves.
  void follow_additions(MemoryUse& use) {
    for (int step = 0; step < 32; ++step) {
      uint32_t at = use.base < single_write_.size() ? single_write_[use.base] : ptx::kNoId;
      use.base_is_stable = at != ptx::kNoId;
      if (at == ptx::kNoId) return;
      const Instruction& in = m_.body(f_)[at];
      std::string_view text = in.opcode->text;
      auto operands = m_.operands_of(in);
      // A 32-bit sum may wrap; only full-width address arithmetic is followed.
      const bool add = text == "add.s64" || text == "add.u64";
      const bool sub = text == "sub.s64" || text == "sub.u64";
      const bool move = text == "mov.u64" || text == "mov.b64" || text == "mov.s64";
      if (operands.size() < 2 || !operands[1].is_register()) return;
      const uint32_t source = operands[1].id;
      const bool stable = source < single_write_.size() && single_write_[source] != ptx::kNoId;
      if (!stable) return;
      if ((add || sub) && operands.size() == 3 && operands[2].kind == OperandKind::kInteger) {
        uint64_t delta = static_cast<uint64_t>(operands[2].value);
        uint64_t sum = static_cast<uint64_t>(use.offset);
        use.offset = static_cast<int64_t>(add ? sum + delta : sum - delta);
      } else if (!(move && operands.size() == 2 && operands[1].selector == ptx::Selector::kNone)) {
        return;
      }
      use.base = source;
    }
  }

  const ptx::Module& m_;
  const ptx::Function& f_;
  const analysis::Accesses& accesses_;
  std::vector<bool> async_register_;
  std::vector<uint32_t> single_write_;
};

bool read_only(Space s) { return s == Space::kConst; }

bool overlap(const MemoryUse& a, const MemoryUse& b) {
  if (a.bytes == 0 || b.bytes == 0) return true;
  // Differences modulo 2^64, as addresses wrap.
  uint64_t forward = static_cast<uint64_t>(b.offset) - static_cast<uint64_t>(a.offset);
  uint64_t back = 0 - forward;
  return forward < a.bytes || back < b.bytes;
}

}  // namespace

std::vector<OrderFacts> order_facts(const ptx::Module& m, const ptx::Function& f,
                                    const analysis::Accesses& accesses) {
  return FactBuilder(m, f, accesses).run();
}

bool may_conflict(const ptx::Module& m, const MemoryUse& a, const MemoryUse& b,
                  bool same_base_value) {
  if (a.use == Use::kNone || b.use == Use::kNone) return false;
  if (a.use == Use::kRead && b.use == Use::kRead) return false;
  if (a.anywhere || b.anywhere) return true;
  if (read_only(a.space) || read_only(b.space)) return false;
  if (a.space != Space::kNone && b.space != Space::kNone && a.space != b.space) return false;
  if (a.base == ptx::kNoId || b.base == ptx::kNoId || a.on_symbol != b.on_symbol) return true;
  if (a.on_symbol) {
    if (a.base == b.base) return overlap(a, b);
    // All dynamically sized shared arrays start at the same address (PTX ISA, "Shared State
    // Space").
    return m.symbols[a.base].unsized && m.symbols[b.base].unsized;
  }
  if (a.base != b.base) return true;
  if (!a.base_is_stable && !same_base_value) return true;
  return overlap(a, b);
}

}  // namespace pitot::gate
