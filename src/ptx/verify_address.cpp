// Addresses and the special operands built around them: textures, surfaces, tensor maps, branch
// tables.
#include "ptx/special_register.h"
#include "ptx/verify_operands.h"
#include "ptx/verify_types.h"

namespace pitot::ptx {
namespace {

bool is_integer_like(Type t) {
  switch (kind_of(t)) {
    case TypeKind::kBits:
    case TypeKind::kUnsigned:
    case TypeKind::kSigned:
      return bits_of(t) >= 8 && bits_of(t) <= 64;
    default:
      return false;
  }
}

// Whether a variable in `have` may be accessed by an instruction that says `said`.
bool space_matches(Space said, Space have) {
  if (said == Space::kNone)
    return have == Space::kGlobal || have == Space::kShared || have == Space::kLocal;
  return base_space(said) == base_space(have);
}

bool is_opaque(Type t) { return kind_of(t) == TypeKind::kOpaque; }

}  // namespace

Fault OperandMatcher::match_address_base(const Operand& o, Space space,
                                         const OpcodeTraits& traits) const {
  // The grammar has [r+-4], not [r-4].
  if (o.value != 0 && o.base_kind != OperandKind::kInteger) {
    std::string_view text = module_.slice(o.range);
    size_t sign = text.find_first_of("+-");
    if (sign != std::string_view::npos && text[sign] == '-') return Fault::kAddressMinus;
  }
  switch (o.base_kind) {
    case OperandKind::kRegister: {
      const Register& reg = function_.registers[o.id];
      if (reg.vector > 1 && o.selector == Selector::kNone) return Fault::kAddressBase;
      if (!is_integer_like(reg.type)) return Fault::kAddressBase;
      // Windows of the block and the thread fit 32 bits; the generic and global spaces do not.
      const bool far = space == Space::kNone || space == Space::kGlobal;
      if (far && traits.wide_addresses && bits_of(reg.type) == 32 && module_.address_size == 64)
        return Fault::kAddressWidth;
      return Fault::kNone;
    }
    case OperandKind::kSymbol: {
      const Symbol& symbol = module_.symbols[o.id];
      if (symbol.kind != SymbolKind::kVariable && symbol.kind != SymbolKind::kParameter &&
          symbol.kind != SymbolKind::kReturn)
        return Fault::kAddressBase;
      if (is_opaque(symbol.type) && symbol.kind == SymbolKind::kVariable)
        return Fault::kAddressBase;
      if (!space_matches(space, symbol.space)) return Fault::kSymbolSpace;
      if (traits.is_store && symbol.kind == SymbolKind::kParameter)
        return Fault::kReadOnlyParameter;
      if (traits.is_load && symbol.kind == SymbolKind::kReturn) return Fault::kWriteOnly;
      return Fault::kNone;
    }
    case OperandKind::kSpecialRegister:  // [%clock64], which ptxas takes
      return o.selector == Selector::kNone && special_registers()[o.id].width == 1
                 ? Fault::kNone
                 : Fault::kAddressBase;
    case OperandKind::kInteger:
      return space == Space::kLocal ? Fault::kNone : Fault::kAddressImmediate;
    case OperandKind::kUnresolved:
      return Fault::kUnresolved;
    default:
      return Fault::kAddressBase;
  }
}

Misfit OperandMatcher::match_address(const ReadyOperand& wanted, const Operand& o,
                                     const OpcodeTraits& traits) const {
  if (o.kind == OperandKind::kUnresolved) return {Fault::kUnresolved, &o};
  if (o.kind != OperandKind::kAddress) return {Fault::kNeedsAddress, &o};
  if (o.child_count > 0) return {Fault::kAddressParts, &module_.children_of(o)[0]};
  return {match_address_base(o, wanted.space, traits), &o};
}

Misfit OperandMatcher::match_special(const ReadyOperand& wanted, const Operand& o,
                                     const OpcodeTraits&) const {
  const OperandSpec& spec = *wanted.spec;
  if (o.kind == OperandKind::kUnresolved) return {Fault::kUnresolved, &o};
  if (spec.special == "targets") {
    bool table =
        o.kind == OperandKind::kSymbol && module_.symbols[o.id].kind == SymbolKind::kBranchTargets;
    return {table ? Fault::kNone : Fault::kNeedsTable, &o};
  }
  if (spec.special == "sink")
    return {o.kind == OperandKind::kSink ? Fault::kNone : Fault::kNeedsSink, &o};
  if (spec.special == "call") return {};  // the whole statement is checked elsewhere
  if (o.kind != OperandKind::kAddress) return {Fault::kNeedsAddress, &o};

  // The base: a reference of the right kind, or a 64-bit register with its handle or address.
  Type reference = spec.special.starts_with("tex")    ? Type::kTexref
                   : spec.special.starts_with("surf") ? Type::kSurfref
                                                      : Type::kNone;
  switch (o.base_kind) {
    case OperandKind::kRegister: {
      const Register& reg = function_.registers[o.id];
      unsigned bits = bits_of(reg.type);
      bool fits = is_integer_like(reg.type) && (reg.vector == 1 || o.selector != Selector::kNone) &&
                  (spec.special == "tmem" ? bits == 32 : bits == 64);
      if (!fits) return {Fault::kAddressBase, &o};
      break;
    }
    case OperandKind::kSymbol: {
      const Symbol& symbol = module_.symbols[o.id];
      bool variable = symbol.kind == SymbolKind::kVariable || symbol.kind == SymbolKind::kParameter;
      if (!variable || spec.special == "tmem") return {Fault::kAddressBase, &o};
      if (reference != Type::kNone && symbol.type != reference) return {Fault::kOpaqueBase, &o};
      break;
    }
    case OperandKind::kUnresolved:
      return {Fault::kUnresolved, &o};
    default:
      return {Fault::kAddressBase, &o};
  }

  if (reference != Type::kNone && o.value != 0) return {Fault::kAddressBase, &o};

  // The coordinates: the last part, a vector or one register; before it a sampler may stand.
  auto parts = module_.children_of(o);
  if (spec.count_max == 0 ||
      (spec.special != "tex" && spec.special != "surf" && spec.special != "tensor"))
    return {};
  if (parts.empty()) return {Fault::kVectorExpected, &o};
  const Operand& coordinates = parts.back();
  auto elements = coordinates.kind == OperandKind::kVector ? module_.children_of(coordinates)
                                                           : std::span(&coordinates, 1);
  const bool odd = spec.special != "tensor" && elements.size() == 3;  // {x, y, z, z} is written
  if (elements.size() < spec.count_min || elements.size() > spec.count_max || odd)
    return {Fault::kVectorSize, &coordinates};
  for (const Operand& e : elements) {
    if (e.kind == OperandKind::kUnresolved) return {Fault::kUnresolved, &e};
    if (e.is_register()) {
      Type type = type_of(e);
      if (type == Type::kPred ||
          (wanted.type != Type::kNone && bits_of(type) != bits_of(wanted.type)))
        return {Fault::kRegisterClass, &e};
    } else if (!e.is_constant()) {
      return {Fault::kRegisterClass, &e};
    }
  }
  return {};
}

}  // namespace pitot::ptx
