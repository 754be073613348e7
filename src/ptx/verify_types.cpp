// Register classes, constants and argument types.
#include "ptx/verify_types.h"

#include <fmt/format.h>

namespace pitot::ptx {
namespace {

// Types without a register class of their own live in bit registers: bf16 in .b16, tf32 in .b32, …
bool has_class(Type t) {
  switch (t) {
    case Type::kF16:
    case Type::kF32:
    case Type::kF64:
    case Type::kF16x2:
      return true;
    default:
      return kind_of(t) != TypeKind::kFloat && t != Type::kU16x2 && t != Type::kS16x2 &&
             t != Type::kU8x4 && t != Type::kS8x4;
  }
}

}  // namespace

bool register_fits(Type wanted, Type reg, bool wider, bool fixed) {
  if (wanted == Type::kNone) return true;
  if (wanted == Type::kPred || reg == Type::kPred) return wanted == reg;
  if (wanted == reg) return true;
  const unsigned want = bits_of(wanted), have = bits_of(reg);
  if (have != want && !(wider && have > want)) return false;
  const TypeKind kind = kind_of(reg);
  if (kind == TypeKind::kBits) return true;
  if (!has_class(wanted))
    return reg == Type::kF16x2 && (wanted == Type::kU16x2 || wanted == Type::kS16x2);
  switch (kind_of(wanted)) {
    case TypeKind::kBits:
      return kind != TypeKind::kOpaque && !(fixed && reg == Type::kF16x2);
    case TypeKind::kUnsigned:
    case TypeKind::kSigned:
      // ptxas counts .f16x2 registers as integer ones, except where the instruction fixes the type.
      return kind == TypeKind::kUnsigned || kind == TypeKind::kSigned ||
             (reg == Type::kF16x2 && !fixed);
    default:
      return false;  // a floating-point operand takes its own class and the bit class
  }
}

bool constant_fits(Type wanted, OperandKind literal) {
  if (wanted == Type::kNone) return true;
  const TypeKind kind = kind_of(wanted);
  switch (literal) {
    case OperandKind::kInteger:
      return kind == TypeKind::kBits || kind == TypeKind::kPred ||
             ((kind == TypeKind::kUnsigned || kind == TypeKind::kSigned) && has_class(wanted));
    case OperandKind::kFloat32:
      return wanted == Type::kF32 || wanted == Type::kF64 || wanted == Type::kB32;
    case OperandKind::kFloat64:
      return wanted == Type::kF32 || wanted == Type::kF64 || wanted == Type::kB64;
    default:
      return false;
  }
}

bool argument_fits(Type formal, Type actual) {
  if (formal == Type::kNone || actual == Type::kNone) return true;
  return register_fits(formal, actual, false, false) || register_fits(actual, formal, false, false);
}

Type common_type(Type a, Type b) {
  if (a == b || b == Type::kNone) return a;
  if (a == Type::kNone) return b;
  if (bits_of(a) != bits_of(b)) return Type::kNone;
  return bit_type(bits_of(a));
}

Type doubled(Type t) {
  switch (t) {
    case Type::kU8:
      return Type::kU16;
    case Type::kS8:
      return Type::kS16;
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    case Type::kF32:
      return Type::kF64;
    default:
      return bit_type(bits_of(t) * 2);
  }
}

Type bit_type(unsigned bits) {
  switch (bits) {
    case 8:
      return Type::kB8;
    case 16:
      return Type::kB16;
    case 32:
      return Type::kB32;
    case 64:
      return Type::kB64;
    case 128:
      return Type::kB128;
    default:
      return Type::kNone;
  }
}

std::string register_classes(Type wanted, bool wider) {
  const unsigned bits = bits_of(wanted);
  const char* larger = wider ? " or wider" : "";
  switch (kind_of(wanted)) {
    case TypeKind::kNone:
      return "a register";
    case TypeKind::kPred:
      return "a predicate";
    case TypeKind::kOpaque:
      return fmt::format("a .{}", name_of(wanted));
    case TypeKind::kBits:
      return fmt::format("a {}-bit register{}", bits, larger);
    case TypeKind::kUnsigned:
    case TypeKind::kSigned:
      if (has_class(wanted)) return fmt::format("a {}-bit integer{}", bits, larger);
      break;
    default:
      break;
  }
  if (wanted == Type::kF16x2) return fmt::format("a .b32 or .f16x2 register{}", larger);
  if (has_class(wanted))
    return fmt::format("a .{} or .b{} register{}", name_of(wanted), bits, larger);
  return fmt::format("a .b{} register{}", bits, larger);
}

}  // namespace pitot::ptx
