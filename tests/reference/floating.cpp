// Floating-point arithmetic of the reference interpreter on exact numbers (PTX ISA, "Floating Point
// Instructions", "Half Precision …", "Mixed Precision …"). Approximations are not covered.
#include "reference/number.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

namespace {

// The result of the operation on operands of one type, whose bits are given.
class Scalar {
 public:
  Scalar(const Work& w, Type t) : w_(w), t_(t), f_(format_of(t)) {}

  Value apply(std::vector<Value> in) {
    for (Value& v : in) v = input(v);
    return output(compute(in));
  }

 private:
  Value input(Value v) const {
    v = low(v, f_.bits());
    return w_.has(Mod::kFtz) ? flushed(f_, v) : v;
  }
  Number n(Value v) const { return decode(f_, v); }
  Value rounded(const Number& x) const {
    return x.nan() ? canonical_nan(t_) : encode(f_, x, rounding_of(w_.op));
  }
  // A product is flushed when it would be too small were there no limit to exponents, also when it
  // rounds to the smallest normal number (seen on sm_90; the ISA leaves it open).
  Value rounded_product(const Number& x) const {
    const Value v = rounded(x);
    if (!w_.has(Mod::kFtz) || x.nan()) return v;
    const Format wide{11, f_.fraction_bits};
    const Number free = decode(wide, encode(wide, x, rounding_of(w_.op)));
    const Number least = decode(f_, Value{1} << f_.fraction_bits);
    return compare(magnitude(free), least) < 0 ? v & sign_bit() : v;
  }

  Value compute(const std::vector<Value>& in) const {
    const Rounding mode = rounding_of(w_.op);
    switch (w_.op.mnemonic) {
      case Mnemonic::kAdd:
        return rounded(sum(n(in[0]), n(in[1]), mode));
      case Mnemonic::kSub:
        return rounded(sum(n(in[0]), negated(n(in[1])), mode));
      case Mnemonic::kMul:
        return rounded_product(product(n(in[0]), n(in[1])));
      case Mnemonic::kMad:
      case Mnemonic::kFma:
        return rounded_product(sum(product(n(in[0]), n(in[1])), n(in[2]), mode));
      case Mnemonic::kDiv:
        return rounded(quotient(n(in[0]), n(in[1])));
      case Mnemonic::kRcp:
        return rounded(quotient(from_integer(1), n(in[0])));
      case Mnemonic::kSqrt:
        return rounded(square_root(n(in[0])));
      case Mnemonic::kAbs:
        return low(in[0], f_.bits() - 1);
      case Mnemonic::kNeg:
        return in[0] ^ sign_bit();
      case Mnemonic::kMin:
      case Mnemonic::kMax:
        return extreme(in);
      default:
        throw Problem("the reference has no " + std::string(w_.op.text));
    }
  }

  Value sign_bit() const { return Value{1} << (f_.bits() - 1); }

  // min, max: a NaN loses unless .NaN; −0 is less than +0; .xorsign takes the product of the signs.
  Value extreme(std::vector<Value> in) const {
    Value sign = 0;
    if (w_.has(Mod::kXorsign)) sign = (in[0] ^ in[1]) & sign_bit();
    if (w_.has(Mod::kAbs))
      for (Value& v : in) v = low(v, f_.bits() - 1);
    Value best = in[0];
    for (size_t k = 1; k < in.size(); ++k) best = extreme2(best, in[k]);
    if (n(best).nan()) return canonical_nan(t_);
    return best | sign;
  }
  Value extreme2(Value a, Value b) const {
    const Number x = n(a), y = n(b);
    if (x.nan() || y.nan()) {
      if (w_.has(Mod::kNaN) || (x.nan() && y.nan())) return canonical_nan(t_);
      return x.nan() ? b : a;
    }
    const bool less = w_.op.mnemonic == Mnemonic::kMin;
    const int order = compare(x, y);
    if (order == 0) return x.negative == less ? a : b;
    return (order < 0) == less ? a : b;
  }

  Value output(Value v) const {
    if (w_.has(Mod::kFtz)) v = flushed(f_, v);
    const Number x = n(v);
    if (w_.has(Mod::kSat)) {
      const Number one = from_integer(1);
      if (x.nan() || x.zero() || x.negative) return 0;
      if (compare(x, one) > 0) return encode(f_, one, Rounding::kNearestEven);
    }
    if (w_.has(Mod::kRelu)) {
      if (x.nan()) return canonical_nan(t_);
      if (x.negative) return 0;
    }
    return v;
  }

