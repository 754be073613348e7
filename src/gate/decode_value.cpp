// Decoding of immediates.
#include "gate/decode_value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "gate/operand_match.h"

namespace pitot::gate {

namespace {

using ptx::Type;
using ptx::TypeKind;

// IEEE 754 binary16.
double from_half(uint16_t h) {
  int exponent = h >> 10 & 31;
  double fraction = h & 1023;
  double sign = h >> 15 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

float from_bfloat(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }

std::string number(double x) {
  if (std::isnan(x)) return "nan";
  return fmt::format("{}", x);
}

// A float's shortest form is shorter than that of the same value as a double.
std::string number(float x) {
  if (std::isnan(x)) return "nan";
  return fmt::format("{}", x);
}

int64_t sign_extended(uint64_t bits, unsigned width) {
  if (width >= 64) return static_cast<int64_t>(bits);
  uint64_t sign = uint64_t{1} << (width - 1);
  bits &= (uint64_t{1} << width) - 1;
  return static_cast<int64_t>((bits ^ sign) - sign);
}

bool is_bits(Type t) { return ptx::kind_of(t) == TypeKind::kBits || t == Type::kNone; }

// Instructions that pass a value on unchanged.
bool passes_on(std::string_view text) {
  for (std::string_view m : {"mov.", "selp.", "shfl.", "slct."})
    if (text.starts_with(m)) return true;
  return false;
}

// Follows a register to arithmetic of a definite type of the same width, a few steps at most.
Type type_by_use(const Side& s, ptx::RegId reg, unsigned width, int depth) {
  if (reg >= s.f.registers.size() || depth == 0) return Type::kNone;
  Type integer = Type::kNone;
  for (uint32_t item : s.accesses.of_register(reg)) {
    const auto& access = s.accesses.items[item];
    if (access.write || access.role == analysis::Role::kAddress) continue;
    uint32_t user = s.accesses.instruction_of[item];
    const ptx::Opcode& op = *s.at(user).opcode;
    Type t = op.type;
    if (!is_bits(t) && ptx::bits_of(t) == width && !op.text.starts_with("st.") &&
        !(passes_on(op.text) && ptx::kind_of(t) != TypeKind::kFloat)) {
      if (ptx::kind_of(t) == TypeKind::kFloat) return t;
      if (integer == Type::kNone) integer = t;
      continue;
    }
    if (!passes_on(op.text)) continue;
    for (const auto& out : s.accesses.of(user)) {
      if (!out.write || out.reg == reg) continue;
      Type found = type_by_use(s, out.reg, width, depth - 1);
      if (found != Type::kNone && ptx::kind_of(found) == TypeKind::kFloat) return found;
      if (integer == Type::kNone) integer = found;
    }
  }
  return integer;
}

}  // namespace

std::string decode_bits(uint64_t bits, Type type) {
  auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits >> 16);
  switch (type) {
    case Type::kF64:
      return number(std::bit_cast<double>(bits));
    case Type::kF32:
    case Type::kTf32:
      return number(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case Type::kF16:
      return number(from_half(low));
    case Type::kBf16:
      return number(from_bfloat(low));
    case Type::kF16x2:
      return fmt::format("({}, {})", number(from_half(low)), number(from_half(high)));
    case Type::kBf16x2:
      return fmt::format("({}, {})", number(from_bfloat(low)), number(from_bfloat(high)));
    case Type::kF32x2:
      return fmt::format("({}, {})", number(std::bit_cast<float>(static_cast<uint32_t>(bits))),
                         number(std::bit_cast<float>(static_cast<uint32_t>(bits >> 32))));
    default:
      break;
  }
  unsigned width = ptx::bits_of(type);
  if (width == 0 || width > 64) width = 64;
  if (ptx::kind_of(type) == TypeKind::kUnsigned)
    return fmt::format("{}", width == 64 ? bits : bits & ((uint64_t{1} << width) - 1));
  return fmt::format("{}", sign_extended(bits, width));
}

Type type_of_constant(const Side& s, uint32_t instruction, const ptx::Operand& o) {
  const ptx::Opcode& op = *s.at(instruction).opcode;
  const bool float_literal = o.kind == ptx::OperandKind::kFloat32;
  const bool double_literal = o.kind == ptx::OperandKind::kFloat64;
  Type written = op.type;
  const bool moves = passes_on(op.text) || op.text.starts_with("ld.");
  if (!is_bits(written) && !(moves && ptx::kind_of(written) != TypeKind::kFloat)) {
    // A shift's amount is a plain number whatever is shifted; other operands have the type.
    return written;
  }
  unsigned width = ptx::bits_of(written);
  if (moves) {
    for (const auto& access : s.accesses.of(instruction)) {
      if (!access.write) continue;
      Type t = type_by_use(s, access.reg, width, 4);
      if (t != Type::kNone) return t;
    }
  }
  if (float_literal) return Type::kF32;
  if (double_literal && width != 32) return Type::kF64;
  if (width == 0) return Type::kS64;
  return written;
}

std::string decode_constant(const Side& s, uint32_t instruction, const ptx::Operand& o) {
  uint64_t bits = constant_value(s, instruction, o).bits;
  Type type = type_of_constant(s, instruction, o);
  // A double literal in a single-precision operation counts as the rounded float.
  if (o.kind == ptx::OperandKind::kFloat64 && ptx::bits_of(type) == 64)
    bits = static_cast<uint64_t>(o.value);
  return decode_bits(bits, type);
}

}  // namespace pitot::gate
