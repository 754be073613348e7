#include "analysis/undefined.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/predicate_facts.h"

namespace pitot::analysis {

namespace {

constexpr unsigned kMaxSteps = 512;

class UndefinedFinder {
 public:
  UndefinedFinder(const FlowFacts& facts, Workspace& ws)
      : facts_(facts),
        predicates_(facts),
        may_be_undefined_(ws.borrow()),
        may_be_defined_(ws.borrow()),
        copies_(ws.borrow()),
        origin_(ws.borrow()) {}

  std::vector<UndefinedRead> run(Workspace& ws) {
    const auto& values = facts_.values.values;
    const bool any = std::any_of(values.begin(), values.end(), [&](const Value& v) {
      return v.kind == ValueKind::kUndefined && v.reg != carry_register(*facts_.function);
    });
    if (!any) return {};
    spread(ws);
    for (uint32_t i = 0; i < facts_.instruction_count(); ++i) visit(i);
    return std::move(found_);
  }

 private:
  using Answer = std::optional<Certainty>;

  bool is_copy(uint32_t i) const {
    const ptx::Instruction& instruction = facts_.instruction(i);
    if (instruction.opcode->mnemonic != ptx::Mnemonic::kMov) return false;
    const auto operands = facts_.module->operands_of(instruction);
    return operands.size() == 2 && operands[0].is_register() && operands[1].is_register();
  }

  // Carries "was never written" and "was written" along copies, phis and kept old values.
  void spread(Workspace& ws) {
    const auto& values = facts_.values.values;
    const uint32_t n = static_cast<uint32_t>(values.size());
    may_be_undefined_->assign(n, 0);
    may_be_defined_->assign(n, 0);
    copies_->assign(n, kNone);
    origin_->assign(n, kNone);
    // Edges from a value to those that may pass it on, as one list per source.
    auto head = ws.borrow(n, kNone);
    auto next = ws.borrow();
    auto target = ws.borrow();
    auto edge = [&](ValueId from, ValueId to) {
      if (from == kNone) return;
      next->push_back(std::exchange(head[from], static_cast<uint32_t>(target->size())));
      target->push_back(to);
    };
    auto undefined = ws.borrow();
    auto defined = ws.borrow();
    for (ValueId v = 0; v < n; ++v) {
      const Value& value = values[v];
      switch (value.kind) {
        case ValueKind::kUndefined:
          may_be_undefined_[v] = 1;
          origin_[v] = value.reg;
          undefined->push_back(v);
          break;
        case ValueKind::kParameter:
          may_be_defined_[v] = 1;
          defined->push_back(v);
          break;
        case ValueKind::kPhi:
          for (ValueId o : facts_.values.operands_of_phi(facts_.cfg, v)) edge(o, v);
          break;
        case ValueKind::kWrite: {
          // A vector register that is written element by element counts as written.
          if (!facts_.accesses.items[value.where].partial) edge(value.from, v);
          const uint32_t i = facts_.accesses.instruction_of[value.where];
          if (is_copy(i)) copies_[v] = facts_.read(i, 1);
          if (copies_[v] != kNone) {
            edge(copies_[v], v);
          } else {
            may_be_defined_[v] = 1;
            defined->push_back(v);
          }
          break;
        }
      }
    }
    auto flow = [&](Workspace::Loan& work, Workspace::Loan& mark, bool origins) {
      for (size_t k = 0; k < work.size(); ++k)
        for (uint32_t e = head[work[k]]; e != kNone; e = next[e]) {
          const ValueId to = target[e];
          if (mark[to] != 0) continue;
          mark[to] = 1;
          if (origins) origin_[to] = origin_[work[k]];
          work->push_back(to);
        }
    };
    flow(undefined, may_be_undefined_, true);
    flow(defined, may_be_defined_, false);
  }

  void visit(uint32_t i) {
    if (is_copy(i)) return;
    const size_t first = found_.size();
    for (uint32_t k = facts_.accesses.first[i]; k < facts_.accesses.first[i + 1]; ++k) {
      const RegAccess& a = facts_.accesses.items[k];
      const ValueId v = facts_.values.value_of[k];
      if (a.write || v == kNone || a.role == Role::kCarry || may_be_undefined_[v] == 0) continue;
      if (std::any_of(found_.begin() + static_cast<ptrdiff_t>(first), found_.end(),
                      [&](const UndefinedRead& r) { return r.reg == a.reg; }))
        continue;
      Answer answer = may_be_defined_[v] == 0 ? Certainty::kDefinite : judge(i, a, v);
      if (answer == Certainty::kMasked && has_effect(i, a)) answer = Certainty::kPossible;
      if (answer) found_.push_back({i, a.operand, a.reg, origin_[v], *answer});
    }
  }

  // Whether garbage read here leaves the thread's registers or steers it.
  bool has_effect(uint32_t i, const RegAccess& a) const {
    constexpr uint32_t kEffects =
        ptx::kStore | ptx::kAtomic | ptx::kRed | ptx::kBranch | ptx::kCall | ptx::kRet;
    return a.role == Role::kGuard || a.role == Role::kAddress ||
           (facts_.instruction(i).opcode->effects & kEffects) != 0;
  }

