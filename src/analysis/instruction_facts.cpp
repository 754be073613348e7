// Facts of instruction results.
#include "analysis/instruction_facts.h"

#include <algorithm>

#include "ptx/special_register.h"

namespace pitot::analysis {

using ptx::Group;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

ValueFacts InstructionResult::of(const RegAccess& write, unsigned register_width) const {
  if (write.role == Role::kCarry) {
    if (main.bits.is_bottom()) return main;
    return unknown_facts(1, main.level());
  }
  ValueFacts f = main;
  if (has_second && write.element == 1) f = second;
  if (f.bits.is_bottom()) return f;
  if (part_width != 0) f.bits = bits_shr(f.bits, unsigned{part_width} * write.element, 64, false);
  unsigned from = std::min<unsigned>(width, register_width);
  f.bits = truncate(f.bits, from);
  if (sign_extends) f.bits = sign_extend(f.bits, from, register_width);
  if (f.bits.is_constant()) f.scope = Scope::kGrid;
  return f;
}

namespace {

// An address that is shifted by the unknown base of a window keeps what follows from alignments up
// to the largest that any instruction may state (128 bytes).
constexpr unsigned kWindowAlignmentBits = 7;

class FactEvaluator {
 public:
  FactEvaluator(const FlowFacts& flow, const Uniformity& u, uint32_t i)
      : flow_(flow),
        u_(u),
        i_(i),
        ins_(flow.instruction(i)),
        op_(*ins_.opcode),
        operands_(flow.module->operands_of(ins_)) {}

  InstructionResult run() {
    IntInstruction integer = classify(op_);
    if (integer.op != IntOp::kOther && operands_.size() >= 2) {
      evaluate_integer(integer);
      return out_;
    }
    if (op_.has(ptx::kLoad) && op_.group == Group::kLoad && !op_.has(ptx::kMma)) {
      evaluate_load();
      return out_;
    }
    switch (op_.mnemonic) {
      case Mnemonic::kCvta:
        evaluate_cvta();
        return out_;
      case Mnemonic::kShfl:
        evaluate_shuffle();
        return out_;
      case Mnemonic::kVote:
      case Mnemonic::kRedux:
        evaluate_warp_wide(operands_.size() > 2 ? 2 : 0xff);
        return out_;
      case Mnemonic::kMatch:
        evaluate_warp_wide(2);
        if (op_.has_mod(Mod::kAny)) out_.main = unknown_facts(64, Scope::kVarying);
        return out_;
      case Mnemonic::kElect:
        evaluate_warp_wide(1);
        out_.has_second = true;
        out_.second = unknown_facts(1, Scope::kVarying);
        return out_;
      case Mnemonic::kActivemask:
        out_.main = unknown_facts(32, Scope::kWarp);
        return out_;
      case Mnemonic::kBar:
      case Mnemonic::kBarrier:
        // With a thread count only some warps of the block take part.
        out_.main = unknown_facts(64, operands_.size() > 3 ? Scope::kWarp : Scope::kCta);
        return out_;
      default:
        break;
    }
    evaluate_other();
    return out_;
  }

 private:
  void evaluate_integer(const IntInstruction& integer) {
    out_.width = integer.result_width;
    out_.sign_extends = integer.op == IntOp::kConvert && integer.result_signed;
    if (integer.op == IntOp::kMov) {
      if (operands_[1].kind == OperandKind::kVector) {
        pack(integer.width);
        return;
      }
      if (operands_[0].kind == OperandKind::kVector) {
        unpack(integer.width);
        return;
      }
    }
    std::array<ValueFacts, 4> sources;
    size_t n = std::min<size_t>(operands_.size() - 1, sources.size());
    for (size_t k = 0; k < n; ++k) {
      sources[k] = u_.operand(flow_, i_, static_cast<uint8_t>(k + 1));
      // Shift amounts and field positions keep their own 32 bits.
    }
    bool pair = integer.op == IntOp::kCompare && operands_[0].kind == OperandKind::kPair;
    out_.has_second = pair;
    out_.main = transfer(integer, std::span(sources).first(n), pair ? &out_.second : nullptr);
  }

