// Forms of values: which ones are asked for, and how each instruction makes its form from its
// sources.
#include <algorithm>

#include "analysis/affine.h"
#include "analysis/transfer.h"
#include "ptx/special_register.h"

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

// How far a loop-carried value is followed back through additions to find its step.
constexpr int kMaxStepChain = 16;

bool wants_guard_or_sources(const ptx::Opcode& op) {
  return op.has(ptx::kConvergent) || op.has(ptx::kBarrier) || op.has(ptx::kBranch) ||
         op.has(ptx::kExit) || op.has(ptx::kRet);
}

bool touches_memory(const ptx::Opcode& op) {
  return (op.effects & (ptx::kLoad | ptx::kStore | ptx::kAtomic | ptx::kRed | ptx::kPrefetch |
                        ptx::kAsync | ptx::kMma)) != 0;
}

unsigned width_of(const FlowFacts& flow, RegId reg) {
  if (reg >= flow.function->registers.size()) return 1;
  const ptx::Register& r = flow.function->registers[reg];
  return r.vector > 1 ? 64 : value_width(r.type);
}

}  // namespace

class FormBuilder {
 public:
  FormBuilder(AffineForms& forms, const FlowFacts& flow, const Uniformity& u)
      : a_(forms), flow_(flow), u_(u) {}

  void run() {
    collect_wanted();
    std::sort(wanted_.begin(), wanted_.end());
    for (const Wanted& w : wanted_) {
      FormId f = value_form(w.value);
      a_.by_value_[w.value] = f == kNone ? opaque(w.value) : f;
    }
  }

  FormId opaque(ValueId v) {
    const Value& value = flow_.values.values[v];
    BlockId block = flow_.block_of_value(v);
    ValueFacts f = u_.at(flow_, v, block);
    unsigned width = width_of(flow_, value.reg);
    if (f.bits.is_bottom()) f = unknown_facts(width, Scope::kVarying);
    if (f.bits.is_constant()) return a_.constant(f.bits.one, width);
    Atom atom;
    atom.kind = AtomKind::kValue;
    atom.id = v;
    atom.width = static_cast<uint8_t>(width);
    atom.level = f.level();
    atom.bits = f.bits;
    atom.loop = flow_.loops.loop_of.empty() ? kNone : flow_.loops.loop_of[block];
    return a_.from_atom(a_.add_atom(atom));
  }

  FormId special(std::string_view name, unsigned width) {
    SpecialFacts f = special_facts(name, width, u_.shape);
    if (f.bits.is_constant()) return a_.constant(f.bits.one, width);
    Atom atom;
    atom.kind = AtomKind::kSpecial;
    auto& names = a_.special_names_;
    atom.id = static_cast<uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (atom.id == names.size()) names.emplace_back(name);
    atom.pure = name == "%tid.x" || name == "%tid.y" || name == "%tid.z" || name == "%laneid";
    atom.width = static_cast<uint8_t>(std::min(width, 64u));
    atom.bits = f.bits;
    atom.level = f.bits.varies() ? Scope::kVarying : f.scope;
    return a_.from_atom(a_.add_atom(atom));
  }

  FormId symbol(const Operand& o, unsigned width) {
    const ptx::Symbol& s = flow_.module->symbols[o.id];
    Atom atom;
    atom.kind = AtomKind::kSymbol;
    atom.id = o.id;
    atom.width = static_cast<uint8_t>(width);
    ValueFacts f = symbol_facts(s, 0, width, flow_.function->is_entry);
    atom.bits = f.bits;
    atom.level = f.scope;
    return a_.add(a_.from_atom(a_.add_atom(atom)),
                  a_.constant(static_cast<uint64_t>(o.value), width), width);
  }

 private:
  struct Wanted {
    uint32_t block_order;
    uint32_t place;  // 0: phi; instruction + 1
    ValueId value;
    bool operator<(const Wanted& o) const {
      return std::tie(block_order, place, value) < std::tie(o.block_order, o.place, o.value);
    }
  };

