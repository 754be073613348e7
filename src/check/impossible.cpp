#include "check/impossible.h"

#include "analysis/flow_facts.h"
#include "analysis/int_ops.h"
#include "analysis/scalar_range.h"
#include "device/arguments.h"

namespace pitot::check {

using namespace analysis;
using emulator::Flow;
using emulator::Op;

namespace {

// The outcome of a comparison of all values of two ranges, if it is always the same.
std::optional<bool> always(Order order, const ScalarRange& a, const ScalarRange& b) {
  const bool below = a.high<b.low, above = a.low> b.high;
  const bool at_most = a.high <= b.low, at_least = a.low >= b.high;
  const bool equal = a.exact() && b.exact() && a.low == b.low;
  auto decided = [](bool yes, bool no) {
    return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
  };
  switch (order) {
    case Order::kEq:
      return decided(equal, below || above);
    case Order::kNe:
      return decided(below || above, equal);
    case Order::kLt:
      return decided(below, at_least);
    case Order::kLe:
      return decided(at_most, above);
    case Order::kGt:
      return decided(above, at_most);
    case Order::kGe:
      return decided(at_least, below);
  }
  return std::nullopt;
}

// Whether a branch's guard holds, where that never changes.
class Guards {
 public:
  Guards(const Side& side, std::optional<std::array<uint32_t, 3>> block)
      : known_{{}, block, {}}, ranges_(flow_, known_) {
    flow_.build(*side.module, side.function(), workspace_);
  }

  std::optional<bool> holds(uint32_t branch) {
    if (flow_.too_complex) return {};
    const ValueId v = flow_.read(branch, kImplicitOperand);
    if (v == kNone) return {};
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone) return {};
    const RegAccess& write = flow_.accesses.items[value.where];
    if (write.operand != 0 || write.element != 0 || !write.kills()) return {};
    const uint32_t i = flow_.accesses.instruction_of[value.where];
    const IntInstruction what = classify(*flow_.instruction(i).opcode);
    if (what.op != IntOp::kCompare || what.combine != IntInstruction::Combine::kNone) return {};
    const auto a = ranges_.of_operand(i, 1, what.width).as(what.is_signed, what.width);
    const auto b = ranges_.of_operand(i, 2, what.width).as(what.is_signed, what.width);
    const auto out = always(what.order, a, b);
    if (!out) return {};
    return *out != flow_.instruction(branch).guard_negated;
  }

 private:
  Workspace workspace_;
  FlowFacts flow_;
  KnownValues known_;
  ScalarRanges ranges_;
};

}  // namespace

Impossible impossible_ways(const Side& side, std::optional<std::array<uint32_t, 3>> block) {
  const auto& code = side.program->functions[side.kernel];
  const auto& ops = side.program->ops;
  Impossible out;
  out.taken.assign(code.count, false);
  out.passed.assign(code.count, false);
  out.code.assign(code.count, false);
  Guards guards(side, block);
  bool any = false, tables = false;
  for (uint32_t k = 0; k < code.count; ++k) {
    const Op& op = ops[code.first + k];
    tables = tables || op.flow == Flow::kTable;
    if (op.flow != Flow::kBranch || op.guard == 0 || op.instruction == emulator::kNoInstruction)
      continue;
    const auto holds = guards.holds(op.instruction - side.function().first_instruction);
    if (!holds) continue;
    (*holds ? out.passed : out.taken)[k] = true;
    any = true;
  }
  if (!any || tables) return out;
  std::vector<bool> found(code.count, false);
  std::vector<uint32_t> open;
  auto reach = [&](uint32_t at) {
    if (at >= code.count || found[at]) return;
    found[at] = true;
    open.push_back(at);
  };
  reach(0);
  while (!open.empty()) {
    const uint32_t k = open.back();
    open.pop_back();
    const Op& op = ops[code.first + k];
    const bool branches = op.flow == Flow::kBranch;
    const bool leaves =
        branches || op.flow == Flow::kReturn || op.flow == Flow::kExit || op.flow == Flow::kTrap;
    if (branches && !out.taken[k]) reach(op.target - code.first);
    if ((!leaves || op.guard != 0) && !out.passed[k]) reach(k + 1);
  }
  for (uint32_t k = 0; k < code.count; ++k) out.code[k] = !found[k];
  return out;
}

std::optional<std::array<uint32_t, 3>> block_of(const device::KernelSpec& spec) {
  std::optional<std::array<uint32_t, 3>> block;
  for (const device::SizeSpec& size : spec.sizes) {
    device::ResolvedLaunch launch;
    if (!device::resolve_launch(spec, size.values, launch) || (block && *block != launch.block))
      return {};
    block = launch.block;
  }
  return block;
}

}  // namespace pitot::check