  void pack(unsigned width) {
    auto children = flow_.module->children_of(operands_[1]);
    unsigned n = static_cast<unsigned>(children.size());
    if (n == 0 || width % n != 0) return unknown_from_reads();
    unsigned part = width / n;
    ValueFacts all = constant_facts(0);
    for (unsigned k = 0; k < n; ++k) {
      ValueFacts f = child(1, k, part);
      if (f.bits.is_bottom()) {
        out_.main = f;
        return;
      }
      all.bits = bits_or(all.bits, bits_shl(truncate(f.bits, part), k * part, width));
      if (!f.bits.is_constant()) all.scope = std::max(all.scope, f.scope);
    }
    out_.main = all;
  }

  void unpack(unsigned width) {
    unsigned n = operands_[0].child_count;
    ValueFacts whole = u_.operand(flow_, i_, 1);
    out_.main = whole;
    if (n == 0 || width % n != 0) return unknown_from_reads();
    if (whole.bits.is_bottom()) return;
    unsigned part = width / n;
    out_.width = out_.part_width = static_cast<uint8_t>(part);
  }

  ValueFacts child(uint8_t operand, unsigned element, unsigned width) {
    const Operand& c = flow_.module->children_of(operands_[operand])[element];
    if (c.kind == OperandKind::kInteger || c.is_constant())
      return {truncate(Bits::constant(static_cast<uint64_t>(c.value)), width), Scope::kGrid};
    ValueId v = c.kind == OperandKind::kRegister && c.selector == ptx::Selector::kNone
                    ? flow_.read(i_, operand, static_cast<uint16_t>(element))
                    : kNone;
    if (v == kNone) return unknown_facts(width, Scope::kVarying);
    return u_.at(flow_, v, flow_.cfg.block_of[i_]);
  }

  // The worst of everything read, guard apart.
  ValueFacts reads() const {
    ValueFacts out = unknown_facts(64, Scope::kGrid);
    BlockId b = flow_.cfg.block_of[i_];
    for (uint32_t k = flow_.accesses.first[i_]; k < flow_.accesses.first[i_ + 1]; ++k) {
      const RegAccess& a = flow_.accesses.items[k];
      ValueId v = flow_.values.value_of[k];
      if (a.write || a.role == Role::kGuard) continue;
      ValueFacts f = v == kNone ? unknown_facts(64, Scope::kVarying) : u_.at(flow_, v, b);
      if (f.bits.is_bottom()) {
        out.bits = Bits::bottom();
        return out;
      }
      if (f.bits.varies()) out.bits.vary = ~uint64_t{0};
      if (!f.bits.is_constant()) out.scope = std::max(out.scope, f.scope);
    }
    for (const Operand& o : operands_) {
      if (o.kind != OperandKind::kSpecialRegister) continue;
      SpecialFacts s = special_facts(ptx::special_register_name(o), 64, u_.shape);
      if (s.bits.varies()) out.bits.vary = ~uint64_t{0};
      out.scope = std::max(out.scope, s.scope);
    }
    return out;
  }

  void unknown_from_reads() {
    out_.width = 64;
    out_.part_width = 0;
    out_.main = reads();
  }

  void evaluate_other() {
    switch (op_.group) {
      case Group::kArith:
      case Group::kLogic:
      case Group::kShift:
      case Group::kCompare:
      case Group::kSelect:
      case Group::kMove:
      case Group::kConvert:
      case Group::kFma:
      case Group::kSpecialFunction:
      case Group::kVideo:
      case Group::kAddress:
      case Group::kPrefetch:
        if (op_.form != nullptr && !op_.has(ptx::kConvergent) && !op_.has(ptx::kAtomic)) {
          unknown_from_reads();
          return;
        }
        break;
      default:
        break;
    }
    out_.main = unknown_facts(64, Scope::kVarying);
  }

  void evaluate_load() {
    unsigned bits = std::max(8u, ptx::bits_of(op_.type));
    ValueFacts address;
    uint8_t where = 0;
    for (uint8_t k = 0; k < std::min<size_t>(operands_.size(), UINT8_MAX); ++k)
      if (operands_[k].kind == OperandKind::kAddress) where = k;
    address = where == 0 ? unknown_facts(64, Scope::kVarying) : u_.address(flow_, i_, where);
    out_.main = address;
    if (address.bits.is_bottom()) return;
    Scope level = address.level();
    switch (ptx::base_space(op_.space)) {
      case Space::kParam:
        if (!flow_.function->is_entry || is_call_buffer(where)) level = Scope::kVarying;
        break;
      case Space::kConst:
        break;
      case Space::kGlobal:
        if (op_.has(ptx::kVolatile)) level = Scope::kVarying;
        if (!op_.has_mod(Mod::kNc)) level = std::max(level, Scope::kWarp);
        break;
      case Space::kShared:
        if (op_.has(ptx::kVolatile)) level = Scope::kVarying;
        level = std::max(level, Scope::kWarp);
        break;
      default:
        level = Scope::kVarying;  // local memory is each thread's own, and generic may be local
        break;
    }
    out_.main = unknown_facts(std::min(bits, 64u), level);
    out_.width = static_cast<uint8_t>(std::min(bits, 64u));
    out_.sign_extends = ptx::kind_of(op_.type) == ptx::TypeKind::kSigned;
    pointer_parameter(where);
  }

