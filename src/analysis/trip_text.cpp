// Trip counts as text: the counter's bound, start and step written out in parameters, special
// registers and registers.
#include <string>

#include "analysis/trip_arithmetic.h"
#include "analysis/trip_counts.h"

namespace pitot::analysis {

namespace {

using ptx::OperandKind;

// How tightly an expression binds; lower needs parentheses inside a higher one.
enum Binding { kSum = 1, kShift = 0, kProduct = 2, kAtom = 3 };

struct Text {
  std::string text;
  int binding = kAtom;
  bool is_number = false;
  int64_t number = 0;
};

std::string wrapped(const Text& t, int needed) {
  return t.binding < needed ? "(" + t.text + ")" : t.text;
}

Text number(int64_t v) { return {std::to_string(v), v < 0 ? kSum : kAtom, true, v}; }

Text plus(const Text& a, int64_t v) {
  if (v == 0) return a;
  if (a.is_number) return number(a.number + v);
  if (v < 0) return {wrapped(a, kSum) + " - " + std::to_string(v).substr(1), kSum};
  return {wrapped(a, kSum) + " + " + std::to_string(v), kSum};
}

Text minus(const Text& a, const Text& b) {
  if (b.is_number && b.number != INT64_MIN) return plus(a, -b.number);
  return {wrapped(a, kSum) + " - " + wrapped(b, kProduct), kSum};
}

class Writer {
 public:
  explicit Writer(const FlowFacts& flow) : flow_(flow) {}

  Text value(ValueId v, unsigned depth = 0) const {
    if (v == kNone) return number(0);
    const Value& here = flow_.values.values[v];
    const Text name{std::string(here.reg < flow_.function->registers.size()
                                    ? flow_.function->registers[here.reg].name
                                    : "carry")};
    if (here.kind != ValueKind::kWrite || here.from != kNone || depth > 6) return name;
    const RegAccess& write = flow_.accesses.items[here.where];
    if (write.operand != 0 || write.element != 0) return name;
    const uint32_t i = flow_.accesses.instruction_of[here.where];
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    const auto operands = flow_.module->operands_of(flow_.instruction(i));
    if (op.has(ptx::kLoad)) {
      const bool parameter = ptx::base_space(op.space) == ptx::Space::kParam &&
                             operands.size() > 1 && operands[1].value == 0 &&
                             operands[1].base_kind == OperandKind::kSymbol;
      if (!parameter) return name;
      return {std::string(flow_.module->symbols[operands[1].id].name)};
    }
    if (op.has(ptx::kReadsCC)) return name;
    auto source = [&](uint8_t k) { return operand(i, k, depth + 1); };
    auto infix = [&](const char* sign, int binding) {
      return Text{wrapped(source(1), binding) + sign + wrapped(source(2), binding + 1), binding};
    };
    auto bits = [&](const char* sign) {
      return Text{wrapped(source(1), kAtom) + sign + wrapped(source(2), kAtom), kShift};
    };
    auto call = [&](const char* function) {
      return Text{std::string(function) + "(" + source(1).text + ", " + source(2).text + ")"};
    };
    if (op.mnemonic == ptx::Mnemonic::kMov) return source(1);
    switch (classify(op).op) {
      case IntOp::kConvert:
        return source(1);
      case IntOp::kAdd:
        if (source(2).is_number) return plus(source(1), source(2).number);
        return infix(" + ", kSum);
      case IntOp::kSub:
        return minus(source(1), source(2));
      case IntOp::kNeg:
        return {"-" + wrapped(source(1), kAtom), kSum};
      case IntOp::kMul:
      case IntOp::kMulWide:
        return infix(" * ", kProduct);
      case IntOp::kMad:
      case IntOp::kMadWide:
        return {infix(" * ", kProduct).text + " + " + wrapped(source(3), kSum), kSum};
      case IntOp::kDiv:
        return infix(" / ", kProduct);
      case IntOp::kRem:
        return infix(" % ", kProduct);
      case IntOp::kAnd:
        return bits(" & ");
      case IntOp::kOr:
        return bits(" | ");
      case IntOp::kShl:
        return bits(" << ");
      case IntOp::kShr:
        return bits(" >> ");
      case IntOp::kMin:
        return call("min");
      case IntOp::kMax:
        return call("max");
      default:
        return name;
    }
  }

 private:
  Text operand(uint32_t i, uint8_t k, unsigned depth) const {
    const auto operands = flow_.module->operands_of(flow_.instruction(i));
    if (k >= operands.size()) return {"?"};
    const ptx::Operand& o = operands[k];
    if (o.kind == OperandKind::kInteger) return number(o.value);
    if (o.kind == OperandKind::kRegister && o.selector == ptx::Selector::kNone)
      return value(flow_.read(i, k), depth);
    return {std::string(flow_.module->slice(o.range))};
  }

  const FlowFacts& flow_;
};

}  // namespace

std::string describe_trips(const FlowFacts& flow, const TripCount& trips) {
  const LoopCounter& c = trips.counter;
  if (c.test == kNone) return {};
  const Writer writer(flow);
  if (c.shift != 0) {
    const std::string bound = plus(writer.value(c.bound), c.bound_offset).text;
    const std::string start = plus(writer.value(c.start), c.start_offset).text;
    return (c.shift > 0 ? "right shifts of " : "left shifts of ") + start + " by " +
           std::to_string(c.shift > 0 ? c.shift : -c.shift) + " until " + bound;
  }
  const int64_t constant = signed_of(c.step, c.width);
  Text step = c.step_value == kNone ? number(constant) : plus(writer.value(c.step_value), constant);
  const bool down = c.order == Order::kGt || c.order == Order::kGe ||
                    (c.order == Order::kNe && step.is_number && step.number < 0);
  // The test at the bottom sees the counter after its step.
  int64_t offset = signed_of(c.start_offset, c.width);
  if (c.at_bottom && step.is_number) offset -= step.number;
  Text start = plus(writer.value(c.start), offset);
  if (c.at_bottom && !step.is_number && !c.stepped) start = minus(start, step);
  if (!c.at_bottom && c.stepped) start = {start.text + " + " + wrapped(step, kProduct), kSum};
  Text bound = plus(writer.value(c.bound), signed_of(c.bound_offset, c.width));
  if (c.order == Order::kLe) bound = plus(bound, 1);
  if (c.order == Order::kGe) bound = plus(bound, -1);
  const Text distance = down ? minus(start, bound) : minus(bound, start);
  if (down && step.is_number) step = number(-step.number);
  if (c.order == Order::kEq) return distance.text + " == 0";
  if (step.is_number && step.number == 1) return distance.text;
  const std::string quotient = wrapped(distance, kProduct) + " / " + wrapped(step, kAtom);
  return c.order == Order::kNe ? quotient : "ceil(" + quotient + ")";
}

}  // namespace pitot::analysis
