// unroll_2, unroll_4: the body of an innermost loop stands several times before the branch back.
// Each copy keeps its exit test, so any number of trips stays right; where the number is proved a
// multiple, the tests between copies go.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/trip_counts.h"
#include "transform/gap.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

using namespace analysis;
using ptx::Label;
using ptx::Mnemonic;
using ptx::Operand;
using ptx::OperandKind;

constexpr uint32_t kMostInstructions = 2048;  // of all copies

// A loop as text: its body from behind the header's label to the branch back.
struct LoopText {
  LoopId loop = kNone;
  uint32_t first = 0, back = 0;  // instructions; `back` is the branch
  uint32_t scope = 0;
  SourceRange range;  // of the body
};

bool inside(const SourceRange& outer, const SourceRange& r) {
  return r.begin >= outer.begin && r.end <= outer.end;
}

class Unrolling {
 public:
  Unrolling(Subject& subject, Edit& edit, uint32_t factor)
      : subject_(subject), edit_(edit), flow_(subject.flow()), factor_(factor) {}

  void run() {
    KnownValues known;
    known.block = subject_.assumptions().block;
    const auto trips = trip_counts(flow_, known);
    for (LoopId l = 0; l < trips.size(); ++l) {
      if (!flow_.loops.is_innermost(l)) continue;
      LoopText t;
      t.loop = l;
      std::string reason = find(t);
      if (reason.empty()) reason = hindrance(t, trips[l]);
      if (reason.empty()) {
        unroll(t, trips[l]);
      } else {
        edit_.decline(at(flow_.cfg.blocks[flow_.loops.loops[l].header].first), std::move(reason));
      }
    }
  }

 private:
  const ptx::Instruction& at(uint32_t i) const { return flow_.instruction(i); }
  std::span<const Operand> operands(uint32_t i) const {
    return subject_.module().operands_of(at(i));
  }

  // Fills in the loop's text. Empty, or why it has none of the shape that is copied.
  std::string find(LoopText& t) const {
    const Cfg& cfg = flow_.cfg;
    const Loop& loop = flow_.loops.loops[t.loop];
    const auto blocks = flow_.loops.blocks_of(t.loop);
    if (loop.irreducible) return "the loop has several entries";
    BlockId last = loop.header;
    uint32_t back_edges = 0;
    for (BlockId b : blocks) {
      if (b < loop.header) return "the loop's text does not begin with its header";
      last = std::max(last, b);
      back_edges += flow_.loops.is_latch(cfg, t.loop, b) ? 1 : 0;
    }
    if (back_edges != 1 || !flow_.loops.is_latch(cfg, t.loop, last))
      return "the loop has several branches back, or its text does not end with one";
    if (last - loop.header + 1 != blocks.size())
      return "other code stands between the blocks of the loop";
    t.first = cfg.blocks[loop.header].first;
    t.back = cfg.blocks[last].last - 1;
    t.scope = at(t.back).scope;
    const auto target = operands(t.back);
    if (at(t.back).opcode->mnemonic != Mnemonic::kBra || target.size() != 1 ||
        target[0].kind != OperandKind::kLabel)
      return "the loop does not end in a plain branch";
    const Label& label = subject_.function().labels[target[0].id];
    if (label.instruction != t.first) return "the branch back does not go to the header";
    if (label.scope != t.scope || at(t.first).scope != t.scope)
      return "the loop crosses the bounds of a scope";
    t.range = {past_colon(subject_.module().text(), label.range.end), at(t.back).range.begin};
    return {};
  }

  std::string hindrance(const LoopText& t, const TripCount& trips) const {
    const ptx::Function& f = subject_.function();
    if (trips.waits) return "the loop waits for something";
    if ((t.back - t.first + 1) * factor_ > kMostInstructions) return "the loop is long as it is";
    if (at(t.back).guard != kNoId && t.back + 1 >= flow_.instruction_count())
      return "nothing follows the loop";
    const bool divergent = subject_.uniformity().loop_exit[t.loop] == Scope::kVarying ||
                           subject_.uniformity().loop_step[t.loop] == Scope::kVarying;
    for (uint32_t i = t.first; i <= t.back; ++i) {
      const ptx::Opcode& o = *at(i).opcode;
      if (!roles_known(at(i))) return "it has an instruction that is not known";
      if (divergent && (o.effects & (ptx::kConvergent | ptx::kBarrier | ptx::kCall)) != 0)
        return "lanes may leave it at different trips, and it has operations of several lanes";
      if (o.mnemonic == Mnemonic::kBrx) return "it branches through a table";
      for (const Operand& x : operands(i))
        if (x.kind == OperandKind::kLabel && !o.has(ptx::kBranch))
          return "it takes the address of a label";
    }
    for (const ptx::RegisterDeclaration& d : f.register_declarations)
      if (d.scope == t.scope && inside(t.range, d.range)) return "it declares registers";
    for (const ptx::Symbol& s : subject_.module().symbols) {
      if (!inside(t.range, s.range)) continue;
      if (s.scope == t.scope) return "it has declarations";
      if (s.kind == ptx::SymbolKind::kBranchTargets) return "it branches through a table";
    }
    return {};
  }

