// Classification and concrete evaluation of integer instructions.
#include "analysis/int_ops.h"

#include <algorithm>
#include <array>

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Opcode;
using ptx::Type;
using ptx::TypeKind;

unsigned int_width(Type type) {
  switch (type) {
    case Type::kPred:
      return 1;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 8;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
      return 16;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
      return 32;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
      return 64;
    default:
      return 0;
  }
}

unsigned value_width(Type type) { return std::clamp(ptx::bits_of(type), 1u, 64u); }

namespace {

bool is_signed(Type t) { return ptx::kind_of(t) == TypeKind::kSigned; }

IntInstruction simple(const Opcode& o, IntOp op) {
  IntInstruction i;
  unsigned width = int_width(o.type);
  if (width == 0 || o.has_mod(Mod::kSat)) return i;
  i.op = op;
  i.width = i.result_width = static_cast<uint8_t>(width);
  i.is_signed = i.result_signed = is_signed(o.type);
  return i;
}

IntInstruction by_half(const Opcode& o, IntOp low, IntOp high, IntOp wide) {
  bool is_wide = o.has_mod(Mod::kWide), is_high = o.has_mod(Mod::kHi);
  IntInstruction i = simple(o, is_wide ? wide : is_high ? high : low);
  if (i.op == IntOp::kOther) return {};
  if (is_wide) i.result_width = static_cast<uint8_t>(std::min(64, i.width * 2));
  return i;
}

// The two types of `cvt`: destination first.
std::array<Type, 2> conversion_types(const Opcode& o) {
  std::array<Type, 2> out{};
  size_t n = 0;
  for (ptx::ModId id : o.modifiers)
    if (Type t = ptx::mod_type(id); t != Type::kNone && n < 2) out[n++] = t;
  return out;
}

IntInstruction classify_cvt(const Opcode& o) {
  IntInstruction i;
  auto [to, from] = conversion_types(o);
  unsigned to_width = int_width(to), from_width = int_width(from);
  if (to_width < 8 || from_width < 8 || o.has_mod(Mod::kSat) || o.has_mod(Mod::kPack)) return i;
  i.op = IntOp::kConvert;
  i.width = static_cast<uint8_t>(from_width);
  i.result_width = static_cast<uint8_t>(to_width);
  i.is_signed = is_signed(from);
  i.result_signed = is_signed(to);
  return i;
}

IntInstruction classify_setp(const Opcode& o) {
  IntInstruction i = simple(o, IntOp::kCompare);
  if (i.op == IntOp::kOther || i.width < 16) return {};
  i.result_width = 1;
  i.result_signed = false;
  bool has_order = false;
  for (ptx::ModId id : o.modifiers) {
    has_order = true;
    switch (static_cast<Mod>(id)) {
      case Mod::kEq:
        i.order = Order::kEq;
        break;
      case Mod::kNe:
        i.order = Order::kNe;
        break;
      case Mod::kLt:
      case Mod::kLo:
        i.order = Order::kLt;
        break;
      case Mod::kLe:
      case Mod::kLs:
        i.order = Order::kLe;
        break;
      case Mod::kGt:
      case Mod::kHi:
        i.order = Order::kGt;
        break;
      case Mod::kGe:
      case Mod::kHs:
        i.order = Order::kGe;
        break;
      default:
        has_order = false;
        break;
    }
    if (has_order) break;
  }
  if (!has_order) return {};
  if (o.has_mod(Mod::kAnd)) i.combine = IntInstruction::Combine::kAnd;
  if (o.has_mod(Mod::kOr)) i.combine = IntInstruction::Combine::kOr;
  if (o.has_mod(Mod::kXor)) i.combine = IntInstruction::Combine::kXor;
  return i;
}

// Moves and selections copy bits whatever their type.
IntInstruction copying(const Opcode& o, IntOp op) {
  IntInstruction i;
  unsigned bits = ptx::bits_of(o.type);
  if (bits == 0 || bits > 64) return i;
  i.op = op;
  i.width = i.result_width = static_cast<uint8_t>(bits);
  return i;
}

}  // namespace

