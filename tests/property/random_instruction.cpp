// Arithmetic instructions drawn from the instruction table: any form, any legal modifiers, operands
// by the form's own description. Cases that the PTX ISA leaves undefined are guarded or left out.
#include <algorithm>
#include <cstdio>

#include "property/random_program.h"
#include "ptx/isa.h"

namespace pitot::property {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandClass;
using ptx::OperandSpec;
using ptx::Type;
using ptx::TypeKind;

namespace {

constexpr Mnemonic kDrawn[] = {
    Mnemonic::kAdd,   Mnemonic::kSub,      Mnemonic::kMul,       Mnemonic::kMul24,
    Mnemonic::kMad24, Mnemonic::kMad,      Mnemonic::kFma,       Mnemonic::kSad,
    Mnemonic::kDiv,   Mnemonic::kRem,      Mnemonic::kAbs,       Mnemonic::kNeg,
    Mnemonic::kMin,   Mnemonic::kMax,      Mnemonic::kTestp,     Mnemonic::kCopysign,
    Mnemonic::kRcp,   Mnemonic::kSqrt,     Mnemonic::kDp4a,      Mnemonic::kDp2a,
    Mnemonic::kAnd,   Mnemonic::kOr,       Mnemonic::kXor,       Mnemonic::kNot,
    Mnemonic::kCnot,  Mnemonic::kLop3,     Mnemonic::kShl,       Mnemonic::kShr,
    Mnemonic::kShf,   Mnemonic::kBfe,      Mnemonic::kBfi,       Mnemonic::kBfind,
    Mnemonic::kBrev,  Mnemonic::kPopc,     Mnemonic::kClz,       Mnemonic::kFns,
    Mnemonic::kBmsk,  Mnemonic::kSzext,    Mnemonic::kPrmt,      Mnemonic::kSetp,
    Mnemonic::kSet,   Mnemonic::kSelp,     Mnemonic::kSlct,      Mnemonic::kMov,
    Mnemonic::kCvt,   Mnemonic::kCvt,      Mnemonic::kCvt,       Mnemonic::kVadd,
    Mnemonic::kVsub,  Mnemonic::kVabsdiff, Mnemonic::kVmin,      Mnemonic::kVmax,
    Mnemonic::kVshl,  Mnemonic::kVshr,     Mnemonic::kVmad,      Mnemonic::kVset,
    Mnemonic::kVadd2, Mnemonic::kVsub2,    Mnemonic::kVavrg2,    Mnemonic::kVabsdiff2,
    Mnemonic::kVmin2, Mnemonic::kVmax2,    Mnemonic::kVset2,     Mnemonic::kVadd4,
    Mnemonic::kVsub4, Mnemonic::kVavrg4,   Mnemonic::kVabsdiff4, Mnemonic::kVmin4,
    Mnemonic::kVmax4, Mnemonic::kVset4,    Mnemonic::kAddc,
};

bool is_scalar_video(Mnemonic m) {
  switch (m) {
    case Mnemonic::kVadd:
    case Mnemonic::kVsub:
    case Mnemonic::kVabsdiff:
    case Mnemonic::kVmin:
    case Mnemonic::kVmax:
    case Mnemonic::kVshl:
    case Mnemonic::kVshr:
    case Mnemonic::kVset:
    case Mnemonic::kVmad:
      return true;
    default:
      return false;
  }
}

bool is_packed_integer(Type t) {
  return t == Type::kU16x2 || t == Type::kS16x2 || t == Type::kU8x4 || t == Type::kS8x4;
}
bool is_half(Type t) { return t == Type::kF16 || t == Type::kBf16; }
bool is_floating(Type t) { return is_half(t) || t == Type::kF32 || t == Type::kF64; }

// Not compared: approximations, stochastic rounding, formats that only scale, and cases whose
// result the ISA's text leaves open.
bool excluded(const ptx::Opcode& op) {
  for (Mod m : {Mod::kApprox, Mod::kFull, Mod::kOob, Mod::kRs, Mod::kScaledN2Ue8m0, Mod::kS2f6x2,
                Mod::kB128, Mod::kRna})
    if (op.has_mod(m)) return true;
  // What becomes of zero and of negative numbers without a sign is not said.
  if (op.mnemonic == Mnemonic::kCvt && op.has_mod(Mod::kUe8m0x2) && op.type != Type::kUe8m0x2)
    return true;
  // How wide the shifted value is that saturates is not said.
  if (op.mnemonic == Mnemonic::kVshl && op.has_mod(Mod::kSat)) return true;
  if (op.mnemonic == Mnemonic::kTestp && op.modifiers.size() < 2) return true;
  // ptxas takes these, the ISA does not have them, and what they give is no fma.
  if (op.mnemonic == Mnemonic::kFma && !op.has_mod(Mod::kRn) &&
      (op.type == Type::kBf16 || op.type == Type::kBf16x2))
    return true;
  return false;
}

// A legal spelling of a form, or nothing.
std::string draw_spelling(Random& r, Mnemonic m, const ptx::Form& form) {
  std::string text(ptx::name_of(m));
  for (const ptx::Slot& slot : form.slots) {
    if (slot.alternatives.empty()) continue;
    if (slot.optional && r.chance(50)) continue;
    const auto& a = slot.alternatives[r.below(static_cast<uint32_t>(slot.alternatives.size()))];
    text += "." + std::string(ptx::mod_name(a.mod));
  }
  return text;
}

struct Context {
  Random& r;
  const ptx::Opcode& op;
  const ptx::Form& form;
  std::array<Type, 4> types;
};

unsigned bits_of_operand(const Context& c, const OperandSpec& s, Type* type) {
  Type t = s.variable >= 0 ? c.types[static_cast<size_t>(s.variable)] : s.fixed;
  *type = t;
  unsigned bits = ptx::bits_of(t);
  if (s.doubled) {
    bits *= 2;
    *type = bits == 32 ? Type::kB32 : Type::kB64;
  }
  return bits;
}

// A register for `bits`; empty when there is no pool.
std::string register_of(Random& r, unsigned bits) {
  switch (bits) {
    case 1:
      return predicate_register(r);
    case 8:
      return "%b" + std::to_string(r.below(4));
    case 16:
      return half_register(r);
    case 32:
      return word_register(r);
    case 64:
      return long_register(r);
    default:
      return {};
  }
}

std::string literal(Random& r, Type t) {
  const unsigned bits = ptx::bits_of(t);
  const uint64_t v = interesting_bits(r, bits);
  char text[32];
  if (t == Type::kF32) {
    std::snprintf(text, sizeof text, "0f%08X", static_cast<unsigned>(v));
  } else if (t == Type::kF64) {
    std::snprintf(text, sizeof text, "0d%016llX", static_cast<unsigned long long>(v));
  } else if (ptx::kind_of(t) == TypeKind::kSigned) {
    const int64_t s = static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
    if (s == INT64_MIN) return "0x8000000000000000";
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(s));
  } else {
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  }
  return text;
}

std::string selector(Random& r) {
  constexpr const char* kAll[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  return r.of(kAll);
}

// One operand's text; empty when it cannot be drawn.
std::string draw_operand(const Context& c, const OperandSpec& s, bool merge, size_t index) {
  Random& r = c.r;
  Type t;
  unsigned bits = bits_of_operand(c, s, &t);
  if (s.cls == OperandClass::kConstant) {
    if (c.op.mnemonic == Mnemonic::kLop3) return std::to_string(r.below(256));
    return {};
  }
  if (s.cls != OperandClass::kSource && s.cls != OperandClass::kRegister) return {};
  if (s.count_min > 1 || s.by_vector) return {};
  const bool integer = ptx::kind_of(t) == TypeKind::kSigned ||
                       ptx::kind_of(t) == TypeKind::kUnsigned || ptx::kind_of(t) == TypeKind::kBits;
  if (s.may_be_wider && integer && bits <= 32 && (bits == 8 || r.chance(25)))
    bits = bits == 8 ? (r.chance(40) ? 16 : r.chance(70) ? 32 : 64) : bits == 16 ? 32 : 64;
  if (s.access != ptx::Access::kRead) {
    std::string d = register_of(r, bits);
    if (d.empty()) return {};
    if (s.may_select && (is_scalar_video(c.op.mnemonic) ? merge : r.chance(40))) {
      const bool four = ptx::name_of(c.op.mnemonic).back() == '4';
      const bool two = ptx::name_of(c.op.mnemonic).back() == '2';
      d += two    ? (r.chance(50) ? ".h0" : ".h1")
           : four ? "." + std::string("b") + static_cast<char>('0' + r.below(4))
                  : selector(r);
    }
    if (s.second_pred && (s.second_required || r.chance(40))) {
      std::string p = predicate_register(r);
      while (p == d) p = predicate_register(r);
      d += "|" + p;
    }
    return d;
  }
  if (bits == 1) return (s.may_negate && r.chance(40) ? "!" : "") + predicate_register(r);
  // Floating point takes literals of its own kind only, and not in half precision.
  const bool can_be_literal =
      s.cls == OperandClass::kSource && !s.may_select && !s.may_pack && !s.may_be_wider &&
      ((integer && !is_packed_integer(t)) || t == Type::kF32 || t == Type::kF64) &&
      ptx::bits_of(t) >= 16 && c.op.types[1] == Type::kNone;
  if (takes_amount(c.op.mnemonic) && t == Type::kU32 && index > 1) {
    if (r.chance(40)) return std::to_string(r.below(70));
    // Of 64 bits only 0 … 255 is defined.
    if (c.op.mnemonic == Mnemonic::kBfe || c.op.mnemonic == Mnemonic::kBfi)
      return "%s" + std::to_string(r.below(4));
    return r.chance(60) ? "%s" + std::to_string(r.below(4)) : word_register(r);
  }
  if (can_be_literal && s.values.empty() && r.chance(25)) return literal(r, t);
  std::string a = register_of(r, bits);
  if (a.empty()) return {};
  if (s.may_select && is_scalar_video(c.op.mnemonic) && r.chance(50)) a += selector(r);
  return a;
}

// NaNs whose bits the ISA leaves open become one NaN, so that later integer operations agree.
std::string settle_nan(const ptx::Opcode& op, Type d, const std::string& where) {
  switch (d) {
    case Type::kF16:
      return "min.NaN.f16 " + where + ", " + where + ", " + where + ";\n";
    case Type::kBf16:
      return "min.NaN.bf16 " + where + ", " + where + ", " + where + ";\n";
    case Type::kF16x2:
      return "min.NaN.f16x2 " + where + ", " + where + ", " + where + ";\n";
    case Type::kBf16x2:
      return "min.NaN.bf16x2 " + where + ", " + where + ", " + where + ";\n";
    case Type::kF32:
      return "setp.nan.f32 %pn, " + where + ", " + where + ";\n@%pn mov.b32 " + where +
             ", 0x7fffffff;\n";
    case Type::kF64:
      return "setp.nan.f64 %pn, " + where + ", " + where + ";\n@%pn mov.b64 " + where +
             ", 0x7ff8000000000000;\n";
    default:
      break;
  }
  if (op.has_mod(Mod::kTf32)) return "and.b32 " + where + ", " + where + ", 0xffffe000;\n";
  return {};
}

bool leaves_nan_open(const ptx::Opcode& op, Type d) {
  switch (op.mnemonic) {
    case Mnemonic::kAbs:
    case Mnemonic::kNeg:
    case Mnemonic::kCvt:
      return true;
    case Mnemonic::kMov:
    case Mnemonic::kSelp:
    case Mnemonic::kSlct:
    case Mnemonic::kCopysign:
    case Mnemonic::kSet:
      return false;
    default:
      return d == Type::kF64;
  }
}

// add.cc, then operations that take the carry: together, since nothing else keeps the flag.
Statement carry_chain(Random& r) {
  constexpr const char* kFirst[] = {"add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"};
  constexpr const char* kNext[] = {"addc", "subc", "madc.lo", "madc.hi"};
  constexpr const char* kTypes[] = {"u32", "s32", "u64", "s64"};
  Statement s;
  const auto line = [&](std::string name) {
    const std::string type = r.of(kTypes);
    const bool wide = type[1] == '6';
    const unsigned sources = name.starts_with("mad") ? 3 : 2;
    name += "." + type;
    std::string text = name + " " + register_of(r, wide ? 64 : 32);
    for (unsigned k = 0; k < sources; ++k)
      text += ", " + (r.chance(20) ? literal(r, ptx::type_from_name(type))
                                   : register_of(r, wide ? 64 : 32));
    s.text += text + ";\n";
    s.spelling += (s.spelling.empty() ? "" : " ") + name;
  };
  line(r.of(kFirst));
  for (uint32_t n = 1 + r.below(3); n > 0; --n)
    line(std::string(r.of(kNext)) + (r.chance(70) ? ".cc" : ""));
  return s;
}

// Packing and unpacking by mov.
Statement vector_move(Random& r) {
  Statement s;
  const bool four = r.chance(25), pack = r.chance(50);
  const bool wide = four || r.chance(50);
  const std::string whole = wide ? long_register(r) : word_register(r);
  std::vector<std::string> parts;
  while (parts.size() < (four ? 4u : 2u)) {
    std::string p = wide && !four ? word_register(r) : half_register(r);
    if (std::find(parts.begin(), parts.end(), p) == parts.end()) parts.push_back(p);
  }
  std::string list = "{" + parts[0];
  for (size_t k = 1; k < parts.size(); ++k) list += ", " + parts[k];
  list += "}";
  s.spelling = wide ? "mov.b64" : "mov.b32";
  s.text = s.spelling + " " + (pack ? whole + ", " + list : list + ", " + whole) + ";\n";
  return s;
}

uint16_t version_of(const std::string& header) {
  const size_t at = header.find(".version ") + 9;
  return static_cast<uint16_t>((header[at] - '0') * 10 + (header[at + 2] - '0'));
}

}  // namespace

bool takes_amount(Mnemonic m) {
  switch (m) {
    case Mnemonic::kShl:
    case Mnemonic::kShr:
    case Mnemonic::kShf:
    case Mnemonic::kBfe:
    case Mnemonic::kBfi:
    case Mnemonic::kBmsk:
    case Mnemonic::kSzext:
      return true;
    default:
      return false;
  }
}

Statement random_instruction(Random& r, const std::string& header) {
  const uint16_t version = version_of(header);
  const size_t at = header.find("sm_");
  const ptx::Target target = ptx::target_from_name(header.substr(at, header.find('\n', at) - at));
  for (;;) {
    const Mnemonic m = r.of(kDrawn);
    if (m == Mnemonic::kAddc) return carry_chain(r);
    if (m == Mnemonic::kMov && r.chance(50)) return vector_move(r);
    const auto forms = ptx::forms_of(m);
    const ptx::Form& form = forms[r.below(static_cast<uint32_t>(forms.size()))];
    const std::string spelling = draw_spelling(r, m, form);
    const ptx::Opcode op = ptx::decode(spelling);
    if (op.form == nullptr || excluded(op)) continue;
    // ptxas and the ISA are of two minds about scalar video instructions (tests/device).
    if (is_scalar_video(m) && header.find("sm_90a") != std::string::npos) continue;
    const ptx::Binding binding = ptx::bind(op, form);
    if (!binding.matches || ptx::support(op, form, version, target) != ptx::Support::kYes) continue;
    const Context c{r, op, form, binding.types};
    std::vector<std::string> operands;
    bool drawn = true;
    // The forms of scalar video instructions that merge have a selector on the destination.
    const bool merge = !form.operands.empty() && form.operands[0].may_select;
    for (const OperandSpec& s : form.operands) {
      if (s.when != 0 &&
          std::find(op.modifiers.begin(), op.modifiers.end(), s.when) == op.modifiers.end())
        continue;
      operands.push_back(draw_operand(c, s, merge, operands.size()));
      drawn = drawn && !operands.back().empty();
    }
    if (!drawn || operands.empty()) continue;
    Statement s;
    s.spelling = spelling;
    Type first;
    const unsigned bits = bits_of_operand(c, form.operands[0], &first);
    if ((m == Mnemonic::kDiv || m == Mnemonic::kRem) && !is_floating(first)) {
      const std::string b = "%t" + std::to_string(bits);
      s.text += "or.b" + std::to_string(bits) + " " + b + ", " + operands[2] + ", 1;\n";
      operands[2] = b;
    }
    if (m == Mnemonic::kFns) {
      s.text += "and.b32 %t32, " + operands[2] + ", 31;\n";
      operands[2] = "%t32";
    }
    if (m == Mnemonic::kVmad && !op.has_mod(Mod::kPo) && r.chance(50))
      operands[1 + r.below(3)].insert(0, "-");
    std::string line = spelling + " ";
    for (size_t k = 0; k < operands.size(); ++k) line += (k == 0 ? "" : ", ") + operands[k];
    // ptxas 13.0 carries out these whatever their guard says, in part or wholly.
    const bool guard_lost = m == Mnemonic::kTestp || m == Mnemonic::kSet ||
                            op.has_mod(Mod::kPack) || ptx::name_of(m)[0] == 'v';
    const bool guarded = r.chance(12) && !guard_lost;
    if (guarded) line = (r.chance(50) ? "@" : "@!") + predicate_register(r) + " " + line;
    s.text += line + ";\n";
    if (leaves_nan_open(op, first) || op.has_mod(Mod::kTf32))
      s.text += settle_nan(op, first, operands[0]);
    return s;
  }
}

}  // namespace pitot::property