  // Instruction whose test fails never but in the first copy; kNone: not known of any.
  uint32_t needless_test(const LoopText& t, const TripCount& trips) const {
    if (!trips.trips || *trips.trips % factor_ != 0 || trips.counter.branch == kNone) return kNone;
    const uint32_t branch = trips.counter.branch;
    if (trips.counter.at_bottom) return branch == t.back ? branch : kNone;
    // At the top: it is made once more than the body runs, then in the first copy again.
    const BlockId header = flow_.loops.loops[t.loop].header;
    if (flow_.cfg.block_of[branch] != header || at(branch).opcode->mnemonic != Mnemonic::kBra)
      return kNone;
    const auto target = operands(branch);
    if (target.size() != 1 || target[0].kind != OperandKind::kLabel) return kNone;
    const uint32_t to = subject_.function().labels[target[0].id].instruction;
    const bool leaves = to < t.first || to > t.back;
    return leaves ? branch : kNone;
  }

  // The body once more, with labels of its own.
  std::string copy(const LoopText& t, uint32_t without) {
    const ptx::Function& f = subject_.function();
    std::map<uint32_t, std::pair<uint32_t, std::string>> edits;  // begin → end, text
    std::map<ptx::LabelId, std::string> names;
    for (ptx::LabelId l = 0; l < f.labels.size(); ++l) {
      const Label& label = f.labels[l];
      if (label.scope != t.scope || !inside(t.range, label.range)) continue;
      if (label.uses != 0) {
        names[l] = edit_.new_label();
        edits[label.range.begin] = {label.range.end, names[l]};
        continue;
      }
      // Of use to debuggers only.
      edits[label.range.begin] = {past_colon(subject_.module().text(), label.range.end), ""};
    }
    for (const ptx::DirectiveNode& d : f.directives)
      if (inside(t.range, d.range)) edits[d.range.begin] = {d.range.end, ""};
    for (uint32_t i = t.first; i < t.back; ++i) {
      if (i == without) {
        edits[at(i).range.begin] = {at(i).range.end, ""};
        continue;
      }
      for (const Operand& o : operands(i))
        if (o.kind == OperandKind::kLabel)
          if (auto name = names.find(o.id); name != names.end())
            edits[o.range.begin] = {o.range.end, name->second};
    }
    std::string out;
    uint32_t from = t.range.begin;
    for (const auto& [begin, edit] : edits) {
      out += subject_.text({from, begin});
      out += edit.second;
      from = edit.first;
    }
    out += subject_.text({from, t.range.end});
    return out;
  }

  void unroll(const LoopText& t, const TripCount& trips) {
    const uint32_t needless = needless_test(t, trips);
    const ptx::Instruction& back = at(t.back);
    std::string test;
    if (back.guard != kNoId && needless != t.back) {
      const std::string exit = exit_label(t);
      test = fmt::format("@{}{} {} {};", back.guard_negated ? "" : "!",
                         subject_.function().registers[back.guard].name,
                         subject_.text(back.opcode_range), exit);
    }
    std::string out;
    for (uint32_t k = 1; k < factor_; ++k) {
      out += test;
      out += copy(t, needless);
    }
    edit_.rewriter().insert_before(back.range.begin, std::move(out));
    edit_.changed();
  }

  // In front of what follows the loop.
  std::string exit_label(const LoopText& t) {
    const ptx::Function& f = subject_.function();
    for (const Label& l : f.labels)
      if (l.instruction == t.back + 1 && l.scope == t.scope && l.range.begin > at(t.back).range.end)
        return std::string(l.name);
    const std::string name = edit_.new_label();
    edit_.rewriter().insert_before(at(t.back).range.end, fmt::format("\n{}:", name));
    return name;
  }

  Subject& subject_;
  Edit& edit_;
  const FlowFacts& flow_;
  const uint32_t factor_;
};

}  // namespace

void unroll_loops(Subject& subject, Edit& edit, Action action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  Unrolling(subject, edit, action == Action::kUnroll4 ? 4 : 2).run();
}

}  // namespace pitot::transform