IntInstruction classify(const Opcode& o) {
  switch (o.mnemonic) {
    case Mnemonic::kMov:
      return copying(o, IntOp::kMov);
    case Mnemonic::kSelp:
      return copying(o, IntOp::kSelect);
    case Mnemonic::kAdd:
      return simple(o, IntOp::kAdd);
    case Mnemonic::kSub:
      return simple(o, IntOp::kSub);
    case Mnemonic::kMul:
      return by_half(o, IntOp::kMul, IntOp::kMulHi, IntOp::kMulWide);
    case Mnemonic::kMad:
      return by_half(o, IntOp::kMad, IntOp::kOther, IntOp::kMadWide);
    case Mnemonic::kAnd:
      return simple(o, IntOp::kAnd);
    case Mnemonic::kOr:
      return simple(o, IntOp::kOr);
    case Mnemonic::kXor:
      return simple(o, IntOp::kXor);
    case Mnemonic::kNot:
      return simple(o, IntOp::kNot);
    case Mnemonic::kCnot:
      return simple(o, IntOp::kCnot);
    case Mnemonic::kNeg:
      return simple(o, IntOp::kNeg);
    case Mnemonic::kAbs:
      return simple(o, IntOp::kAbs);
    case Mnemonic::kMin:
    case Mnemonic::kMax:
      if (o.has_mod(Mod::kRelu)) return {};
      return simple(o, o.mnemonic == Mnemonic::kMin ? IntOp::kMin : IntOp::kMax);
    case Mnemonic::kDiv:
      return simple(o, IntOp::kDiv);
    case Mnemonic::kRem:
      return simple(o, IntOp::kRem);
    case Mnemonic::kShl:
      return simple(o, IntOp::kShl);
    case Mnemonic::kShr:
      return simple(o, IntOp::kShr);
    case Mnemonic::kShf: {
      IntInstruction i = simple(o, o.has_mod(Mod::kL) ? IntOp::kFunnelLeft : IntOp::kFunnelRight);
      i.wrap = o.has_mod(Mod::kWrap);
      return i;
    }
    case Mnemonic::kBfe:
      return simple(o, IntOp::kBfe);
    case Mnemonic::kBfi:
      return simple(o, IntOp::kBfi);
    case Mnemonic::kPopc:
    case Mnemonic::kClz: {
      IntInstruction i = simple(o, o.mnemonic == Mnemonic::kPopc ? IntOp::kPopc : IntOp::kClz);
      if (i.op != IntOp::kOther) i.result_width = 32;
      return i;
    }
    case Mnemonic::kBrev:
      return simple(o, IntOp::kBrev);
    case Mnemonic::kLop3:
      if (o.has_mod(Mod::kAnd) || o.has_mod(Mod::kOr)) return {};
      return simple(o, IntOp::kLop3);
    case Mnemonic::kPrmt:
      if (o.modifiers.size() > 1) return {};  // the byte-order modes
      return simple(o, IntOp::kPrmt);
    case Mnemonic::kSetp:
      return classify_setp(o);
    case Mnemonic::kCvt:
      return classify_cvt(o);
    default:
      return {};
  }
}

