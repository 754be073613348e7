// Operands of the reference interpreter: what an operand's bits are and how a result is put into a
// register (PTX ISA, "Instruction Operands", "Operand Size Exceeding Instruction-Type Size").
#include "ptx/special_register.h"
#include "reference/machine.h"

namespace pitot::reference {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

std::vector<Type> Machine::types_of(const ptx::Instruction& i) const {
  std::vector<Type> types;
  for (ptx::ModId m : i.opcode->modifiers)
    if (const Type t = ptx::mod_type(m); t != Type::kNone) types.push_back(t);
  return types;
}

std::string_view Machine::selector_text(const Operand& o) const {
  if (!o.is_register()) return {};
  const std::string_view text = module_.slice(o.range);
  const size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
}

Value Machine::special(const Thread& t, const Operand& o) const {
  const bool first = o.selector == ptx::Selector::kX || o.selector == ptx::Selector::kNone;
  switch (static_cast<ptx::SpecialId>(o.id)) {
    case ptx::SpecialId::kTid:
      return first ? t.id : 0;
    case ptx::SpecialId::kNtid:
      return first ? launch_.threads : o.selector == ptx::Selector::kW ? 0 : 1;
    case ptx::SpecialId::kCtaid:
      return 0;
    case ptx::SpecialId::kNctaid:
      return o.selector == ptx::Selector::kW ? 0 : 1;
    case ptx::SpecialId::kLaneid:
      return t.lane();
    case ptx::SpecialId::kLanemaskEq:
      return uint32_t{1} << t.lane();
    case ptx::SpecialId::kLanemaskLt:
      return (uint32_t{1} << t.lane()) - 1;
    case ptx::SpecialId::kLanemaskLe:
      return ones(t.lane() + 1);
    case ptx::SpecialId::kLanemaskGt:
      return low(~ones(t.lane() + 1), 32);
    case ptx::SpecialId::kLanemaskGe:
      return low(~ones(t.lane()), 32);
    default:
      throw Problem("special register " + std::string(module_.slice(o.range)));
  }
}

Value Machine::read(Thread& t, const Operand& o, Type type) {
  switch (o.kind) {
    case OperandKind::kRegister: {
      const Value v = t.frame().registers[o.id];
      return o.negated ? v ^ 1 : v;
    }
    case OperandKind::kInteger:
      return static_cast<Value>(static_cast<Signed>(o.value));
    case OperandKind::kFloat32:
    case OperandKind::kFloat64: {
      const Value v = static_cast<uint64_t>(o.value);
      const bool single = o.kind == OperandKind::kFloat32;
      if (single == (ptx::bits_of(type) == 64)) throw Problem("literal of another precision");
      return v;
    }
    case OperandKind::kSpecialRegister:
      return special(t, o);
    case OperandKind::kSymbol:
      return address_of_symbol(t, o.id) + static_cast<uint64_t>(o.value);
    default:
      throw Problem("operand " + std::string(module_.slice(o.range)));
  }
}

void Machine::write(Thread& t, const Operand& o, Type type, Value v) {
  if (o.kind == OperandKind::kSink) return;
  if (!o.is_register()) throw Problem("destination " + std::string(module_.slice(o.range)));
  const ptx::Register& r = t.frame().function->registers.at(o.id);
  if (r.vector != 1) throw Problem("vector register");
  const unsigned of_type = ptx::bits_of(type), of_register = ptx::bits_of(r.type);
  if (of_type < of_register) v = static_cast<Value>(number(type, v));
  t.frame().registers[o.id] = low(v, of_register);
}

}  // namespace pitot::reference