  // Whether some path that the guards and branches allow brings an unwritten register to this read.
  Answer judge(uint32_t i, const RegAccess& a, ValueId v) {
    const BlockId block = facts_.cfg.block_of[i];
    const ptx::Instruction& instruction = facts_.instruction(i);
    const bool guarded = instruction.guard != kNoId && a.role != Role::kGuard;
    const Literal guard = guarded ? predicates_.guard(i) : Literal{};
    // Many reads share value, block and guard.
    const std::array<uint32_t, 4> key{v, block, guard.value, guard.truth ? 1u : 0u};
    if (auto it = answers_.find(key); it != answers_.end()) return it->second;
    PredicateFacts::Set set;
    if (guarded) predicates_.assume(set, guard);
    predicates_.assume_path_to(set, block);
    const Answer answer = set.contradiction ? std::nullopt : search(v, std::move(set));
    answers_.emplace(key, answer);
    return answer;
  }

  // Depth first over (value, literals), without recursion; a pair seen before gives nothing new.
  Answer search(ValueId start, PredicateFacts::Set set) {
    struct State {
      ValueId value;
      PredicateFacts::Set set;
      bool masked;  // a guarded write was passed
    };
    std::vector<State> work;
    Answer answer;
    std::unordered_set<uint64_t> seen;
    auto push = [&](ValueId v, PredicateFacts::Set s, bool masked) {
      if (v == kNone || s.contradiction || may_be_undefined_[v] == 0) return;
      uint64_t sum = 0;  // of a set, so without regard to order
      for (const Literal& l : s.literals)
        sum += (uint64_t{l.value} * 2 + (l.truth ? 1 : 0) + 1) * 0x9E3779B97F4A7C15u;
      if (seen.insert(((sum ^ (sum >> 29)) * 31 + v) * 2 + (masked ? 1 : 0)).second)
        work.push_back({v, std::move(s), masked});
    };
    push(start, std::move(set), false);
    for (unsigned steps = 0; !work.empty(); ++steps) {
      if (steps == kMaxSteps) return Certainty::kPossible;
      State state = std::move(work.back());
      work.pop_back();
      const Value& value = facts_.values.values[state.value];
      switch (value.kind) {
        case ValueKind::kUndefined:
          if (!state.masked) return Certainty::kPossible;
          answer = Certainty::kMasked;
          break;
        case ValueKind::kParameter:
          break;
        case ValueKind::kPhi: {
          const auto operands = facts_.values.operands_of_phi(facts_.cfg, state.value);
          const auto in = facts_.cfg.predecessors(value.where);
          for (size_t k = 0; k < operands.size(); ++k) {
            if (operands[k] == kNone || may_be_undefined_[operands[k]] == 0) continue;
            if (k >= in.size()) {  // function entry
              push(operands[k], {}, state.masked);
              continue;
            }
            PredicateFacts::Set s = predicates_.before_phi(state.set, value.where, in[k]);
            if (!s.contradiction) predicates_.assume_edge(s, in[k], value.where);
            push(operands[k], std::move(s), state.masked);
          }
          break;
        }
        case ValueKind::kWrite:
          visit_write(state.value, state.set, [&](ValueId v, PredicateFacts::Set s, bool off) {
            push(v, std::move(s), state.masked || off);
          });
          break;
      }
    }
    return answer;
  }

  // push(value, literals, passed a write whose guard was off).
  template <class Push>
  void visit_write(ValueId v, PredicateFacts::Set& set, Push&& push) {
    using Holds = PredicateFacts::Set::Answer;
    const Value& value = facts_.values.values[v];
    const uint32_t i = facts_.accesses.instruction_of[value.where];
    if (facts_.instruction(i).guard == kNoId) {
      push(copies_[v], std::move(set), false);
      return;
    }
    const Literal guard = predicates_.guard(i);
    const Holds holds = set.ask(guard);
    if (holds != Holds::kTrue) {
      PredicateFacts::Set s = set;
      predicates_.assume(s, {guard.value, !guard.truth});
      push(value.from, std::move(s), true);
    }
    if (holds != Holds::kFalse && copies_[v] != kNone) {
      predicates_.assume(set, guard);
      push(copies_[v], std::move(set), false);
    }
  }

  const FlowFacts& facts_;
  PredicateFacts predicates_;
  Workspace::Loan may_be_undefined_, may_be_defined_;  // value → 0 or 1
  Workspace::Loan copies_;                             // value → the value it copies, or kNone
  Workspace::Loan origin_;                             // value → unwritten register, or kNone
  std::map<std::array<uint32_t, 4>, Answer> answers_;  // by value, block, guard
  std::vector<UndefinedRead> found_;
};

}  // namespace

std::vector<UndefinedRead> undefined_reads(const FlowFacts& facts, Workspace& ws) {
  return UndefinedFinder(facts, ws).run(ws);
}

}  // namespace pitot::analysis