namespace {

uint64_t high_product(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  if (width < 64) {
    if (is_signed)
      return static_cast<uint64_t>(sign_extended(a, width) * sign_extended(b, width)) >> width;
    return (a * b) >> width;
  }
  // Schoolbook on 32-bit halves; the signed result subtracts the other factor for each sign bit.
  uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  uint64_t low = al * bl, mid = ah * bl + (low >> 32);
  uint64_t mid2 = al * bh + (mid & 0xffffffff);
  uint64_t high = ah * bh + (mid >> 32) + (mid2 >> 32);
  if (is_signed) {
    if ((a >> 63) != 0) high -= b;
    if ((b >> 63) != 0) high -= a;
  }
  return high;
}

bool compare(uint64_t a, uint64_t b, Order order, unsigned width, bool is_signed) {
  bool less = is_signed ? sign_extended(a, width) < sign_extended(b, width) : a < b;
  switch (order) {
    case Order::kEq:
      return a == b;
    case Order::kNe:
      return a != b;
    case Order::kLt:
      return less;
    case Order::kLe:
      return less || a == b;
    case Order::kGt:
      return !less && a != b;
    case Order::kGe:
      return !less;
  }
  return false;
}

uint64_t extract(uint64_t a, uint64_t position, uint64_t length, unsigned width, bool is_signed) {
  position &= 0xff;
  length &= 0xff;
  unsigned msb = width - 1;
  uint64_t fill = 0;
  if (is_signed && length != 0) {
    uint64_t at = std::min<uint64_t>(position + length - 1, msb);
    fill = (a >> at) & 1;
  }
  uint64_t out = 0;
  for (uint64_t i = 0; i < width; ++i) {
    uint64_t bit = i < length && position + i <= msb ? (a >> (position + i)) & 1 : fill;
    out |= bit << i;
  }
  return out;
}

uint64_t insert(uint64_t a, uint64_t b, uint64_t position, uint64_t length, unsigned width) {
  position &= 0xff;
  length &= 0xff;
  uint64_t out = b;
  for (uint64_t i = 0; i < length && position + i < width; ++i) {
    uint64_t bit = uint64_t{1} << (position + i);
    out = (out & ~bit) | (((a >> i) & 1) != 0 ? bit : 0);
  }
  return out;
}

uint64_t permute(uint64_t a, uint64_t b, uint64_t selector) {
  uint64_t bytes = a | (b << 32), out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t s = selector >> (4 * i);
    uint64_t byte = (bytes >> (8 * (s & 7))) & 0xff;
    if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    out |= byte << (8 * i);
  }
  return out;
}

uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t out = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if (((table >> k) & 1) == 0) continue;
    out |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
  }
  return out;
}

bool divide(const IntInstruction& i, uint64_t a, uint64_t b, uint64_t& out) {
  if (b == 0) return false;
  bool quotient = i.op == IntOp::kDiv;
  if (!i.is_signed) {
    out = quotient ? a / b : a % b;
    return true;
  }
  int64_t x = sign_extended(a, i.width), y = sign_extended(b, i.width);
  if (y == -1) {  // the one quotient that overflows wraps
    out = quotient ? uint64_t{0} - static_cast<uint64_t>(x) : 0;
  } else {
    out = static_cast<uint64_t>(quotient ? x / y : x % y);
  }
  return true;
}

unsigned source_count(IntOp op) {
  switch (op) {
    case IntOp::kOther:
      return 0;
    case IntOp::kMov:
    case IntOp::kNot:
    case IntOp::kNeg:
    case IntOp::kAbs:
    case IntOp::kPopc:
    case IntOp::kClz:
    case IntOp::kBrev:
    case IntOp::kCnot:
    case IntOp::kConvert:
      return 1;
    case IntOp::kMad:
    case IntOp::kMadWide:
    case IntOp::kBfe:
    case IntOp::kPrmt:
    case IntOp::kSelect:
    case IntOp::kFunnelLeft:
    case IntOp::kFunnelRight:
      return 3;
    case IntOp::kBfi:
    case IntOp::kLop3:
      return 4;
    default:
      return 2;
  }
}

}  // namespace

