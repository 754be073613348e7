#include "transform/next_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/int_ops.h"
#include "transform/held.h"

namespace pitot::transform {

using namespace analysis;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegId;

namespace {

// Instructions of one address at most.
constexpr int kDeepest = 6;
// Addresses are made one from the other, so what is recognised may go deeper.
constexpr int kDeepestMatch = 256;

}  // namespace

unsigned NextValue::width_of(ValueId v) const {
  const FlowFacts& flow = subject_.flow();
  return value_width(flow.function->registers[flow.values.values[v].reg].type);
}

void NextValue::start() {
  registers_ = edit_.register_count();
  pending_.clear();
}

void NextValue::drop() {
  edit_.drop_registers(registers_);
  for (const auto& key : pending_) made_.erase(key);
  pending_.clear();
}

std::string NextValue::of(uint32_t instruction, uint8_t operand, LoopId loop,
                          std::vector<std::string>& statements) {
  return compute(instruction, operand, instruction, loop, 0, statements);
}

std::string NextValue::of_guard(uint32_t instruction, LoopId loop,
                                std::vector<std::string>& statements) {
  const ValueId v = subject_.flow().read(instruction, kImplicitOperand);
  return v == kNone ? std::string()
                    : compute_value(v, instruction, instruction, loop, 0, statements);
}

bool NextValue::holds(RegId reg, uint32_t reader, uint32_t place, LoopId loop) const {
  const FlowFacts& flow = subject_.flow();
  if (!is_visible(subject_.function(), reg, flow.instruction(place))) return false;
  bool written = false;
  for (const uint32_t item : flow.accesses.of_register(reg)) {
    const uint32_t i = flow.accesses.instruction_of[item];
    if (!flow.accesses.items[item].write || !flow.loops.contains(loop, flow.cfg.block_of[i]))
      continue;
    written = true;
    // Of one block, in which both read the register.
    if (flow.cfg.block_of[i] == flow.cfg.block_of[place] && i >= std::min(reader, place) &&
        i < std::max(reader, place))
      return false;
  }
  return !written || flow.cfg.block_of[reader] == flow.cfg.block_of[place];
}

uint32_t NextValue::maker(ValueId v, LoopId loop) const {
  const FlowFacts& flow = subject_.flow();
  const Value& value = flow.values.values[v];
  if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
  const RegAccess& w = flow.accesses.items[value.where];
  const uint32_t i = flow.accesses.instruction_of[value.where];
  const ptx::Instruction& ins = flow.instruction(i);
  const ptx::Opcode& o = *ins.opcode;
  if (!w.kills() || !flow.loops.contains(loop, flow.cfg.block_of[i]) || ins.operand_count < 2 ||
      flow.module->operands_of(ins)[0].kind != OperandKind::kRegister || o.has(ptx::kReadsCC) ||
      o.has(ptx::kWritesCC))
    return kNone;
  const bool pure = classify(o).op != IntOp::kOther || o.mnemonic == ptx::Mnemonic::kCvta;
  return pure ? i : kNone;
}

std::string NextValue::compute(uint32_t reader, uint8_t operand, uint32_t place, LoopId loop,
                               int depth, std::vector<std::string>& statements) {
  const FlowFacts& flow = subject_.flow();
  const Operand& o = flow.module->operands_of(flow.instruction(reader))[operand];
  const ValueId v = flow.read(reader, operand);
  if (v == kNone || o.selector != ptx::Selector::kNone || o.negated || o.minus) return {};
  return compute_value(v, reader, place, loop, depth, statements);
}

std::string NextValue::compute_value(ValueId v, uint32_t reader, uint32_t place, LoopId loop,
                                     int depth, std::vector<std::string>& statements) {
  const FlowFacts& flow = subject_.flow();
  const RegId reg = flow.values.values[v].reg;
  const unsigned width = width_of(v);
  const std::string name(subject_.function().registers[reg].name);
  const std::string type(ptx::name_of(subject_.function().registers[reg].type));
  if (const auto step = distance_.per_turn(v, loop, width);
      step && holds(reg, reader, place, loop)) {
    if (*step == 0) return name;
    if (width < 16) return {};
    const auto [it, fresh] = made_.try_emplace({flow.cfg.block_of[place], v});
    if (!fresh) return it->second;
    pending_.push_back(it->first);
    it->second = edit_.new_register(type);
    statements.push_back(fmt::format("add.s{} {}, {}, {};", width, it->second, name, *step));
    return it->second;
  }
  const auto key = std::pair(flow.cfg.block_of[place], v);
  if (auto it = made_.find(key); it != made_.end()) return it->second;
  if (flow.values.values[v].kind == ValueKind::kPhi)
    return compute_phi(v, reader, place, loop, statements);
  const uint32_t i = maker(v, loop);
  if (i == kNone || depth == kDeepest) return {};
  const ptx::Instruction& ins = flow.instruction(i);
  const auto operands = flow.module->operands_of(ins);
  std::string sources;
  for (uint8_t k = 1; k < operands.size(); ++k) {
    std::string text;
    if (operands[k].is_constant() || (operands[k].kind == OperandKind::kSymbol &&
                                      flow.module->symbols[operands[k].id].scope == 0)) {
      text = subject_.text(operands[k].range);
    } else if (operands[k].kind == OperandKind::kRegister) {
      text = compute(i, k, place, loop, depth + 1, statements);
    }
    if (text.empty()) return {};
    sources += ", " + text;
  }
  const std::string made = edit_.new_register(type);
  statements.push_back(fmt::format("{} {}{};", ins.opcode->text, made, sources));
  made_[key] = made;
  pending_.push_back(key);
  return made;
}

// The latch's value, by the instruction that will make it, from what it will read.
std::string NextValue::compute_phi(ValueId v, uint32_t reader, uint32_t place, LoopId loop,
                                   std::vector<std::string>& statements) {
  const FlowFacts& flow = subject_.flow();
  if (flow.values.values[v].where != flow.loops.loops[loop].header) return {};
  const ValueId next = latch_value(v, loop);
  const uint32_t i = next == kNone ? kNone : maker(next, loop);
  if (i == kNone) return {};
  const ptx::Instruction& ins = flow.instruction(i);
  const auto operands = flow.module->operands_of(ins);
  std::string sources;
  for (uint8_t k = 1; k < operands.size(); ++k) {
    const Operand& o = operands[k];
    if (o.is_constant()) {
      sources += fmt::format(", {}", subject_.text(o.range));
      continue;
    }
    const ValueId x = flow.read(i, k);
    if (x == kNone || o.kind != OperandKind::kRegister || o.selector != ptx::Selector::kNone ||
        o.negated || o.minus)
      return {};
    const RegId reg = flow.values.values[x].reg;
    if (!holds(reg, x == v ? reader : i, place, loop)) return {};
    sources += fmt::format(", {}", subject_.function().registers[reg].name);
  }
  const auto& phi = subject_.function().registers[flow.values.values[v].reg];
  const std::string made = edit_.new_register(ptx::name_of(phi.type));
  statements.push_back(fmt::format("{} {}{};", ins.opcode->text, made, sources));
  const auto key = std::pair(flow.cfg.block_of[place], v);
  made_[key] = made;
  pending_.push_back(key);
  return made;
}

// The value with which a turn ends that starts with the phi; kNone if turns end differently.
ValueId NextValue::latch_value(ValueId phi, LoopId loop) const {
  const FlowFacts& flow = subject_.flow();
  const auto operands = flow.values.operands_of_phi(flow.cfg, phi);
  const auto before = flow.cfg.predecessors(flow.values.values[phi].where);
  ValueId found = kNone;
  for (size_t k = 0; k < before.size(); ++k) {
    if (operands[k] == kNone || !flow.loops.contains(loop, before[k])) continue;
    if (found != kNone && found != operands[k]) return kNone;
    found = operands[k];
  }
  return found;
}

bool NextValue::is_next(ValueId next, ValueId now, LoopId loop) {
  return matches(next, now, loop, 0);
}

bool NextValue::matches(ValueId next, ValueId now, LoopId loop, int depth) {
  if (next == kNone || now == kNone || depth == kDeepestMatch) return false;
  const auto [it, fresh] = matched_.try_emplace({next, now}, false);
  if (fresh) {
    const bool same = find_match(next, now, loop, depth);
    matched_[{next, now}] = same;
    return same;
  }
  return it->second;
}

bool NextValue::find_match(ValueId next, ValueId now, LoopId loop, int depth) {
  const FlowFacts& flow = subject_.flow();
  const unsigned width = width_of(now);
  if (width_of(next) != width) return false;
  if (const auto step = distance_.per_turn(now, loop, width)) {
    const auto d = distance_.values(now, next, width);
    if (d && *d == *step) return true;
  }
  ValueId made = now;
  bool of_this_turn = false;  // `next` is made from this turn's values
  if (flow.values.values[now].kind == ValueKind::kPhi &&
      flow.values.values[now].where == flow.loops.loops[loop].header) {
    made = latch_value(now, loop);
    of_this_turn = true;
    if (made == kNone) return false;
    if (made == next) return true;
  }
  const uint32_t i = maker(made, loop), j = maker(next, loop);
  if (i == kNone || j == kNone || flow.instruction(i).opcode != flow.instruction(j).opcode)
    return false;
  const auto x = flow.module->operands_of(flow.instruction(i));
  const auto y = flow.module->operands_of(flow.instruction(j));
  if (x.size() != y.size()) return false;
  for (uint8_t k = 1; k < x.size(); ++k) {
    if (x[k].kind != y[k].kind) return false;
    if (x[k].kind == OperandKind::kRegister) {
      const ValueId a = flow.read(i, k), b = flow.read(j, k);
      if (of_this_turn ? a != b : !matches(b, a, loop, depth + 1)) return false;
    } else if (subject_.text(x[k].range) != subject_.text(y[k].range)) {
      return false;
    }
  }
  return true;
}

}  // namespace pitot::transform
