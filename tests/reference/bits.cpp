// Logic, shifts and bit fields of the reference interpreter, bit by bit as the PTX ISA's pseudocode
// has them ("Logic and Shift Instructions", bfe, bfi, bfind, bmsk, szext, fns, prmt).
#include "reference/work.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

bool bit(Value v, unsigned i) { return (v >> i & 1) != 0; }

Value extract(Type t, Value a, unsigned position, unsigned length) {
  const unsigned last = ptx::bits_of(t) - 1;
  bool fill = false;
  if (is_signed(t) && length != 0)
    fill = bit(a, position + length - 1 < last ? position + length - 1 : last);
  Value d = 0;
  for (unsigned i = 0; i <= last; ++i) {
    const bool b = i < length && position + i <= last ? bit(a, position + i) : fill;
    if (b) d |= Value{1} << i;
  }
  return d;
}

Value insert(Type t, Value a, Value b, unsigned position, unsigned length) {
  const unsigned last = ptx::bits_of(t) - 1;
  for (unsigned i = 0; i < length && position + i <= last; ++i) {
    const Value at = Value{1} << (position + i);
    b = bit(a, i) ? b | at : b & ~at;
  }
  return b;
}

uint32_t find_leading(Type t, Value a, bool shift_amount) {
  const unsigned last = ptx::bits_of(t) - 1;
  a = low(a, last + 1);
  if (is_signed(t) && bit(a, last)) a = low(~a, last + 1);
  uint32_t d = UINT32_MAX;
  for (unsigned i = last + 1; i-- > 0;)
    if (bit(a, i)) {
      d = i;
      break;
    }
  return shift_amount && d != UINT32_MAX ? last - d : d;
}

uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) throw Problem("fns with a base above 31 is undefined");
  if (offset == 0) return bit(mask, base) ? base : UINT32_MAX;
  int64_t count = (offset < 0 ? -int64_t{offset} : int64_t{offset}) - 1;
  const int step = offset > 0 ? 1 : -1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if (!bit(mask, static_cast<unsigned>(at))) continue;
    if (count == 0) return static_cast<uint32_t>(at);
    --count;
  }
  return UINT32_MAX;
}

uint32_t bit_mask(bool clamped, uint32_t a, uint32_t b) {
  const uint32_t a1 = a & 31, b1 = b & 31, sum = a1 + b1;
  uint32_t mask0 = UINT32_MAX << a1;
  const bool position_overflow = clamped && a >= 32, width_overflow = clamped && b >= 32;
  if (position_overflow) mask0 = 0;
  uint32_t mask1;
  if (sum >= 32 || position_overflow || width_overflow)
    mask1 = 0;
  else if (b1 == 0)
    mask1 = UINT32_MAX;
  else
    mask1 = UINT32_MAX << sum;
  return mask0 & ~mask1;
}

uint32_t extend(bool clamped, bool with_sign, uint32_t a, uint32_t b) {
  const uint32_t n = b & 31;
  if (b >= 32 && clamped) return a;  // the mask of what is replaced is empty
  if (n == 0) return 0;
  const uint32_t replaced = UINT32_MAX << n;
  return with_sign && bit(a, n - 1) ? a | replaced : a & ~replaced;
}

// prmt: the byte of {b,a} that goes to place `to` (PTX ISA, prmt, table of modes).
unsigned selected_byte(const Work& w, unsigned to, Value c) {
  const unsigned n = static_cast<unsigned>(c & 3);
  if (w.has(Mod::kF4e)) return n + to;
  if (w.has(Mod::kB4e)) return (n + 8 - to) % 8;
  if (w.has(Mod::kRc8)) return n;
  if (w.has(Mod::kEcl)) return to > n ? to : n;
  if (w.has(Mod::kEcr)) return to < n ? to : n;
  if (w.has(Mod::kRc16)) return (n & 1) * 2 + (to & 1);
  return static_cast<unsigned>(c >> (4 * to) & 7);
}

Value permute(const Work& w) {
  const bool generic = w.op.modifiers.size() == 1;
  const Value source = low(w.in[1], 32) << 32 | low(w.in[0], 32);
  Value d = 0;
  for (unsigned to = 0; to < 4; ++to) {
    Value byte = source >> (8 * selected_byte(w, to, w.in[2])) & 0xff;
    if (generic && bit(w.in[2], 4 * to + 3)) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << (8 * to);
  }
  return d;
}