bool evaluate(const IntInstruction& i, std::span<const uint64_t> s, uint64_t& out) {
  unsigned n = source_count(i.op);
  if (n == 0 || s.size() < n) return false;
  unsigned w = i.width;
  uint64_t m = Bits::mask(w);
  uint64_t a = s[0] & m, b = n > 1 ? s[1] : 0, c = n > 2 ? s[2] : 0;
  auto wide = [&](uint64_t v) {
    v &= m;
    return i.is_signed ? static_cast<uint64_t>(sign_extended(v, w)) : v;
  };
  switch (i.op) {
    case IntOp::kOther:
      return false;
    case IntOp::kMov:
      out = a;
      break;
    case IntOp::kAdd:
      out = a + b;
      break;
    case IntOp::kSub:
      out = a - b;
      break;
    case IntOp::kMul:
      out = a * b;
      break;
    case IntOp::kMulHi:
      out = high_product(a, b & m, w, i.is_signed);
      break;
    case IntOp::kMulWide:
      out = wide(a) * wide(b);
      break;
    case IntOp::kMad:
      out = a * b + c;
      break;
    case IntOp::kMadWide:
      out = wide(a) * wide(b) + c;
      break;
    case IntOp::kAnd:
      out = a & b;
      break;
    case IntOp::kOr:
      out = a | b;
      break;
    case IntOp::kXor:
      out = a ^ b;
      break;
    case IntOp::kNot:
      out = ~a;
      break;
    case IntOp::kNeg:
      out = 0 - a;
      break;
    case IntOp::kAbs:
      out = sign_extended(a, w) < 0 ? 0 - a : a;
      break;
    case IntOp::kMin:
    case IntOp::kMax: {
      bool first = compare(a, b & m, Order::kLt, w, i.is_signed) == (i.op == IntOp::kMin);
      out = first ? a : b;
      break;
    }
    case IntOp::kDiv:
    case IntOp::kRem:
      if (!divide(i, a, b & m, out)) return false;
      break;
    case IntOp::kShl:
      b &= 0xffffffff;
      out = b >= w ? 0 : a << b;
      break;
    case IntOp::kShr:
      b &= 0xffffffff;
      if (i.is_signed) {
        out = static_cast<uint64_t>(sign_extended(a, w) >> std::min<uint64_t>(b, w - 1));
      } else {
        out = b >= w ? 0 : a >> b;
      }
      break;
    case IntOp::kFunnelLeft:
    case IntOp::kFunnelRight: {
      c &= 0xffffffff;
      uint64_t amount = i.wrap ? c & 31 : std::min<uint64_t>(c, 32);
      uint64_t both = (b & 0xffffffff) << 32 | a;
      out = both >> (i.op == IntOp::kFunnelLeft ? 32 - amount : amount);
      break;
    }
    case IntOp::kBfe:
      out = extract(a, b, c, w, i.is_signed);
      break;
    case IntOp::kBfi:
      out = insert(a, b & m, c, s[3], w);
      break;
    case IntOp::kPopc:
      out = static_cast<uint64_t>(std::popcount(a));
      break;
    case IntOp::kClz:
      out = static_cast<uint64_t>(std::countl_zero(a)) - (64 - w);
      break;
    case IntOp::kBrev:
      out = 0;
      for (unsigned k = 0; k < w; ++k) out |= ((a >> k) & 1) << (w - 1 - k);
      break;
    case IntOp::kCnot:
      out = a == 0 ? 1 : 0;
      break;
    case IntOp::kLop3:
      out = lop3(a, b, c, s[3]);
      break;
    case IntOp::kPrmt:
      out = permute(a, b & m, c);
      break;
    case IntOp::kCompare: {
      bool v = compare(a, b & m, i.order, w, i.is_signed);
      bool p = s.size() > 2 && (s[2] & 1) != 0;
      switch (i.combine) {
        case IntInstruction::Combine::kNone:
          break;
        case IntInstruction::Combine::kAnd:
          v = v && p;
          break;
        case IntInstruction::Combine::kOr:
          v = v || p;
          break;
        case IntInstruction::Combine::kXor:
          v = v != p;
          break;
      }
      if (i.combine != IntInstruction::Combine::kNone && s.size() < 3) return false;
      out = v ? 1 : 0;
      break;
    }
    case IntOp::kSelect:
      out = (c & 1) != 0 ? a : b;
      break;
    case IntOp::kConvert:
      out = wide(a);
      break;
  }
  out &= Bits::mask(i.result_width);
  return true;
}

}  // namespace pitot::analysis
