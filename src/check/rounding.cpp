#include "check/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/values.h"

namespace pitot::check {

using ptx::Type;

namespace {

double narrowest_of(const Side& s) {
  double out = 0;
  for (const ptx::Instruction& i : s.module->body(s.function())) {
    if (i.opcode->mnemonic != ptx::Mnemonic::kCvt) continue;
    for (ptx::ModId m : i.opcode->modifiers) {
      const Type t = ptx::mod_type(m);
      if (t == Type::kNone) continue;
      if (t == Type::kF16 || t == Type::kF16x2) out = std::max(out, 1e-3);
      if (t == Type::kBf16 || t == Type::kBf16x2) out = std::max(out, 8e-3);
      if (t == Type::kTf32) out = std::max(out, 1e-3);
      break;  // the first type is what is converted to
    }
  }
  return out;
}

}  // namespace

double narrowest(const Side& a, const Side& b) {
  return std::max(narrowest_of(a), narrowest_of(b));
}

Tolerance Rounding::tolerance(Type type) const {
  if (given != nullptr) return *given;
  Tolerance t = default_tolerance(type);
  if (ptx::kind_of(type) == ptx::TypeKind::kFloat)
    t = {std::max(t.relative, narrow), std::max(t.absolute, narrow)};
  return t;
}

bool compare_element(const Rounding& r, uint64_t address, uint64_t a, uint64_t b, Type type,
                     Compared& out) {
  if (a == b) return false;
  out.bits_equal = false;
  const Tolerance t = r.tolerance(type);
  if (ptx::kind_of(type) != ptx::TypeKind::kFloat || r.given != nullptr)
    return compare(a, b, type, t) == Likeness::kDifferent;
  auto exact =
      r.shadow != nullptr ? r.shadow->global(address, ptx::bytes_of(type), a) : std::nullopt;
  // Copied, not computed.
  if (!exact && r.shadow != nullptr && r.shadow->saw_all_stores())
    exact = emulator::exact_shadow(device::decode(a, type));
  bool trusted = exact.has_value();
  const Likeness l = exact ? compare(a, b, type, *exact, t, trusted) : compare(a, b, type, t);
  out.by_tolerance |= !trusted;
  return l == Likeness::kDifferent;
}

Difference difference_of(const Rounding& r, uint64_t address, uint64_t a, uint64_t b, Type type) {
  Difference d;
  d.type = std::string(ptx::name_of(type));
  d.a = element_text(a, type);
  d.b = element_text(b, type);
  d.ulp = ulp_distance(a, b, type);
  if (r.shadow != nullptr)
    if (const auto exact = r.shadow->global(address, ptx::bytes_of(type), a);
        exact && std::isfinite(exact->value))
      d.exact = fmt::format("{:.12g} ± {:.2g}", exact->value, exact->error());
  return d;
}

}  // namespace pitot::check