Value funnel(const Work& w) {
  const Value pair = low(w.in[1], 32) << 32 | low(w.in[0], 32);  // [b,a]
  const uint32_t c = static_cast<uint32_t>(w.in[2]);
  const uint32_t n = w.has(Mod::kClamp) ? (c < 32 ? c : 32) : c & 31;
  return w.has(Mod::kL) ? (pair << n) >> 32 : pair >> n;
}

Value logic3(Value a, Value b, Value c, unsigned table) {
  Value d = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned row = (bit(a, i) ? 4u : 0u) | (bit(b, i) ? 2u : 0u) | (bit(c, i) ? 1u : 0u);
    if (table >> row & 1) d |= Value{1} << i;
  }
  return d;
}

}  // namespace

bool bit_operation(Work& w) {
  if (w.types.empty()) return false;
  const Type t = w.type();
  const unsigned n = ptx::bits_of(t);
  const auto in = [&](size_t i) { return low(w.in.at(i), n); };
  const auto amount = [&](size_t i) { return static_cast<uint32_t>(w.in.at(i)); };
  w.result = t;
  switch (w.op.mnemonic) {
    case Mnemonic::kAnd:
      w.d = in(0) & in(1);
      return true;
    case Mnemonic::kOr:
      w.d = in(0) | in(1);
      return true;
    case Mnemonic::kXor:
      w.d = in(0) ^ in(1);
      return true;
    case Mnemonic::kNot:
      w.d = ~in(0);
      return true;
    case Mnemonic::kCnot:
      w.d = in(0) == 0 ? 1 : 0;
      return true;
    case Mnemonic::kLop3: {
      w.d = logic3(in(0), in(1), in(2), static_cast<unsigned>(w.in.at(3) & 0xff));
      if (w.in.size() > 4) {
        const bool q = (w.in[4] & 1) != 0;
        w.p = w.has(Mod::kAnd) ? low(w.d, 32) != 0 && q : low(w.d, 32) != 0 || q;
      }
      return true;
    }
    case Mnemonic::kShl:
      w.d = amount(1) >= n ? 0 : in(0) << amount(1);
      return true;
    case Mnemonic::kShr: {
      const unsigned by = amount(1) > n ? n : amount(1);
      w.d = is_signed(t) ? static_cast<Value>(number(t, in(0)) >> by) : in(0) >> by;
      return true;
    }
    case Mnemonic::kShf:
      w.d = funnel(w);
      return true;
    case Mnemonic::kBfe:
      w.d = extract(t, in(0), amount(1) & 0xff, amount(2) & 0xff);
      return true;
    case Mnemonic::kBfi:
      w.d = insert(t, in(0), in(1), amount(2) & 0xff, amount(3) & 0xff);
      return true;
    case Mnemonic::kBfind:
      w.d = find_leading(t, in(0), w.has(Mod::kShiftamt));
      w.result = Type::kU32;
      return true;
    case Mnemonic::kBrev:
      for (unsigned i = 0; i < n; ++i)
        if (bit(in(0), i)) w.d |= Value{1} << (n - 1 - i);
      return true;
    case Mnemonic::kPopc:
      for (unsigned i = 0; i < n; ++i) w.d += bit(in(0), i) ? 1 : 0;
      w.result = Type::kU32;
      return true;
    case Mnemonic::kClz:
      for (unsigned i = n; i-- > 0 && !bit(in(0), i);) ++w.d;
      w.result = Type::kU32;
      return true;
    case Mnemonic::kFns:
      w.d = find_nth_set(amount(0), amount(1), static_cast<int32_t>(amount(2)));
      return true;
    case Mnemonic::kBmsk:
      w.d = bit_mask(w.has(Mod::kClamp), amount(0), amount(1));
      return true;
    case Mnemonic::kSzext:
      w.d = extend(w.has(Mod::kClamp), is_signed(t), amount(0), amount(1));
      return true;
    case Mnemonic::kPrmt:
      w.d = permute(w);
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::reference
