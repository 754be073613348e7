// Prefetches of what is certainly loaded later: the PTX ISA does not say that a prefetch of an
// address that is not mapped does nothing, so none is made of an address that no load follows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/trip_counts.h"
#include "transform/held.h"
#include "transform/next_turn.h"
#include "transform/next_value.h"
#include "transform/spelling.h"
#include "transform/transforms.h"

namespace pitot::transform {

using namespace analysis;
using ptx::Operand;
using ptx::OperandKind;

namespace {

// A prefetch has to come this many instructions before its load; closer, it gains nothing.
constexpr uint32_t kLeastLead = 8;
constexpr int64_t kLineBytes = 128;

class Prefetcher {
 public:
  Prefetcher(Subject& subject, Edit& edit, Action action)
      : subject_(subject),
        edit_(edit),
        level_(action == Action::kPrefetchL1 ? "L1" : "L2"),
        distance_(subject),
        turns_(subject, edit),
        next_(subject, edit) {}

  void run() {
    if (subject_.too_complex()) return edit_.decline("the kernel is too complex to be analysed");
    const std::string opcode = fmt::format("prefetch.global.{}", level_);
    if (std::string reason = refusal(subject_.module(), opcode); !reason.empty())
      return edit_.decline(std::move(reason));
    collect_prefetches();
    bool any = false;
    const FlowFacts& flow = subject_.flow();
    for (uint32_t k = 0; k < flow.instruction_count(); ++k) {
      const ptx::Opcode& o = *flow.instruction(k).opcode;
      if (o.mnemonic != ptx::Mnemonic::kLd || ptx::base_space(o.space) != ptx::Space::kGlobal ||
          !flow.cfg.blocks[flow.cfg.block_of[k]].reachable)
        continue;
      any = true;
      if (std::string reason = visit(k); !reason.empty())
        edit_.decline(flow.instruction(k), std::move(reason));
    }
    if (!any) edit_.decline("it has no global load");
  }

 private:
  // Where a prefetch goes: a register's value or a symbol, and a line counted from it.
  struct Line {
    BlockId block = 0;
    bool symbol = false;
    bool computed = false;  // of the next turn, from a base of this one
    uint32_t base = kNone;
    int64_t number = 0;
    auto operator<=>(const Line&) const = default;
  };

  const Operand& address(uint32_t i) const {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& ins = flow.instruction(i);
    return flow.module->operands_of(ins)[ins.opcode->mnemonic == ptx::Mnemonic::kLd ? 1 : 0];
  }

  Line line(uint32_t i, int64_t bytes) const {
    const FlowFacts& flow = subject_.flow();
    const Operand& a = address(i);
    Line l;
    l.block = flow.cfg.block_of[i];
    l.symbol = a.base_kind == OperandKind::kSymbol;
    l.base = l.symbol ? a.id
                      : flow.read(i, flow.instruction(i).opcode->mnemonic == ptx::Mnemonic::kLd
                                         ? uint8_t{1}
                                         : uint8_t{0});
    const int64_t offset = a.value + bytes;
    l.number = offset >= 0 ? offset / kLineBytes : -((kLineBytes - 1 - offset) / kLineBytes);
    return l;
  }

  void collect_prefetches() {
    const FlowFacts& flow = subject_.flow();
    for (uint32_t k = 0; k < flow.instruction_count(); ++k) {
      const ptx::Instruction& i = flow.instruction(k);
      if (i.opcode->mnemonic != ptx::Mnemonic::kPrefetch ||
          i.opcode->text.find(level_) == std::string_view::npos || i.operand_count == 0 ||
          address(k).kind != OperandKind::kAddress)
        continue;
      there_[line(k, 0)] = true;
      prefetches_.push_back(k);
    }
  }

  // Why not; empty: a prefetch was made, or another one fetches the same line.
  std::string visit(uint32_t k) {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& i = flow.instruction(k);
    if (i.opcode->has(ptx::kVolatile)) return "only weak loads are prefetched";
    const Operand& a = address(k);
    if (a.kind != OperandKind::kAddress || a.child_count != 0 ||
        (a.base_kind != OperandKind::kRegister && a.base_kind != OperandKind::kSymbol))
      return "its address has no register or variable as base";
    const LoopId loop = flow.loops.loop_of[flow.cfg.block_of[k]];
    if (loop != kNone && a.base_kind == OperandKind::kRegister) {
      const auto step = distance_.per_turn(flow.read(k, 1), loop, 64);
      if (!step) return computed(k, loop);
      if (*step != 0) return next_turn(k, loop, *step);
    }
    return early(k);
  }

  std::string next_turn(uint32_t k, LoopId loop, int64_t step) {
    const Line l = line(k, step);
    if (auto it = there_.find(l); it != there_.end())
      return it->second ? "what it loads next is prefetched already" : "";
    const ptx::Instruction& i = subject_.flow().instruction(k);
    const std::string text = address_at(subject_.module(), subject_.function(), address(k), step);
    if (text.empty()) return "its address in the next turn is out of reach";
    std::string reason;
    if (!turns_.known(loop, k, reason)) return reason;
    next_.start();
    std::vector<std::string> statements;
    const auto own = next_guard(k, loop, statements);
    if (!own) {
      next_.drop();
      return "its guard in the next turn does not follow from this turn's";
    }
    edit_.insert_before(i, statements);
    const std::string guard = turns_.predicate(loop, k, *own);
    edit_.insert_before(i, {fmt::format("@{} prefetch.global.{} {};", guard, level_, text)});
    edit_.changed();
    there_[l] = false;
    return {};
  }

