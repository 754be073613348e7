// The wording of operand diagnostics.
#include "ptx/verify_describe.h"

#include <fmt/format.h>

#include "ptx/verify_types.h"

namespace pitot::ptx {
namespace {

std::string space_of(Space s) {
  return s == Space::kNone ? "generic" : "." + std::string(name_of(s));
}

// Source text for a message: on one line and not too long.
std::string brief(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string out;
  for (char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (out.size() >= kMost) return out + "…";
    out += blank ? ' ' : c;
  }
  return out;
}

// How a value of `have` becomes one that `wanted` takes.
std::string conversion_hint(Type wanted, Type have) {
  if (wanted == Type::kNone || have == Type::kNone) return "";
  if (wanted == Type::kPred) return "compare with setp to get a predicate";
  if (have == Type::kPred) return "use selp to turn a predicate into a value";
  if (bits_of(wanted) != bits_of(have)) {
    Type to = kind_of(wanted) == TypeKind::kBits ? Type::kNone : wanted;
    if (to != Type::kNone && kind_of(have) != TypeKind::kBits)
      return fmt::format("convert with cvt.{}.{}", name_of(to), name_of(have));
    return "convert with cvt, or use a register of the right size";
  }
  return fmt::format("reinterpret the bits with mov.b{0}, or convert with cvt", bits_of(wanted));
}

}  // namespace

std::string describe(const Module& m, const Function& f, const Operand& o) {
  const std::string text = brief(m.slice(o.range));
  switch (o.kind) {
    case OperandKind::kRegister: {
      const Register& reg = f.registers[o.id];
      std::string vector =
          reg.vector > 1 && o.selector == Selector::kNone ? fmt::format(".v{} ", reg.vector) : "";
      return fmt::format("register '{}' ({}.{})", text, vector, name_of(reg.type));
    }
    case OperandKind::kSpecialRegister:
      return fmt::format("special register '{}'", text);
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return fmt::format("the constant {}", text);
    case OperandKind::kSymbol: {
      const Symbol& symbol = m.symbols[o.id];
      switch (symbol.kind) {
        case SymbolKind::kFunction:
          return fmt::format("function '{}'", symbol.name);
        case SymbolKind::kParameter:
          return fmt::format("parameter '{}'", symbol.name);
        case SymbolKind::kVariable:
          return fmt::format("variable '{}' ({})", symbol.name, space_of(symbol.space));
        default:
          return fmt::format("'{}'", symbol.name);
      }
    }
    case OperandKind::kLabel:
      return fmt::format("label '{}'", text);
    case OperandKind::kSink:
      return "the sink '_'";
    case OperandKind::kAddress:
      return fmt::format("the address {}", text);
    case OperandKind::kVector:
      return fmt::format("the vector {}", text);
    default:
      return fmt::format("'{}'", text);
  }
}

FaultText explain(const Module& m, const Function& f, const Opcode& opcode,
                  const ReadyOperand& wanted, const Misfit& misfit) {
  const Operand& o = *misfit.operand;
  const std::string what = describe(m, f, o);
  const std::string op(opcode.text);
  const std::string classes = register_classes(wanted.type, wanted.spec->may_be_wider);
  const Type have = o.is_register() ? f.registers[o.id].type : Type::kNone;
  switch (misfit.fault) {
    case Fault::kRegisterClass:
      if (o.kind == OperandKind::kRegister)
        return {"type-mismatch",
                fmt::format("{} does not fit '{}', which takes {} here", what, op, classes),
                conversion_hint(wanted.type, have)};
      return {"type-mismatch",
              fmt::format("{} cannot stand here: '{}' takes {}", what, op, classes), ""};
    case Fault::kConstantType: {
      const bool integer = o.kind == OperandKind::kInteger;
      std::string hint;
      if (kind_of(wanted.type) == TypeKind::kFloat && integer)
        hint = bits_of(wanted.type) >= 32 && constant_fits(wanted.type, OperandKind::kFloat64)
                   ? "write a floating-point literal such as 1.0 or 0f3F800000"
                   : fmt::format(".{} has no literals: move the bits into a register with mov.b{}",
                                 name_of(wanted.type), bits_of(wanted.type));
      else if (!integer)
        hint = "write an integer literal";
      return {
          "constant-type",
          fmt::format("{} is no .{} constant, as '{}' needs here", what, name_of(wanted.type), op),
          hint};
    }
    case Fault::kResultRegister:
      return {"result-not-register",
              fmt::format("'{}' cannot write to {}: a register is needed", op, what), ""};
    case Fault::kNeedsRegister:
      return {"register-required", fmt::format("'{}' takes a register here, not {}", op, what),
              "move the value into a register first"};
    case Fault::kNeedsConstant:
      return {"constant-required", fmt::format("'{}' takes a constant here, not {}", op, what), ""};
    case Fault::kValueRange:
      return {
          "value-out-of-range",
          fmt::format("{} is out of range for '{}': {} is allowed", what, op, wanted.spec->values),
          ""};
    case Fault::kSpecialRegister:
      return {"special-register", fmt::format("{} cannot be an operand of '{}'", what, op),
              "read it with mov into a register first"};
    case Fault::kReadOnly:
      return {"read-only", fmt::format("{} cannot be written", what), ""};
    case Fault::kSymbol:
      return {"symbol-operand", fmt::format("{} cannot be an operand of '{}'", what, op),
              "take its address with mov, or access it with ld or st"};
    case Fault::kSymbolSpace: {
      std::string name(m.symbols[o.id].name);
      return {"space-mismatch",
              fmt::format("'{}' is in {} space, but '{}' accesses {} memory", name,
                          space_of(m.symbols[o.id].space), op,
                          space_of(wanted.space != Space::kNone ? wanted.space : opcode.space)),
              wanted.space == Space::kNone && opcode.space == Space::kNone
                  ? fmt::format("add {} to the instruction", space_of(m.symbols[o.id].space))
                  : fmt::format("use {} in the instruction", space_of(m.symbols[o.id].space))};
    }
    case Fault::kSymbolWidth:
      return {"address-width", fmt::format("the address of {} takes 64 bits, not 32", what),
              "use mov.u64"};
    case Fault::kLabel:
      return {"label-operand", fmt::format("{} cannot be an operand of '{}'", what, op), ""};
    case Fault::kNeedsLabel:
      return {"label-required", fmt::format("'{}' takes a label, not {}", op, what), ""};
    case Fault::kNeedsTable:
      return {"label-required",
              fmt::format("'{}' takes the label of a .branchtargets list, not {}", op, what), ""};
    case Fault::kNeedsAddress:
      return {"address-required", fmt::format("'{}' takes an address here, not {}", op, what),
              fmt::format("write [{}]", brief(m.slice(o.range)))};
    case Fault::kNotAddress:
      return {"address-operand", fmt::format("'{}' takes a value here, not {}", op, what),
              "load it with ld first"};
    case Fault::kAddressBase:
      return {
          "address-base",
          fmt::format("{} is not based on an integer register or a variable that '{}' can access",
                      what, op),
          ""};
    case Fault::kAddressWidth:
      return {"address-width",
              fmt::format("{} uses a 32-bit register for a 64-bit {} address", what,
                          space_of(wanted.space)),
              "addresses are 64 bits wide under .address_size 64"};
    case Fault::kAddressImmediate:
      return {"address-immediate",
              fmt::format("{} is absolute, which only .local memory allows", what), ""};
    case Fault::kAddressParts:
      return {"address-base", fmt::format("'{}' takes a plain address, without {}", op, what), ""};
    case Fault::kVectorExpected:
      return {"vector-size",
              fmt::format("'{}' takes a vector of {} elements here, not {}", op, wanted.count_max,
                          what),
              ""};
    case Fault::kVectorUnexpected:
      return {"vector-operand", fmt::format("'{}' takes one value here, not {}", op, what), ""};
    case Fault::kVectorSize: {
      std::string counts = wanted.count_min == wanted.count_max
                               ? fmt::format("{}", wanted.count_max)
                               : fmt::format("{} to {}", wanted.count_min, wanted.count_max);
      size_t have_count = o.kind == OperandKind::kVector ? o.child_count
                          : o.is_register()              ? f.registers[o.id].vector
                                                         : 1;
      return {"vector-size",
              fmt::format("'{}' takes {} elements here, not {}", op, counts, have_count), ""};
    }
    case Fault::kVectorElements:
      return {"vector-elements",
              fmt::format("{} does not go with the other elements of the vector in '{}'", what, op),
              "all elements of a vector have one size"};
    case Fault::kNegation:
      return {"negation", fmt::format("'!' is not allowed on {} in '{}'", what, op),
              "only predicate sources can be negated"};
    case Fault::kMinus:
      return {"negation", fmt::format("'-' is not allowed on {} in '{}'", what, op),
              "negate with neg first"};
    case Fault::kSink:
      return {"sink-operand", fmt::format("'_' is not allowed here in '{}'", op),
              "name a register"};
    case Fault::kNeedsSink:
      return {"sink-operand",
              fmt::format("'{}' has no result here: '_' is needed, not {}", op, what), "write _"};
    case Fault::kSelector:
      return {"selector", fmt::format("{} has no such component in '{}'", what, op), ""};
    case Fault::kPair:
      return {"predicate-pair", fmt::format("'{}' has one destination, not {}", op, what), ""};
    case Fault::kPairPredicate:
      return {"type-mismatch",
              fmt::format("the second destination of '{}' must be a predicate, not {}", op, what),
              ""};
    case Fault::kReadOnlyParameter:
      return {"read-only",
              fmt::format("input parameter '{}' cannot be written", m.symbols[o.id].name), ""};
    case Fault::kAddressMinus:
      return {"syntax", fmt::format("{} subtracts: an address is a base plus a constant", what),
              "write + and a negative constant: [base+-4]"};
    case Fault::kWriteOnly:
      return {"write-only", fmt::format("return value '{}' cannot be read", m.symbols[o.id].name),
              "keep the value in a register"};
    case Fault::kOpaqueBase:
      return {"type-mismatch",
              fmt::format("'{}' takes a {} here, and {} is none", op,
                          wanted.spec->special.starts_with("surf") ? ".surfref" : ".texref", what),
              ""};
    default:
      return {"operand", fmt::format("{} does not fit '{}'", what, op), ""};
  }
}

std::string usage(const Opcode& opcode, const std::vector<ReadyOperand>& operands) {
  std::string text(opcode.text);
  const char* separator = " ";
  char source = 'a';
  for (const ReadyOperand& r : operands) {
    std::string one;
    switch (r.spec->cls) {
      case OperandClass::kAddress:
        one = "[addr]";
        break;
      case OperandClass::kLabel:
        one = "label";
        break;
      case OperandClass::kConstant:
        one = "imm";
        break;
      case OperandClass::kSpecial:
        one = std::string(r.spec->special);
        break;
      default:
        one = r.spec->access == Access::kWrite ? "d" : std::string(1, source++);
        if (r.vector) one = fmt::format("{{{} × {}}}", r.count_max, one);
    }
    text += separator + (r.spec->optional ? "{" + one + "}" : one);
    separator = ", ";
  }
  return text;
}

}  // namespace pitot::ptx