  const Work& w_;
  Type t_;
  Format f_;
};

struct Shape {
  Type element;
  unsigned count;
};
Shape shape_of(Type t) {
  switch (t) {
    case Type::kF16x2:
      return {Type::kF16, 2};
    case Type::kBf16x2:
      return {Type::kBf16, 2};
    case Type::kF32x2:
      return {Type::kF32, 2};
    default:
      return {t, 1};
  }
}

// add, sub, fma with sources in half precision and a result in single precision.
Value mixed(const Work& w) {
  const Type half = w.type(1);
  const auto widened = [&](Value v) { return decode(format_of(half), low(v, 16)); };
  const Rounding mode = rounding_of(w.op);
  Number x;
  if (w.op.mnemonic == Mnemonic::kFma)
    x = sum(product(widened(w.in[0]), widened(w.in[1])), decode(kSingle, w.in[2]), mode);
  else if (w.op.mnemonic == Mnemonic::kAdd)
    x = sum(widened(w.in[0]), decode(kSingle, w.in[1]), mode);
  else
    x = sum(widened(w.in[0]), negated(decode(kSingle, w.in[1])), mode);
  Value d = x.nan() ? canonical_nan(Type::kF32) : encode(kSingle, x, mode);
  if (w.has(Mod::kSat)) {
    const Number r = decode(kSingle, d);
    if (r.nan() || r.zero() || r.negative)
      d = 0;
    else if (compare(r, from_integer(1)) > 0)
      d = 0x3f800000;
  }
  return d;
}

bool test_property(const Work& w) {
  const Format f = format_of(w.type());
  const Value bits = low(w.in[0], f.bits());
  const Number x = decode(f, bits);
  const bool field = low(bits >> f.fraction_bits, f.exponent_bits) != 0;
  const bool finite = !x.nan() && !x.infinite();
  if (w.has(Mod::kFinite)) return finite;
  if (w.has(Mod::kInfinite)) return x.infinite();
  if (w.has(Mod::kNumber)) return !x.nan();
  if (w.has(Mod::kNotanumber)) return x.nan();
  // "As a special case, positive and negative zero are considered normal numbers."
  if (w.has(Mod::kNormal)) return finite && (field || x.zero());
  if (w.has(Mod::kSubnormal)) return finite && !field && !x.zero();
  throw Problem(std::string(w.op.text));
}

}  // namespace

bool floating_point(Work& w) {
  if (w.types.empty()) return false;
  const Type t = w.type();
  const Shape s = shape_of(t);
  if (!is_float(s.element)) return false;
  if (w.has(Mod::kApprox) || w.has(Mod::kFull) || w.has(Mod::kOob)) return false;
  w.result = t;
  switch (w.op.mnemonic) {
    case Mnemonic::kTestp:
      w.d = test_property(w);
      w.result = Type::kPred;
      return true;
    case Mnemonic::kCopysign: {
      // copysign d, a, b: the sign of a and the magnitude of b
      const Value sign = Value{1} << (ptx::bits_of(t) - 1);
      w.d = (w.in[0] & sign) | low(w.in[1], ptx::bits_of(t) - 1);
      return true;
    }
    case Mnemonic::kAdd:
    case Mnemonic::kSub:
    case Mnemonic::kMul:
    case Mnemonic::kMad:
    case Mnemonic::kFma:
    case Mnemonic::kDiv:
    case Mnemonic::kRcp:
    case Mnemonic::kSqrt:
    case Mnemonic::kAbs:
    case Mnemonic::kNeg:
    case Mnemonic::kMin:
    case Mnemonic::kMax:
      break;
    default:
      return false;
  }
  if (w.types.size() > 1) {
    w.d = mixed(w);
    return true;
  }
  const unsigned n = ptx::bits_of(s.element);
  for (unsigned k = 0; k < s.count; ++k) {
    std::vector<Value> in;
    for (Value v : w.in) in.push_back(low(v >> (n * k), n));
    w.d |= low(Scalar(w, s.element).apply(in), n) << (n * k);
  }
  return true;
}

}  // namespace pitot::reference