  // The load's guard in the next turn: empty without one, nothing where it is not known.
  std::optional<std::string> next_guard(uint32_t k, LoopId loop,
                                        std::vector<std::string>& statements) {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& i = flow.instruction(k);
    if (i.guard == kNoId) return std::string();
    const std::string negation = i.guard_negated ? "!" : "";
    if (!turns_.written_in(loop, i.guard))
      return negation + std::string(flow.function->registers[i.guard].name);
    const std::string name = next_.of_guard(k, loop, statements);
    return name.empty() ? std::nullopt : std::optional(negation + name);
  }

  // An address of which only the way it is made is known: it is made for the next turn.
  std::string computed(uint32_t k, LoopId loop) {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& i = flow.instruction(k);
    Line l = line(k, 0);
    l.computed = true;
    if (there_.count(l) != 0) return {};
    for (const uint32_t p : prefetches_) {
      const Line other = line(p, 0);
      if (other.block == l.block && other.number == l.number && !other.symbol &&
          next_.is_next(other.base, l.base, loop))
        return "what it loads next is prefetched already";
    }
    std::string reason;
    if (!turns_.known(loop, k, reason)) return reason;
    next_.start();
    std::vector<std::string> statements;
    const std::string base = next_.of(k, 1, loop, statements);
    const auto own = base.empty() ? std::nullopt : next_guard(k, loop, statements);
    if (!own) {
      next_.drop();
      return fmt::format("its {} in the next turn does not follow from this turn's",
                         base.empty() ? "address" : "guard");
    }
    edit_.insert_before(i, statements);
    const std::string guard = turns_.predicate(loop, k, *own);
    const int64_t offset = address(k).value;
    edit_.insert_before(i, {fmt::format("@{} prefetch.global.{} [{}{}];", guard, level_, base,
                                        offset == 0 ? "" : fmt::format("+{}", offset))});
    edit_.changed();
    there_[l] = false;
    return {};
  }

  // The place from which on the block has the load's address and guard; insertions go before it.
  uint32_t earliest(uint32_t k) const {
    const FlowFacts& flow = subject_.flow();
    const uint32_t first = flow.cfg.blocks[flow.cfg.block_of[k]].first;
    for (uint32_t y = k; y-- > first;) {
      const ptx::Opcode& o = *flow.instruction(y).opcode;
      // A call need not come back.
      if (o.has(ptx::kCall) || o.has(ptx::kExit) || o.has(ptx::kTrap)) return y + 1;
      for (const RegAccess& w : flow.accesses.of(y)) {
        if (!w.write) continue;
        for (const RegAccess& r : flow.accesses.of(k))
          if (!r.write && r.reg == w.reg && (r.role == Role::kAddress || r.role == Role::kGuard))
            return y + 1;
      }
    }
    return first;
  }

  // Whether the load's address and guard may be written as they are at an earlier place.
  bool can_name(uint32_t k, uint32_t place) const {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& there = flow.instruction(place);
    if (there.scope != flow.instruction(k).scope) return false;
    const Operand& a = address(k);
    if (a.base_kind == OperandKind::kSymbol &&
        subject_.module().symbols[a.id].range.begin > there.range.begin)
      return false;
    for (const RegAccess& r : flow.accesses.of(k))
      if (!r.write && (r.role == Role::kAddress || r.role == Role::kGuard) &&
          !is_visible(subject_.function(), r.reg, there))
        return false;
    return true;
  }

  std::string early(uint32_t k) {
    const FlowFacts& flow = subject_.flow();
    const ptx::Instruction& i = flow.instruction(k);
    const Line l = line(k, 0);
    if (auto it = there_.find(l); it != there_.end())
      return it->second ? "it is prefetched already" : "";
    uint32_t place = earliest(k);
    while (place < k && !can_name(k, place)) ++place;
    uint32_t lead = 0;
    for (uint32_t y = place; y < k; ++y)
      lead += flow.instruction(y).opcode->mnemonic != ptx::Mnemonic::kPrefetch;
    if (lead < kLeastLead)
      return fmt::format("its address is known only {} instruction{} earlier", lead,
                         lead == 1 ? "" : "s");
    const std::string text = address_at(subject_.module(), subject_.function(), address(k), 0);
    if (text.empty()) return "its address has no register or variable as base";
    edit_.insert_before(
        flow.instruction(place),
        {fmt::format("{}prefetch.global.{} {};",
                     subject_.text({i.range.begin, i.opcode_range.begin}), level_, text)});
    edit_.changed();
    there_[l] = false;
    return {};
  }

  Subject& subject_;
  Edit& edit_;
  std::string_view level_;
  ValueDistance distance_;
  NextTurn turns_;
  NextValue next_;
  std::vector<uint32_t> prefetches_;  // of the input
  std::map<Line, bool> there_;        // lines with a prefetch; true: of the input
};

}  // namespace

void prefetch(Subject& subject, Edit& edit, Action action) {
  Prefetcher(subject, edit, action).run();
}

}  // namespace pitot::transform
