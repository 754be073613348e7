// Values: registers, constants, special registers, names, vectors.
#include "ptx/verify_operands.h"

#include "ptx/special_register.h"
#include "ptx/verify_types.h"

namespace pitot::ptx {
namespace {

bool is_video(Selector s) { return s >= Selector::kB0; }

// A scalar video instruction takes one byte or half of a register. Of a SIMD one a source names two
// halves (of four) or four bytes (of eight) in any order; a destination's mask the elements to
// write, from the top.
bool elements_fit(const Operand& o, bool is_mask, unsigned elements) {
  const bool several = o.selector >= Selector::kHalves;
  if (elements == 1) return !several;
  const bool halves = several ? o.selector == Selector::kHalves
                              : o.selector == Selector::kH0 || o.selector == Selector::kH1;
  if (halves != (elements == 2)) return false;
  if (!several) return is_mask;
  const int64_t count = o.value >> 16;
  if (!is_mask) return count == (halves ? 2 : 4);
  int64_t previous = halves ? 2 : 4;
  for (int64_t k = count - 1; k >= 0; --k) {
    const int64_t digit = (o.value >> (4 * k)) & 15;
    if (digit >= previous) return false;
    previous = digit;
  }
  return true;
}

// Which kinds of values a vector holds so far; bits and predicates count as neither.
struct ElementKinds {
  bool integer = false, real = false;
  // False when the kinds no longer go together.
  bool add(Type t) {
    const TypeKind kind = kind_of(t);
    integer =
        integer || kind == TypeKind::kUnsigned || kind == TypeKind::kSigned || t == Type::kF16x2;
    real = real || (kind == TypeKind::kFloat && t != Type::kF16x2);
    return !(integer && real);
  }
};

}  // namespace

Type OperandMatcher::type_of(const Operand& o) const {
  return o.is_register() ? function_.registers[o.id].type : Type::kNone;
}

Misfit OperandMatcher::match(const ReadyOperand& wanted, const Operand& o,
                             const OpcodeTraits& traits) const {
  switch (wanted.spec->cls) {
    case OperandClass::kAddress:
      return match_address(wanted, o, traits);
    case OperandClass::kSpecial:
      return match_special(wanted, o, traits);
    case OperandClass::kLabel:
      if (o.kind == OperandKind::kLabel || o.kind == OperandKind::kUnresolved) return {};
      return {Fault::kNeedsLabel, &o};
    case OperandClass::kFunction:
    case OperandClass::kSymbol:
      if (o.kind == OperandKind::kSymbol || o.kind == OperandKind::kUnresolved) return {};
      return {Fault::kSymbol, &o};
    default:
      return match_value(wanted, o, traits);
  }
}

Misfit OperandMatcher::match_value(const ReadyOperand& wanted, const Operand& o,
                                   const OpcodeTraits& traits) const {
  const OperandSpec& spec = *wanted.spec;
  const bool written = spec.access != Access::kRead;
  switch (o.kind) {
    case OperandKind::kRegister:
      if (spec.cls == OperandClass::kConstant) return {Fault::kNeedsConstant, &o};
      return {match_register(wanted, o, traits), &o};
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      if (written) return {Fault::kResultRegister, &o};
      if (spec.cls == OperandClass::kRegister) return {Fault::kNeedsRegister, &o};
      if (wanted.vector) return {Fault::kVectorExpected, &o};
      if (!constant_fits(wanted.type, o.kind) ||
          (traits.no_constant_predicates && wanted.type == Type::kPred) || wanted.exact_bits)
        return {Fault::kConstantType, &o};
      if (!spec.values.empty() && !value_allowed(spec.values, o.value))
        return {Fault::kValueRange, &o};
      return {};
    case OperandKind::kVector:
      return match_vector(wanted, o, traits);
    case OperandKind::kSpecialRegister:
      return {match_special_register(wanted, o, traits), &o};
    case OperandKind::kSymbol:
      return {match_symbol(wanted, o, traits), &o};
    case OperandKind::kSink:
      // Of a load only elements of a vector may be discarded.
      return {spec.may_sink && !traits.takes_scalar_braces ? Fault::kNone : Fault::kSink, &o};
    case OperandKind::kPair: {
      if (!spec.second_pred) return {Fault::kPair, &o};
      auto parts = module_.children_of(o);
      if (parts.size() != 2) return {Fault::kPair, &o};
      const Operand& p = parts[1];
      bool fits = p.kind == OperandKind::kSink || p.kind == OperandKind::kUnresolved ||
                  type_of(p) == Type::kPred;
      if (Misfit first = match_value(wanted, parts[0], traits); first.fault != Fault::kNone)
        return first;
      return {fits ? Fault::kNone : Fault::kPairPredicate, &p};
    }
    case OperandKind::kAddress:
      return {Fault::kNotAddress, &o};
    case OperandKind::kLabel:
      return {Fault::kLabel, &o};
    case OperandKind::kUnresolved:
      return {Fault::kUnresolved, &o};
    default:
      return {Fault::kRegisterClass, &o};
  }
}

Fault OperandMatcher::match_register(const ReadyOperand& wanted, const Operand& o,
                                     const OpcodeTraits& traits) const {
  const OperandSpec& spec = *wanted.spec;
  const Register& reg = function_.registers[o.id];
  // ptxas lets `!` stand before every predicate source.
  if (o.negated && (reg.type != Type::kPred || spec.access != Access::kRead))
    return Fault::kNegation;
  if (o.minus && !spec.may_minus) return Fault::kMinus;
  uint8_t elements = reg.vector;
  if (o.selector != Selector::kNone) {
    if (is_video(o.selector) ? !spec.may_select : reg.vector == 1) return Fault::kSelector;
    if (is_video(o.selector) &&
        !elements_fit(o, spec.access != Access::kRead, traits.video_elements))
      return Fault::kSelector;
    elements = 1;
  }
  if (elements > 1 && spec.may_pack) {
    if (kind_of(wanted.type) != TypeKind::kBits) return Fault::kVectorUnexpected;
    return register_fits(wanted.type, bit_type(bits_of(reg.type) * elements), false, false)
               ? Fault::kNone
               : Fault::kVectorUnexpected;
  }
  if (wanted.vector) {
    if (elements == 1) return Fault::kVectorExpected;
    if (elements < wanted.count_min || elements > wanted.count_max) return Fault::kVectorSize;
  } else if (elements > 1) {
    return Fault::kVectorUnexpected;
  }
  if (wanted.exact_bits && kind_of(reg.type) != TypeKind::kBits) return Fault::kRegisterClass;
  return register_fits(wanted.type, reg.type, spec.may_be_wider, spec.variable < 0)
             ? Fault::kNone
             : Fault::kRegisterClass;
}

Fault OperandMatcher::match_special_register(const ReadyOperand& wanted, const Operand& o,
                                             const OpcodeTraits& traits) const {
  if (wanted.spec->access != Access::kRead)
    return traits.takes_special ? Fault::kReadOnly : Fault::kSpecialRegister;
  if (!traits.takes_special) return Fault::kSpecialRegister;
  const SpecialRegister& special = special_registers()[o.id];
  if (special.width > 1 && o.selector == Selector::kNone)
    return wanted.vector ? Fault::kNone : Fault::kVectorUnexpected;
  if (special.width == 1 && o.selector != Selector::kNone) return Fault::kSelector;
  if (wanted.spec->may_be_wider)  // cvt
    return register_fits(wanted.type, special.type, true, false) ? Fault::kNone
                                                                 : Fault::kRegisterClass;
  const TypeKind kind = kind_of(wanted.type);
  if (kind == TypeKind::kFloat) return Fault::kRegisterClass;
  if (register_fits(wanted.type, special.type, false, false)) return Fault::kNone;
  const bool narrow = special.has(kReadsNarrow) && kind != TypeKind::kPred &&
                      bits_of(wanted.type) < bits_of(special.type);
  return narrow ? Fault::kNone : Fault::kRegisterClass;
}

Fault OperandMatcher::match_symbol(const ReadyOperand& wanted, const Operand& o,
                                   const OpcodeTraits& traits) const {
  const OperandSpec& spec = *wanted.spec;
  if (spec.access != Access::kRead) return Fault::kResultRegister;
  if (spec.cls == OperandClass::kRegister) return Fault::kNeedsRegister;
  if (spec.cls == OperandClass::kConstant) return Fault::kNeedsConstant;
  if (wanted.vector) return Fault::kVectorExpected;
  const Symbol& symbol = module_.symbols[o.id];
  switch (symbol.kind) {
    case SymbolKind::kFunction:
      // ptxas lets a function's address pass for any source whose type the modifiers give.
      return spec.variable >= 0 && !traits.is_cvta && wanted.type != Type::kBf16 &&
                     wanted.type != Type::kBf16x2
                 ? Fault::kNone
                 : Fault::kSymbol;
    case SymbolKind::kVariable:
    case SymbolKind::kParameter:
    case SymbolKind::kReturn:
      break;
    default:
      return Fault::kSymbol;
  }
  const TypeKind kind = kind_of(wanted.type);
  const bool integer =
      kind == TypeKind::kBits || kind == TypeKind::kUnsigned || kind == TypeKind::kSigned;
  if (o.value != 0) {
    // `name+offset` counts as an integer constant, wherever one may stand.
    return constant_fits(wanted.type, OperandKind::kInteger) && wanted.type != Type::kPred
               ? Fault::kNone
               : Fault::kConstantType;
  }
  if (!spec.may_be_symbol || !integer) return Fault::kSymbol;
  // The arguments that a body builds for a call have no address.
  if (symbol.kind == SymbolKind::kVariable && symbol.space == Space::kParam) return Fault::kSymbol;
  if (traits.is_cvta)
    return traits.symbol_space != Space::kNone &&
                   base_space(symbol.space) == base_space(traits.symbol_space)
               ? Fault::kNone
               : Fault::kSymbolSpace;
  // An address takes as many bits as .address_size says, offsets within the other spaces fewer.
  if (symbol.space == Space::kGlobal && module_.address_size == 64 && bits_of(wanted.type) == 32)
    return Fault::kSymbolWidth;
  return Fault::kNone;
}

Misfit OperandMatcher::match_vector(const ReadyOperand& wanted, const Operand& o,
                                    const OpcodeTraits& traits) const {
  const OperandSpec& spec = *wanted.spec;
  auto elements = module_.children_of(o);
  if (spec.may_pack) return match_packed(wanted, o);
  if (!wanted.vector && !(elements.size() == 1 && traits.takes_scalar_braces))
    return {Fault::kVectorUnexpected, &o};
  if (elements.size() < wanted.count_min || elements.size() > wanted.count_max)
    return {Fault::kVectorSize, &o};
  // Elements have one size. Bit registers go with all others and make the vector count as plain
  // bits; integers and floating-point values do not go together.
  Type common = Type::kNone;
  const Operand* first = nullptr;
  ElementKinds kinds;
  for (const Operand& e : elements) {
    Type type = Type::kNone;
    switch (e.kind) {
      case OperandKind::kRegister: {
        const Register& reg = function_.registers[e.id];
        if (e.negated) return {Fault::kNegation, &e};
        if (e.minus) return {Fault::kMinus, &e};
        if (reg.vector > 1 && e.selector == Selector::kNone) return {Fault::kVectorUnexpected, &e};
        if (reg.vector == 1 && e.selector != Selector::kNone) return {Fault::kSelector, &e};
        if (spec.cls == OperandClass::kConstant) return {Fault::kNeedsConstant, &e};
        type = reg.type;
        if (!kinds.add(type)) return {Fault::kVectorElements, &e};
        break;
      }
      case OperandKind::kInteger:
      case OperandKind::kFloat32:
      case OperandKind::kFloat64:
        if (spec.access != Access::kRead) return {Fault::kResultRegister, &e};
        if (!kinds.add(e.kind == OperandKind::kInteger ? Type::kS32 : Type::kF32))
          return {Fault::kConstantType, &e};
        continue;
      case OperandKind::kSink:
        if (spec.access != Access::kWrite) return {Fault::kSink, &e};
        continue;
      case OperandKind::kUnresolved:
        return {Fault::kUnresolved, &e};
      case OperandKind::kSpecialRegister:
        if (spec.access != Access::kRead) return {Fault::kReadOnly, &e};
        continue;  // undocumented, but ptxas reads it
      case OperandKind::kLabel:
        return {Fault::kLabel, &e};
      case OperandKind::kSymbol:
        return {Fault::kSymbol, &e};
      default:
        return {Fault::kRegisterClass, &e};
    }
    if (first == nullptr) {
      first = &e;
      common = type;
      continue;
    }
    if ((type == Type::kPred) != (common == Type::kPred)) return {Fault::kVectorElements, &e};
    common = common_type(common, type);
    if (common == Type::kNone) return {Fault::kVectorElements, &e};
  }
  if (first == nullptr) {
    for (const Operand& e : elements)
      if (e.kind != OperandKind::kSpecialRegister &&
          (e.kind == OperandKind::kSink || !constant_fits(wanted.type, e.kind)))
        return {e.kind == OperandKind::kSink ? Fault::kSink : Fault::kConstantType, &e};
    return {};
  }
  if (!register_fits(wanted.type, common, spec.may_be_wider, spec.variable < 0))
    return {Fault::kRegisterClass, first};
  return {};
}

// mov.b64 d, {a, b}: two or four elements that together fill the bit type.
Misfit OperandMatcher::match_packed(const ReadyOperand& wanted, const Operand& o) const {
  const OperandSpec& spec = *wanted.spec;
  auto elements = module_.children_of(o);
  if (kind_of(wanted.type) != TypeKind::kBits || (elements.size() != 2 && elements.size() != 4))
    return {Fault::kVectorUnexpected, &o};
  const unsigned each = bits_of(wanted.type) / static_cast<unsigned>(elements.size());
  for (const Operand& e : elements) {
    switch (e.kind) {
      case OperandKind::kRegister: {
        Type type = function_.registers[e.id].type;
        if (e.negated) return {Fault::kNegation, &e};
        if (e.minus) return {Fault::kMinus, &e};
        if (type == Type::kPred || bits_of(type) != each) return {Fault::kVectorElements, &e};
        break;
      }
      case OperandKind::kInteger:
      case OperandKind::kFloat32:
      case OperandKind::kFloat64:
        if (spec.access != Access::kRead) return {Fault::kResultRegister, &e};
        break;
      case OperandKind::kSink:
        if (spec.access != Access::kWrite) return {Fault::kSink, &e};
        break;
      case OperandKind::kUnresolved:
        return {Fault::kUnresolved, &e};
      case OperandKind::kSpecialRegister:
        if (spec.access != Access::kRead) return {Fault::kReadOnly, &e};
        break;
      default:
        return {Fault::kRegisterClass, &e};
    }
  }
  return {};
}

}  // namespace pitot::ptx