  // Backwards from addresses, guards and the operands of warp-wide instructions.
  void collect_wanted() {
    const Accesses& acc = flow_.accesses;
    asked_.assign(flow_.values.values.size(), 0);
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      bool memory = touches_memory(op), warp = wants_guard_or_sources(op);
      if (!memory && !warp) continue;
      for (uint32_t k = acc.first[i]; k < acc.first[i + 1]; ++k) {
        const RegAccess& r = acc.items[k];
        if (r.write) continue;
        // Operand 1 of a warp operation is its data, which says nothing of who takes part.
        bool control = warp && !op.has(ptx::kMma) && r.role == Role::kSource &&
                       (r.operand != 1 || op.group != ptx::Group::kWarp);
        if (r.role == Role::kGuard || r.role == Role::kAddress || control)
          want(flow_.values.value_of[k]);
      }
    }
    while (!stack_.empty()) {
      ValueId v = stack_.back();
      stack_.pop_back();
      follow(v);
    }
  }

  void want(ValueId v) {
    if (v == kNone || asked_[v] != 0) return;
    asked_[v] = 1;
    stack_.push_back(v);
    BlockId b = flow_.block_of_value(v);
    const Value& value = flow_.values.values[v];
    uint32_t place =
        value.kind == ValueKind::kWrite ? flow_.accesses.instruction_of[value.where] + 1 : 0;
    wanted_.push_back({flow_.cfg.order_of.empty() ? 0 : flow_.cfg.order_of[b], place, v});
  }

  void follow(ValueId v) {
    const Value& value = flow_.values.values[v];
    if (value.kind == ValueKind::kPhi) {
      for (ValueId o : flow_.values.operands_of_phi(flow_.cfg, v)) want(o);
      return;
    }
    if (value.kind != ValueKind::kWrite || u_.facts[v].bits.is_constant()) return;
    uint32_t i = flow_.accesses.instruction_of[value.where];
    if (value.from != kNone) {
      want(value.from);
      want(flow_.read(i, kImplicitOperand));
    }
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    if (classify(op).op == IntOp::kOther && op.mnemonic != Mnemonic::kCvta) return;
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
      const RegAccess& r = flow_.accesses.items[k];
      if (!r.write && r.role == Role::kSource) want(flow_.values.value_of[k]);
    }
  }

  FormId value_form(ValueId v) {
    const Value& value = flow_.values.values[v];
    unsigned width = width_of(flow_, value.reg);
    const ValueFacts& facts = u_.facts[v];
    if (facts.bits.is_constant()) return a_.constant(facts.bits.one, width);
    if (value.kind == ValueKind::kPhi) return phi_form(v);
    if (value.kind != ValueKind::kWrite) return kNone;
    const RegAccess& w = flow_.accesses.items[value.where];
    uint32_t i = flow_.accesses.instruction_of[value.where];
    if (w.partial) return kNone;
    FormId f = result_form(i, w, width);
    if (f == kNone || value.from == kNone) return f;
    return guarded(i, f, value.from, width);
  }

  // The new value under the guard, else the old one.
  FormId guarded(uint32_t i, FormId f, ValueId from, unsigned width) {
    if (flow_.values.values[from].kind == ValueKind::kUndefined) return kNone;
    FormId old = of(from);
    if (f == old) return f;
    FormId guard = a_.of_guard(i);
    if (guard == kNone || !a_.form(guard).pure || !a_.form(f).pure || !a_.form(old).pure)
      return kNone;
    IntInstruction select;
    select.op = IntOp::kSelect;
    select.width = select.result_width = static_cast<uint8_t>(width);
    FormId arguments[] = {f, old, guard};
    return a_.expression(select, arguments);
  }

  FormId of(ValueId v) {
    if (v == kNone) return kNone;
    if (a_.by_value_[v] == kNone) a_.by_value_[v] = opaque(v);  // reached against the order
    return a_.by_value_[v];
  }

  FormId phi_form(ValueId v) {
    BlockId block = flow_.values.values[v].where;
    auto operands = flow_.values.operands_of_phi(flow_.cfg, v);
    auto preds = flow_.cfg.predecessors(block);
    LoopId loop = flow_.loops.loop_of[block];
    bool header = loop != kNone && flow_.loops.loops[loop].header == block &&
                  !flow_.loops.loops[loop].irreducible;
    FormId entry = kNone, step = kNone;
    for (size_t k = 0; k < operands.size(); ++k) {
      ValueId o = operands[k];
      if (o == kNone || o == v) continue;
      if (header && flow_.dom.dominates(block, preds[k])) {
        FormId s = step_of(v, o, loop);
        if (s == kNone || (step != kNone && s != step)) return kNone;
        step = s;
        continue;
      }
      if (flow_.values.values[o].kind == ValueKind::kUndefined) return kNone;
      // A back edge that is not one of a reducible loop's: the operand has no form yet.
      if (a_.by_value_[o] == kNone) return kNone;
      if (entry != kNone && entry != a_.by_value_[o]) return kNone;
      entry = a_.by_value_[o];
    }
    if (step == kNone || entry == kNone) return entry;
    Atom counter;
    counter.kind = AtomKind::kLoopCounter;
    counter.id = loop;
    counter.loop = loop;
    counter.level = std::max(Scope::kWarp, u_.loop_step[loop]);
    counter.bits = Bits::uniform(64);
    unsigned width = width_of(flow_, flow_.values.values[v].reg);
    FormId turns = a_.multiply(a_.from_atom(a_.add_atom(counter)), step, width);
    return turns == kNone ? kNone : a_.add(entry, turns, width);
  }

  bool invariant(ValueId v, LoopId loop) const {
    return !flow_.loops.contains(loop, flow_.block_of_value(v)) ||
           (flow_.values.values[v].kind != ValueKind::kWrite &&
            flow_.values.values[v].kind != ValueKind::kPhi);
  }

  // What the loop adds to `phi` in one turn that ends with `latch`; kNone if it is not an addition
  // of something that the loop does not change.
  FormId step_of(ValueId phi, ValueId latch, LoopId loop) {
    unsigned width = width_of(flow_, flow_.values.values[phi].reg);
    FormId sum = a_.constant(0, width);
    ValueId at = latch;
    for (int n = 0; n < kMaxStepChain; ++n) {
      if (at == phi) return sum;
      const Value& value = flow_.values.values[at];
      if (value.kind != ValueKind::kWrite || value.from != kNone || invariant(at, loop))
        return kNone;
      uint32_t i = flow_.accesses.instruction_of[value.where];
      const ptx::Instruction& ins = flow_.instruction(i);
      if (ins.guard != kNoId) return kNone;
      IntInstruction op = classify(*ins.opcode);
      if (op.width != width) return kNone;
      if (op.op == IntOp::kMov) {
        at = flow_.read(i, 1);
        if (at == kNone) return kNone;
        continue;
      }
      if (op.op != IntOp::kAdd && op.op != IntOp::kSub) return kNone;
      ValueId x = flow_.read(i, 1), y = flow_.read(i, 2);
      bool x_moves = x != kNone && !invariant(x, loop) && !u_.facts[x].bits.is_constant();
      bool y_moves = y != kNone && !invariant(y, loop) && !u_.facts[y].bits.is_constant();
      if (x_moves == y_moves || (y_moves && op.op == IntOp::kSub)) return kNone;
      FormId other = step_operand(i, x_moves ? 2 : 1, x_moves ? y : x, width);
      if (other == kNone) return kNone;
      sum = a_.add(sum, other, width, op.op == IntOp::kSub ? -1 : 1);
      if (sum == kNone) return kNone;
      at = x_moves ? x : y;
    }
    return kNone;
  }

  FormId step_operand(uint32_t i, uint8_t operand, ValueId v, unsigned width) {
    if (v == kNone) return a_.of_operand(i, operand);
    if (u_.facts[v].bits.is_constant()) return a_.constant(u_.facts[v].bits.one, width);
    return a_.by_value_[v];
  }

  FormId result_form(uint32_t i, const RegAccess& w, unsigned width) {
    const ptx::Instruction& ins = flow_.instruction(i);
    const ptx::Opcode& op = *ins.opcode;
    auto operands = flow_.module->operands_of(ins);
    if (w.role == Role::kCarry) return kNone;
    if (op.mnemonic == Mnemonic::kCvta) return cvta(i, operands, width);
    if (op.mnemonic == Mnemonic::kLd) return parameter(i, operands, w, width);
    IntInstruction integer = classify(op);
    if (integer.op == IntOp::kOther || operands.size() < 2) return kNone;
    if (integer.op == IntOp::kMov && operands[1].kind == OperandKind::kVector)
      return pack(i, operands[1], integer.width);
    FormId f = integer_form(i, operands, integer, w);
    if (f == kNone || width <= integer.result_width) return f;
    return a_.extend(f, integer.result_width, width, integer.result_signed);
  }

  FormId cvta(uint32_t i, std::span<const Operand> operands, unsigned width) {
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    FormId from = operands.size() > 1 ? a_.of_operand(i, 1) : kNone;
    Space space = ptx::base_space(op.space);
    if (from == kNone || space == Space::kGlobal) return from;
    Atom window;
    window.kind = AtomKind::kWindow;
    window.id = static_cast<uint32_t>(space);
    window.width = static_cast<uint8_t>(width);
    window.level = Scope::kGrid;
    window.bits = Bits::uniform(width);
    window.bits.zero |= Bits::mask(7);  // see kWindowAlignmentBits
    return a_.add(from, a_.from_atom(a_.add_atom(window)), width, op.has_mod(Mod::kTo) ? -1 : 1);
  }

  // A kernel parameter's value, or part of it.
  FormId parameter(uint32_t i, std::span<const Operand> operands, const RegAccess& w,
                   unsigned width) {
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    unsigned bits = int_width(op.type);
    if (!flow_.function->is_entry || ptx::base_space(op.space) != Space::kParam || bits < 8 ||
        operands.size() < 2 || operands[1].kind != OperandKind::kAddress ||
        operands[1].base_kind != OperandKind::kSymbol)
      return kNone;
    const ptx::Symbol& s = flow_.module->symbols[operands[1].id];
    if (s.kind != ptx::SymbolKind::kParameter) return kNone;
    ValueFacts f = u_.at(flow_, flow_.values.value_of[&w - flow_.accesses.items.data()],
                         flow_.cfg.block_of[i]);
    Atom atom;
    atom.kind = AtomKind::kParameter;
    atom.id = operands[1].id;
    atom.offset = operands[1].value + int64_t{w.element} * (bits / 8);
    atom.width = static_cast<uint8_t>(bits);
    atom.level = Scope::kGrid;
    atom.bits = truncate(
        f.bits.is_bottom() || flow_.instruction(i).guard != kNoId ? Bits::uniform(bits) : f.bits,
        bits);
    FormId form = a_.from_atom(a_.add_atom(atom));
    if (width <= bits) return form;
    return a_.extend(form, bits, width, ptx::kind_of(op.type) == ptx::TypeKind::kSigned);
  }

  FormId pack(uint32_t i, const Operand& vector, unsigned width) {
    auto children = flow_.module->children_of(vector);
    if (children.size() != 2 || width != 64) return kNone;
    FormId sum = a_.constant(0, width);
    for (unsigned k = 0; k < 2; ++k) {
      const Operand& c = children[k];
      FormId part = kNone;
      if (c.kind == OperandKind::kInteger) {
        part = a_.constant(static_cast<uint64_t>(c.value) & 0xffffffff, width);
      } else if (c.kind == OperandKind::kRegister) {
        ValueId v = flow_.read(i, 1, static_cast<uint16_t>(k));
        if (v == kNone || of(v) == kNone) return kNone;
        // The high half needs no widening: what overflows it leaves the 64 bits.
        part = k == 0 ? a_.extend(of(v), 32, 64, false) : of(v);
      }
      if (part == kNone) return kNone;
      sum = a_.add(sum, part, width, k == 0 ? 1 : int64_t{1} << 32);
      if (sum == kNone) return kNone;
    }
    return sum;
  }

  FormId unpack(FormId whole, unsigned width, const RegAccess& w, unsigned parts) {
    if (parts == 0 || width % parts != 0) return kNone;
    unsigned part = width / parts;
    if (w.element == 0) return a_.truncate_form(whole, part);
    FormId shifted = a_.shift_right(whole, part * w.element, width, false);
    return shifted == kNone ? kNone : a_.truncate_form(shifted, part);
  }

  bool constant_of(FormId f, uint64_t& out) const {
    if (!a_.is_constant(f)) return false;
    out = static_cast<uint64_t>(a_.form(f).constant);
    return true;
  }

  FormId integer_form(uint32_t i, std::span<const Operand> operands, const IntInstruction& op,
                      const RegAccess& w) {
    std::array<FormId, 4> s{};
    size_t n = std::min<size_t>(operands.size() - 1, 4);
    for (size_t k = 0; k < n; ++k) {
      s[k] = a_.of_operand(i, static_cast<uint8_t>(k + 1));
      if (s[k] == kNone) return kNone;
    }
    if (operands[0].kind == OperandKind::kVector)
      return op.op == IntOp::kMov ? unpack(s[0], op.width, w, operands[0].child_count) : kNone;
    FormId f = linear_form(op, s, n);
    if (f != kNone) return f;
    for (size_t k = 0; k < n; ++k)
      if (!a_.form(s[k]).pure) return kNone;
    bool second = operands[0].kind == OperandKind::kPair && w.element == 1;
    if (op.op == IntOp::kMulWide || op.op == IntOp::kMadWide || op.op == IntOp::kMad) return kNone;
    return a_.expression(op, std::span<const FormId>(s.data(), n), second);
  }

  // Forms that do better than an opaque expression; kNone if there is none.
  FormId linear_form(const IntInstruction& op, std::array<FormId, 4>& s, size_t n) {
    const unsigned width = op.width;
    uint64_t c = 0, d = 0;
    switch (op.op) {
      case IntOp::kMov:
        return a_.truncate_form(s[0], width);
      case IntOp::kAdd:
        return n < 2 ? kNone : a_.add(s[0], s[1], width);
      case IntOp::kSub:
        return n < 2 ? kNone : a_.add(s[0], s[1], width, -1);
      case IntOp::kNeg:
        return a_.scale(s[0], -1, width);
      case IntOp::kNot:
        if (width == 1) return a_.add(a_.constant(1, 32), s[0], 32, -1);
        return a_.add(a_.constant(~uint64_t{0}, width), s[0], width, -1);
      case IntOp::kMul:
      case IntOp::kMad: {
        if (n < 2) return kNone;
        FormId p = a_.multiply(s[0], s[1], width);
        if (p == kNone || op.op == IntOp::kMul) return p;
        return n < 3 ? kNone : a_.add(p, s[2], width);
      }
      case IntOp::kMulWide:
      case IntOp::kMadWide: {
        if (n < 2) return kNone;
        unsigned to = op.result_width;
        FormId x = a_.extend(s[0], width, to, op.is_signed);
        FormId y = a_.extend(s[1], width, to, op.is_signed);
        FormId p = x == kNone || y == kNone ? kNone : a_.multiply(x, y, to);
        if (p == kNone || op.op == IntOp::kMulWide) return p;
        return n < 3 ? kNone : a_.add(p, s[2], to);
      }
      case IntOp::kAnd:
        if (n < 2 || width == 1) return kNone;
        if (constant_of(s[0], c)) return a_.and_mask(s[1], c, width);
        if (constant_of(s[1], c)) return a_.and_mask(s[0], c, width);
        return kNone;
      case IntOp::kOr:
      case IntOp::kXor:
        if (n < 2 || width == 1) return kNone;
        return a_.or_xor(s[0], s[1], op.op == IntOp::kXor, width);
      case IntOp::kShl:
        if (n < 2 || !constant_of(s[1], c)) return kNone;
        c &= 0xffffffff;
        if (c >= width) return a_.constant(0, width);
        return a_.scale(s[0], static_cast<int64_t>(uint64_t{1} << c), width);
      case IntOp::kShr:
        if (n < 2 || !constant_of(s[1], c)) return kNone;
        return a_.shift_right(s[0], static_cast<unsigned>(std::min<uint64_t>(c & 0xffffffff, 64)),
                              width, op.is_signed);
      case IntOp::kBfe: {
        if (n < 3 || op.is_signed || !constant_of(s[1], c) || !constant_of(s[2], d)) return kNone;
        c &= 0xff;
        d &= 0xff;
        if (c >= width || d == 0) return a_.constant(0, width);
        unsigned end = static_cast<unsigned>(std::min<uint64_t>(c + d, width));
        FormId low = a_.and_mask(s[0], Bits::mask(end), width);
        return low == kNone ? kNone : a_.shift_right(low, static_cast<unsigned>(c), width, false);
      }
      case IntOp::kBfi: {
        if (n < 4 || !constant_of(s[2], c) || !constant_of(s[3], d)) return kNone;
        c &= 0xff;
        d &= 0xff;
        if (c >= width || d == 0) return s[1];
        uint64_t field = Bits::mask(static_cast<unsigned>(std::min<uint64_t>(d, 64)));
        FormId in = a_.and_mask(s[0], field & Bits::mask(width - static_cast<unsigned>(c)), width);
        FormId out = a_.and_mask(s[1], ~(field << c), width);
        if (in == kNone || out == kNone) return kNone;
        return a_.add(out, in, width, static_cast<int64_t>(uint64_t{1} << c));
      }
      case IntOp::kDiv:
      case IntOp::kRem:
        if (n < 2 || op.is_signed || !constant_of(s[1], c)) return kNone;
        c &= Bits::mask(width);
        if (!std::has_single_bit(c)) return kNone;
        if (op.op == IntOp::kRem) return a_.and_mask(s[0], c - 1, width);
        return a_.shift_right(s[0], static_cast<unsigned>(std::countr_zero(c)), width, false);
      case IntOp::kSelect:
        if (n < 3) return kNone;
        if (s[0] == s[1]) return s[0];
        if (constant_of(s[2], c)) return (c & 1) != 0 ? s[0] : s[1];
        return kNone;
      case IntOp::kConvert: {
        FormId low = a_.truncate_form(s[0], width);
        if (op.result_width <= width) return a_.truncate_form(low, op.result_width);
        return a_.extend(low, width, op.result_width, op.is_signed);
      }
      default:
        return kNone;
    }
  }

  AffineForms& a_;
  const FlowFacts& flow_;
  const Uniformity& u_;
  std::vector<uint8_t> asked_;
  std::vector<ValueId> stack_;
  std::vector<Wanted> wanted_;
};