  // Parameters of a call being made or received live in .param variables of the body.
  bool is_call_buffer(uint8_t where) const {
    const Operand& o = operands_[where];
    if (o.kind != OperandKind::kAddress || o.base_kind != OperandKind::kSymbol) return true;
    return flow_.module->symbols[o.id].kind != ptx::SymbolKind::kParameter;
  }

  // The value of an entry's parameter declared `.ptr .align N` is a multiple of N, as is one stated
  // to be.
  void pointer_parameter(uint8_t where) {
    const Operand& o = operands_[where];
    if (!flow_.function->is_entry || ptx::base_space(op_.space) != Space::kParam ||
        o.kind != OperandKind::kAddress || o.base_kind != OperandKind::kSymbol || o.value != 0)
      return;
    const ptx::Symbol& s = flow_.module->symbols[o.id];
    if (s.kind != ptx::SymbolKind::kParameter || op_.vector > 1) return;
    uint32_t alignment =
        s.is_pointer && std::has_single_bit(s.pointer_alignment) ? s.pointer_alignment : 1;
    for (const auto& [parameter, stated] : u_.stated_alignment)
      if (parameter == o.id && std::has_single_bit(stated)) alignment = std::max(alignment, stated);
    out_.main.bits.zero |= Bits::mask(static_cast<unsigned>(std::countr_zero(alignment)));
  }

  void evaluate_cvta() {
    ValueFacts a = u_.operand(flow_, i_, 1);
    unsigned width = int_width(op_.type) == 32 ? 32 : 64;
    out_.width = static_cast<uint8_t>(width);
    out_.main = a;
    if (a.bits.is_bottom() || ptx::base_space(op_.space) == Space::kGlobal) return;
    Bits window = Bits::uniform(width);
    window.zero |= Bits::mask(kWindowAlignmentBits);
    out_.main.bits = bits_add(truncate(a.bits, width), window, width);
  }

  void evaluate_shuffle() {
    ValueFacts a = u_.operand(flow_, i_, 1), lane = u_.operand(flow_, i_, 2),
               clamp = u_.operand(flow_, i_, 3);
    out_.has_second = true;
    out_.second = unknown_facts(1, Scope::kVarying);
    out_.width = 32;
    out_.main = a;
    if (a.bits.is_bottom()) return;
    out_.main.bits = truncate(a.bits, 32);
    if (!a.bits.varies()) return;
    out_.main.scope = std::max(a.scope, Scope::kWarp);
    out_.main.bits.vary = ~out_.main.bits.known();
    // One lane of the whole warp is read by all: the segment mask (bits 8–12) is 0.
    if (op_.has_mod(Mod::kIdx) && !lane.bits.is_bottom() && !lane.bits.varies() &&
        clamp.bits.is_constant() && (clamp.bits.one & 0x1f1f) == 0x1f)
      out_.main.bits.vary = 0;
  }

  // One result for all lanes that name the same member mask.
  void evaluate_warp_wide(unsigned mask_operand) {
    out_.main = unknown_facts(64, Scope::kWarp);
    if (mask_operand >= operands_.size()) return;
    ValueFacts mask = u_.operand(flow_, i_, static_cast<uint8_t>(mask_operand));
    if (mask.bits.is_bottom()) {
      out_.main.bits = Bits::bottom();
    } else if (mask.bits.varies()) {
      out_.main = unknown_facts(64, Scope::kVarying);
    }
  }

  const FlowFacts& flow_;
  const Uniformity& u_;
  uint32_t i_;
  const ptx::Instruction& ins_;
  const Opcode& op_;
  std::span<const Operand> operands_;
  InstructionResult out_;
};

}  // namespace

InstructionResult result_facts(const FlowFacts& flow, const Uniformity& u, uint32_t instruction) {
  return FactEvaluator(flow, u, instruction).run();
}

}  // namespace pitot::analysis
