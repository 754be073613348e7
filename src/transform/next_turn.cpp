#include "transform/next_turn.h"

#include <fmt/format.h>

#include "analysis/int_ops.h"
#include "transform/held.h"

namespace pitot::transform {

using namespace analysis;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;

bool NextTurn::written_in(LoopId loop, RegId reg) const {
  const FlowFacts& flow = subject_.flow();
  for (const uint32_t item : flow.accesses.of_register(reg))
    if (flow.accesses.items[item].write &&
        flow.loops.contains(loop, flow.cfg.block_of[flow.accesses.instruction_of[item]]))
      return true;
  return false;
}

bool NextTurn::unwritten_until(LoopId loop, RegId reg, uint32_t instruction) const {
  const FlowFacts& flow = subject_.flow();
  const BlockId here = flow.cfg.block_of[instruction];
  for (const uint32_t item : flow.accesses.of_register(reg)) {
    if (!flow.accesses.items[item].write) continue;
    const uint32_t i = flow.accesses.instruction_of[item];
    const BlockId b = flow.cfg.block_of[i];
    if (!flow.loops.contains(loop, b)) continue;
    if (b == here ? i < instruction : !flow.dom.strictly_dominates(here, b)) return false;
  }
  return true;
}

bool NextTurn::visible(RegId reg, uint32_t instruction) const {
  return is_visible(subject_.function(), reg, subject_.flow().instruction(instruction));
}

const NextTurn::Test& NextTurn::test_of(LoopId loop) {
  auto [it, fresh] = tests_.try_emplace(loop);
  if (fresh) it->second = find_test(loop);
  return it->second;
}

NextTurn::Test NextTurn::find_test(LoopId loop) {
  const FlowFacts& flow = subject_.flow();
  if (!trips_) trips_ = trip_counts(flow);
  const TripCount& count = (*trips_)[loop];
  Test t;
  auto no = [&](const char* reason) {
    t.reason = reason;
    return t;
  };
  if (flow.loops.loops[loop].irreducible || count.waits || count.counter.test == kNone ||
      count.counter.shift != 0)
    return no("its loop has no counter");
  if (count.may_leave_early) return no("its loop may be left in other places than its test");
  for (const BlockId b : flow.loops.blocks_of(loop))
    for (uint32_t i = flow.cfg.blocks[b].first; i < flow.cfg.blocks[b].last; ++i)
      if (flow.instruction(i).opcode->has(ptx::kCall))
        return no("its loop has a call, which need not come back");
  const LoopCounter& c = count.counter;
  t.setp = c.test;
  const ptx::Instruction& setp = flow.instruction(c.test);
  const ptx::Instruction& branch = flow.instruction(c.branch);
  const auto operands = flow.module->operands_of(setp);
  if (setp.opcode->mnemonic != ptx::Mnemonic::kSetp || setp.guard != kNoId ||
      operands.size() != 3 || !operands[0].is_register())
    return no("its loop's test is more than one comparison");
  // The branch must ask the comparison itself.
  const ValueId asked = flow.read(c.branch, kImplicitOperand);
  if (asked == kNone || flow.values.values[asked].kind != ValueKind::kWrite ||
      flow.values.values[asked].from != kNone ||
      flow.values.instruction_of(flow.accesses, asked) != c.test)
    return no("its loop's test is more than one comparison");
  const BlockId b = flow.cfg.block_of[c.branch];
  bool holds = false, fails = false;
  for (const BlockId s : flow.cfg.successors(b)) {
    if (!flow.loops.contains(loop, s)) continue;
    holds = holds || flow.cfg.sense(b, s) != EdgeSense::kGuardFails;
    fails = fails || flow.cfg.sense(b, s) != EdgeSense::kGuardHolds;
  }
  if (holds == fails) return no("its loop's test does not decide on the next turn");
  t.stays_when = holds != branch.guard_negated;
  const unsigned width = ptx::bits_of(setp.opcode->type);
  for (const uint8_t side : {uint8_t{1}, uint8_t{2}}) {
    const ValueId v = flow.read(c.test, side);
    if (v == kNone) continue;
    const ValueDistance::Root root = distance_.root_of(v, width);
    const Value& value = flow.values.values[root.value];
    if (value.kind != ValueKind::kPhi || value.where != flow.loops.loops[loop].header) continue;
    const auto step = distance_.per_turn(root.value, loop, width);
    if (!step || *step == 0) continue;
    t.counter = side;
    t.bound = static_cast<uint8_t>(3 - side);
    t.phi = root.value;
    t.compared = root.offset;
    t.step = *step;
    const Operand& bound = operands[t.bound];
    if (bound.is_constant()) return t;
    if (bound.is_register() && bound.selector == ptx::Selector::kNone &&
        !written_in(loop, bound.id))
      return t;
    return no("its loop's bound changes in the loop");
  }
  return no("its loop's test compares no counter that grows by a constant");
}

NextTurn::Compared NextTurn::compared(const Test& t, LoopId loop, uint32_t instruction) {
  const FlowFacts& flow = subject_.flow();
  const ptx::Instruction& setp = flow.instruction(t.setp);
  const Operand& counter = flow.module->operands_of(setp)[t.counter];
  const BlockId here = flow.cfg.block_of[instruction], there = flow.cfg.block_of[t.setp];
  // Before the test, this turn's outcome decides; behind it, the next turn's.
  const bool behind = flow.dom.strictly_dominates(there, here);
  const ValueId now = flow.read(t.setp, t.counter);
  if (there == here && flow.values.values[now].kind == ValueKind::kWrite) {
    const uint32_t made = flow.values.instruction_of(flow.accesses, now);
    if (made < instruction && flow.cfg.block_of[made] == here && visible(counter.id, instruction))
      return {counter.id, 0};
  }
  const RegId phi = flow.values.values[t.phi].reg;
  if (!unwritten_until(loop, phi, instruction) || !visible(phi, instruction)) return {};
  const unsigned width = ptx::bits_of(setp.opcode->type);
  return {phi, sign_extended(static_cast<uint64_t>(t.compared + (behind ? t.step : 0)), width)};
}

bool NextTurn::known(LoopId loop, uint32_t instruction, std::string& reason) {
  const FlowFacts& flow = subject_.flow();
  const Test& t = test_of(loop);
  if (!t.reason.empty()) {
    reason = t.reason;
    return false;
  }
  const BlockId here = flow.cfg.block_of[instruction];
  for (const BlockId b : flow.cfg.predecessors(flow.loops.loops[loop].header))
    if (flow.loops.contains(loop, b) && !flow.dom.dominates(here, b)) {
      reason = "not every turn of its loop comes to it";
      return false;
    }
  const Operand& end = flow.module->operands_of(flow.instruction(t.setp))[t.bound];
  if (compared(t, loop, instruction).reg == kNoId ||
      (end.is_register() && !visible(end.id, instruction))) {
    reason = "the loop's counter or bound is not at hand where it loads";
    return false;
  }
  return true;
}

std::string NextTurn::predicate(LoopId loop, uint32_t instruction, const std::string& guard) {
  const FlowFacts& flow = subject_.flow();
  const Test& t = test_of(loop);
  const std::string negation = t.stays_when ? "" : "!";
  const auto key = std::pair(flow.cfg.block_of[instruction], guard);
  if (auto it = made_.find(key); it != made_.end()) return negation + it->second;
  const ptx::Instruction& setp = flow.instruction(t.setp);
  const Compared now = compared(t, loop, instruction);
  std::vector<std::string> statements;
  std::string counter(flow.function->registers[now.reg].name);
  if (now.added != 0) {
    const unsigned width = ptx::bits_of(setp.opcode->type);
    const std::string sum = edit_.new_register(fmt::format("b{}", width));
    statements.push_back(fmt::format("add.s{} {}, {}, {};", width, sum, counter, now.added));
    counter = sum;
  }
  const std::string bound(subject_.text(flow.module->operands_of(setp)[t.bound].range));
  std::string opcode(setp.opcode->text), joined;
  if (!guard.empty()) {
    // stays && guard, or by De Morgan its opposite.
    opcode.insert(opcode.rfind('.'), t.stays_when ? ".and" : ".or");
    joined = t.stays_when ? guard : guard[0] == '!' ? guard.substr(1) : "!" + guard;
    joined.insert(0, ", ");
  }
  const std::string p = edit_.new_register("pred");
  statements.push_back(fmt::format("{} {}, {}, {}{};", opcode, p, t.counter == 1 ? counter : bound,
                                   t.counter == 1 ? bound : counter, joined));
  edit_.insert_before(flow.instruction(instruction), statements);
  made_[key] = p;
  return negation + p;
}

}  // namespace pitot::transform
