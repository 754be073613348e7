// Evaluates both spellings on telling inputs.
#include "gate/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ptx/types.h"

namespace pitot::gate {

namespace {

using ptx::Type;
using ptx::TypeKind;

struct Parsed {
  std::vector<std::string_view> parts;
  Type type = Type::kNone;
  bool has(std::string_view m) const {
    return std::find(parts.begin() + 1, parts.end(), m) != parts.end();
  }
};

Parsed parse(std::string_view text) {
  Parsed p;
  for (size_t at = 0; at <= text.size();) {
    size_t dot = std::min(text.find('.', at), text.size());
    p.parts.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  p.type = ptx::type_from_name(p.parts.back());
  return p;
}

std::optional<bool> compare_float(std::string_view op, double a, double b) {
  bool nan = std::isnan(a) || std::isnan(b);
  if (op == "num") return !nan;
  if (op == "nan") return nan;
  bool unordered = op.size() == 3 && op.back() == 'u';
  std::string_view base = unordered ? op.substr(0, 2) : op;
  if (nan) {
    for (std::string_view known : {"eq", "ne", "lt", "le", "gt", "ge"})
      if (base == known) return unordered;
    return std::nullopt;
  }
  if (base == "eq") return a == b;
  if (base == "ne") return a != b;
  if (base == "lt") return a < b;
  if (base == "le") return a <= b;
  if (base == "gt") return a > b;
  if (base == "ge") return a >= b;
  return std::nullopt;
}

template <class T>
std::optional<bool> compare_integer(std::string_view op, T a, T b) {
  if (op == "eq") return a == b;
  if (op == "ne") return a != b;
  if (op == "lt" || op == "lo") return a < b;
  if (op == "le" || op == "ls") return a <= b;
  if (op == "gt" || op == "hi") return a > b;
  if (op == "ge" || op == "hs") return a >= b;
  return std::nullopt;
}

uint64_t masked(uint64_t x, unsigned width) {
  return width >= 64 ? x : x & ((uint64_t{1} << width) - 1);
}

int64_t as_signed(uint64_t x, unsigned width) {
  if (width >= 64) return static_cast<int64_t>(x);
  uint64_t sign = uint64_t{1} << (width - 1);
  return static_cast<int64_t>((masked(x, width) ^ sign) - sign);
}

template <class T>
std::optional<uint64_t> binary(const Parsed& p, T a, T b, unsigned width) {
  std::string_view m = p.parts[0];
  if (m == "min") return static_cast<uint64_t>(std::min(a, b));
  if (m == "max") return static_cast<uint64_t>(std::max(a, b));
  if (m == "shr") {
    uint64_t amount = static_cast<uint64_t>(b);
    if (amount >= width) return a < 0 ? ~uint64_t{0} : 0;
    return static_cast<uint64_t>(a >> amount);
  }
  if (m == "div" || m == "rem") {
    if (b == 0 || (std::numeric_limits<T>::is_signed && a == std::numeric_limits<T>::min()))
      return std::nullopt;
    return static_cast<uint64_t>(m == "div" ? a / b : a % b);
  }
  if (m == "mul" && p.has("hi") && width <= 32) return static_cast<uint64_t>((a * b) >> width);
  return std::nullopt;
}

std::optional<uint64_t> evaluate(const Parsed& p, uint64_t a, uint64_t b) {
  unsigned width = ptx::bits_of(p.type);
  const bool comparison = p.parts[0] == "setp" || p.parts[0] == "set";
  TypeKind kind = ptx::kind_of(p.type);
  if (comparison) {
    // A combining operation reads a third value; such forms are left alone.
    if (p.has("and") || p.has("or") || p.has("xor") || p.parts.size() < 3) return std::nullopt;
    std::optional<bool> r;
    if (p.type == Type::kF32) {
      r = compare_float(p.parts[1], std::bit_cast<float>(static_cast<uint32_t>(a)),
                        std::bit_cast<float>(static_cast<uint32_t>(b)));
    } else if (p.type == Type::kF64) {
      r = compare_float(p.parts[1], std::bit_cast<double>(a), std::bit_cast<double>(b));
    } else if (kind == TypeKind::kSigned) {
      r = compare_integer(p.parts[1], as_signed(a, width), as_signed(b, width));
    } else if (kind == TypeKind::kUnsigned || kind == TypeKind::kBits) {
      r = compare_integer(p.parts[1], masked(a, width), masked(b, width));
    }
    if (!r) return std::nullopt;
    return *r ? 1 : 0;
  }
  std::optional<uint64_t> r;
  if (kind == TypeKind::kSigned) {
    r = binary(p, as_signed(a, width), as_signed(b, width), width);
  } else if (kind == TypeKind::kUnsigned || (kind == TypeKind::kBits && p.parts[0] == "shr")) {
    r = binary(p, masked(a, width), masked(b, width), width);
  }
  if (r) r = masked(*r, width);
  return r;
}

std::vector<uint64_t> values_for(Type t) {
  auto f = [](float x) { return uint64_t{std::bit_cast<uint32_t>(x)}; };
  auto d = [](double x) { return std::bit_cast<uint64_t>(x); };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (t == Type::kF32) return {f(1), f(2), f(-1), f(0), f(kNan)};
  if (t == Type::kF64) return {d(1), d(2), d(-1), d(0), d(static_cast<double>(kNan))};
  if (ptx::kind_of(t) == TypeKind::kFloat) return {};
  switch (ptx::bits_of(t)) {
    case 16:
      return {5, 7, 40000, 65535, 0, 1};
    case 32:
      return {5, 7, 3000000000u, 0xffffffffu, 0, 1};
    case 64:
      return {5, 7, uint64_t{10000000000000000000u}, ~uint64_t{0}, 0, 1};
    default:
      return {};
  }
}

std::string show(uint64_t bits, Type t) {
  if (t == Type::kF32) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return std::isnan(x) ? "NaN" : fmt::format("{}", x);
  }
  if (t == Type::kF64) {
    double x = std::bit_cast<double>(bits);
    return std::isnan(x) ? "NaN" : fmt::format("{}", x);
  }
  return fmt::format("{}", bits);
}

}  // namespace

std::string find_witness(std::string_view from, std::string_view to) {
  Parsed p = parse(from), q = parse(to);
  if (p.parts[0] != q.parts[0] || ptx::bits_of(p.type) != ptx::bits_of(q.type)) return {};
  if ((ptx::kind_of(p.type) == TypeKind::kFloat) != (ptx::kind_of(q.type) == TypeKind::kFloat))
    return {};
  // Unsigned spellings are shown where one side is unsigned: 40000, not −25536.
  std::vector<uint64_t> values = values_for(p.type);
  for (uint64_t b : values) {
    for (uint64_t a : values) {
      auto x = evaluate(p, a, b), y = evaluate(q, a, b);
      if (!x || !y || *x == *y) continue;
      return fmt::format("a = {}, b = {}: {} before, {} after", show(a, p.type), show(b, p.type),
                         *x, *y);
    }
  }
  return {};
}

}  // namespace pitot::gate