void AffineForms::build(const FlowFacts& flow, const Uniformity& uniformity) {
  reset(flow, uniformity);
  FormBuilder(*this, flow, uniformity).run();
}

FormId AffineForms::of_operand(uint32_t instruction, uint8_t index) {
  const ptx::Instruction& ins = flow_->instruction(instruction);
  if (index >= ins.operand_count) return kNone;
  const Operand& o = flow_->module->operands_of(ins)[index];
  FormBuilder builder(*this, *flow_, *uniformity_);
  const bool address = o.kind == OperandKind::kAddress;
  const unsigned address_width = flow_->module->address_size == 32 ? 32 : 64;
  IntInstruction op = classify(*ins.opcode);
  unsigned width = op.width == 0 || address ? address_width : op.width;
  switch (address ? o.base_kind : o.kind) {
    case OperandKind::kRegister: {
      if (!address && o.selector != ptx::Selector::kNone) return kNone;
      ValueId v = flow_->read(instruction, index);
      if (v == kNone) return kNone;
      FormId f = by_value_[v] == kNone ? builder.opaque(v) : by_value_[v];
      if (o.negated) return add(constant(1, 32), f, 32, -1);
      if (!address || o.value == 0) return f;
      unsigned w = width_of(*flow_, flow_->values.values[v].reg);
      return add(f, constant(static_cast<uint64_t>(o.value), w), w);
    }
    case OperandKind::kInteger:
      return constant(static_cast<uint64_t>(o.value), width);
    case OperandKind::kSpecialRegister:
      return builder.special(ptx::special_register_name(o), width);
    case OperandKind::kSymbol:
      return builder.symbol(o, width);
    default:
      return kNone;
  }
}

FormId AffineForms::of_guard(uint32_t instruction) {
  const ptx::Instruction& ins = flow_->instruction(instruction);
  if (ins.guard == kNoId) return constant(1, 32);
  ValueId v = flow_->read(instruction, kImplicitOperand);
  if (v == kNone) return kNone;
  FormId f = by_value_[v];
  if (f == kNone) f = FormBuilder(*this, *flow_, *uniformity_).opaque(v);
  return ins.guard_negated ? add(constant(1, 32), f, 32, -1) : f;
}

}  // namespace pitot::analysis
