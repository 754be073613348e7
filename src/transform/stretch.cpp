// Cuts blocks into stretches and lists the order within them.
#include "transform/stretch.h"

#include <algorithm>

#include "ptx/special_register.h"
#include "transform/gap.h"

namespace pitot::transform {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandKind;
using ptx::Space;

// Call parameters: they stand next to their call.
bool passes_parameters(const ptx::Module& m, const ptx::Instruction& i) {
  if (i.opcode->has(ptx::kCall)) return true;
  if (ptx::base_space(i.opcode->space) != Space::kParam) return false;
  if (i.opcode->has(ptx::kStore)) return true;
  for (const ptx::Operand& o : m.operands_of(i)) {
    if (o.kind != OperandKind::kAddress || o.base_kind != OperandKind::kSymbol) continue;
    if (m.symbols[o.id].kind != ptx::SymbolKind::kParameter) return true;
  }
  return false;
}

// Why nothing may move past the instruction; null if something may.
const char* fixed_reason(const ptx::Module& m, const ptx::Instruction& i) {
  if (!analysis::roles_known(i)) return "what this instruction reads and writes is not known";
  if (passes_parameters(m, i)) return "calls and their parameters stay together";
  if (i.opcode->mnemonic == Mnemonic::kWgmma || i.opcode->mnemonic == Mnemonic::kTcgen05)
    return "its registers are read and written later than it is issued";
  return nullptr;
}

bool ends_block(const ptx::Opcode& o) {
  return (o.effects & (ptx::kBranch | ptx::kRet | ptx::kExit | ptx::kTrap)) != 0;
}

bool reads_clock(const ptx::Module& m, const ptx::Instruction& i) {
  for (const ptx::Operand& o : m.operands_of(i))
    if (o.kind == OperandKind::kSpecialRegister && o.id < ptx::special_registers().size() &&
        ptx::special_registers()[o.id].has(ptx::kChangesOverTime))
      return true;
  return false;
}

// Keeps its place among all accesses.
bool is_pinned(const ptx::Module& m, const ptx::Instruction& i) {
  const ptx::Opcode& o = *i.opcode;
  constexpr uint32_t kOrders = ptx::kBarrier | ptx::kFence | ptx::kSpecial | ptx::kVolatile |
                               ptx::kAtomic | ptx::kRed | ptx::kAsync;
  const bool plain_copy = o.mnemonic == Mnemonic::kCp && !o.has_mod(Mod::kBulk) &&
                          o.has(ptx::kLoad) && o.has(ptx::kStore);
  if ((o.effects & kOrders) != 0 && !plain_copy) return true;
  return o.has_mod(Mod::kAcquire) || o.has_mod(Mod::kRelease) || o.has_mod(Mod::kRelaxed) ||
         reads_clock(m, i);
}

bool is_plain_read(const ptx::Module& m, const ptx::Instruction& i) {
  return i.opcode->has(ptx::kLoad) && !i.opcode->has(ptx::kStore) && !is_pinned(m, i);
}

bool touches_memory(const ptx::Opcode& o) {
  return (o.effects & (ptx::kLoad | ptx::kStore | ptx::kPrefetch)) != 0;
}

}  // namespace

std::vector<Stretch> stretches(Subject& subject, Edit& edit) {
  const ptx::Module& m = subject.module();
  const ptx::Function& f = subject.function();
  const auto body = subject.body();
  std::vector<Stretch> out;
  size_t mark = 0, label = 0;
  for (const analysis::Block& block : subject.flow().cfg.blocks) {
    uint32_t first = block.first;
    auto close = [&](uint32_t last) {
      if (last > first + 1) out.push_back({first, last});
    };
    for (uint32_t i = block.first; i < block.last; ++i) {
      if (i > first) {
        const Gap gap = read_gap(m, f, body[i - 1].range.end, body[i].range.begin, &mark, &label);
        bool cut = gap.other || body[i - 1].scope != body[i].scope;
        for (uint32_t l : gap.labels) cut = cut || f.labels[l].uses != 0;
        // Nothing says "no place in the source" again.
        for (uint32_t k : gap.marks) cut = cut || k == 0;
        if (cut) {
          close(i);
          first = i;
        }
      }
      if (ends_block(*body[i].opcode)) {
        close(i);
        first = i + 1;
      } else if (const char* reason = fixed_reason(m, body[i])) {
        edit.decline(body[i], reason);
        close(i);
        first = i + 1;
      }
    }
    close(block.last);
  }
  return out;
}

void StretchOrder::build(Subject& subject, const Stretch& stretch) {
  const ptx::Module& m = subject.module();
  const auto body = subject.body();
  const uint32_t n = stretch.last - stretch.first;
  first_ = stretch.first;
  edges_.clear();
  outward_.assign(n, 0);
  uint32_t pinned = analysis::kNone, together = analysis::kNone;
  std::vector<uint32_t> accesses;  // since the last pinned one
  for (uint32_t k = 0; k < n; ++k) {
    const ptx::Instruction& i = body[first_ + k];
    for (const analysis::Dependence& d : subject.dependences().of(first_ + k))
      if (d.from >= first_)
        link(d.from - first_, k,
             d.kind == analysis::DependenceKind::kMemory && is_plain_read(m, body[d.from]) &&
                 is_plain_read(m, i));
    const bool is_access = touches_memory(*i.opcode);
    const bool is_together = i.opcode->has(ptx::kConvergent);
    if (is_pinned(m, i)) {
      for (uint32_t a : accesses) link(a, k);
      accesses.clear();
      if (pinned != analysis::kNone) link(pinned, k);
      if (together != analysis::kNone) link(together, k);
      pinned = together = k;
      outward_[k] = 1;
      continue;
    }
    if (is_access) {
      if (pinned != analysis::kNone) link(pinned, k);
      accesses.push_back(k);
      outward_[k] = 1;
    }
    if (is_together) {
      if (together != analysis::kNone) link(together, k);
      together = k;
      outward_[k] = 1;
    }
  }
  loose_before_.resize(edges_.size());
  auto group = [&](bool by_target, std::vector<uint32_t>& begin, std::vector<uint32_t>& items) {
    begin.assign(n + size_t{1}, 0);
    for (const Link& e : edges_) ++begin[(by_target ? e.to : e.from) + 1];
    for (uint32_t k = 0; k < n; ++k) begin[k + 1] += begin[k];
    std::vector<uint32_t> at(begin.begin(), begin.end() - 1);
    items.resize(edges_.size());
    for (const Link& e : edges_) {
      const uint32_t place = at[by_target ? e.to : e.from]++;
      items[place] = by_target ? e.from : e.to;
      if (by_target) loose_before_[place] = e.loose ? 1 : 0;
    }
  };
  group(true, begin_before_, before_);
  group(false, begin_after_, after_);
}

}  // namespace pitot::transform
