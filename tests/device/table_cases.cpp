// Arithmetic: every spelling of the instruction table that sm_90a has, many to a kernel, each on
// operands of its own for every thread.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emulate.h"
#include "kernel_builder.h"
#include "operand_values.h"
#include "pack_programs.h"
#include "spellings.h"

namespace pitot::conformance {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandClass;
using ptx::OperandSpec;
using ptx::Type;
using ptx::TypeKind;

constexpr uint32_t kTableBlock = 256, kTableGrid = 2, kTablePerKernel = 24;

constexpr Mnemonic kArithmetic[] = {
    Mnemonic::kAdd,   Mnemonic::kSub,      Mnemonic::kMul,       Mnemonic::kMul24,
    Mnemonic::kMad24, Mnemonic::kMad,      Mnemonic::kFma,       Mnemonic::kSad,
    Mnemonic::kDiv,   Mnemonic::kRem,      Mnemonic::kAbs,       Mnemonic::kNeg,
    Mnemonic::kMin,   Mnemonic::kMax,      Mnemonic::kTestp,     Mnemonic::kCopysign,
    Mnemonic::kRcp,   Mnemonic::kSqrt,     Mnemonic::kRsqrt,     Mnemonic::kSin,
    Mnemonic::kCos,   Mnemonic::kLg2,      Mnemonic::kEx2,       Mnemonic::kTanh,
    Mnemonic::kDp4a,  Mnemonic::kDp2a,     Mnemonic::kAnd,       Mnemonic::kOr,
    Mnemonic::kXor,   Mnemonic::kNot,      Mnemonic::kCnot,      Mnemonic::kLop3,
    Mnemonic::kShl,   Mnemonic::kShr,      Mnemonic::kShf,       Mnemonic::kBfe,
    Mnemonic::kBfi,   Mnemonic::kBfind,    Mnemonic::kBrev,      Mnemonic::kPopc,
    Mnemonic::kClz,   Mnemonic::kFns,      Mnemonic::kBmsk,      Mnemonic::kSzext,
    Mnemonic::kPrmt,  Mnemonic::kSetp,     Mnemonic::kSet,       Mnemonic::kSelp,
    Mnemonic::kSlct,  Mnemonic::kMov,      Mnemonic::kCvt,       Mnemonic::kVadd,
    Mnemonic::kVsub,  Mnemonic::kVabsdiff, Mnemonic::kVmin,      Mnemonic::kVmax,
    Mnemonic::kVshl,  Mnemonic::kVshr,     Mnemonic::kVmad,      Mnemonic::kVset,
    Mnemonic::kVadd2, Mnemonic::kVsub2,    Mnemonic::kVavrg2,    Mnemonic::kVabsdiff2,
    Mnemonic::kVmin2, Mnemonic::kVmax2,    Mnemonic::kVset2,     Mnemonic::kVadd4,
    Mnemonic::kVsub4, Mnemonic::kVavrg4,   Mnemonic::kVabsdiff4, Mnemonic::kVmin4,
    Mnemonic::kVmax4, Mnemonic::kVset4,
};

bool scalar_video(Mnemonic m) {
  const std::string_view name = ptx::name_of(m);
  return name[0] == 'v' && name.back() != '2' && name.back() != '4';
}

std::string literal(Random& r, Type t) {
  const unsigned bits = ptx::bits_of(t);
  const uint64_t v = draw_value(r, t);
  if (t == Type::kF32) return fmt::format("0f{:08X}", static_cast<uint32_t>(v));
  if (t == Type::kF64) return fmt::format("0d{:016X}", v);
  if (ptx::kind_of(t) != TypeKind::kSigned) return fmt::format("{:#x}", v);
  const int64_t s = static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
  return s == INT64_MIN ? "0x8000000000000000" : fmt::format("{}", s);
}

// ptxas takes them, the ISA does not have them, and what they give is no fma.
bool undocumented(const Spelling& s) {
  return s.opcode.mnemonic == Mnemonic::kFma && !s.opcode.has_mod(Mod::kRn) &&
         (s.types[0] == Type::kBf16 || s.types[0] == Type::kBf16x2);
}

class TableKernel {
 public:
  TableKernel(const std::string& name, uint64_t seed)
      : r_(seed), b_("arithmetic", name, kTableBlock, kTableGrid) {}

  // False when the form has operands that are not drawn here.
  bool add(const Spelling& s) {
    for (const OperandSpec& o : s.form->operands) {
      if (!present(s, o)) continue;
      const bool plain = o.cls == OperandClass::kSource || o.cls == OperandClass::kRegister;
      if (!plain && !(o.cls == OperandClass::kConstant && s.opcode.mnemonic == Mnemonic::kLop3))
        return false;
      if (operand_count(s, o) > 1 || operand_bits(s, o) == 0) return false;
    }
    first_.clear();
    std::vector<std::string> operands;
    std::vector<std::pair<std::string, unsigned>> results;
    std::vector<size_t> inputs;
    const bool merge = s.form->operands[0].may_select;
    size_t index = 0;
    for (const OperandSpec& o : s.form->operands) {
      if (!present(s, o)) continue;
      operands.push_back(o.access == ptx::Access::kRead
                             ? source(s, o, index, inputs)
                             : destination(s, o, merge, results, inputs));
      ++index;
    }
    std::string line = s.text + " ";
    for (size_t k = 0; k < operands.size(); ++k) line += (k == 0 ? "" : ", ") + operands[k];
    line += ";";
    // ptxas 13.0 carries out these whatever their guard says, in part or wholly.
    const bool guard_lost = s.opcode.mnemonic == Mnemonic::kTestp ||
                            s.opcode.mnemonic == Mnemonic::kSet || s.opcode.has_mod(Mod::kPack) ||
                            s.opcode.group == ptx::Group::kVideo;
    if (!guard_lost && r_.chance(8)) {
      line = (r_.chance(50) ? "@" : "@!") + b_.input(1, [&](uint32_t) { return r_.below(2); }) +
             " " + line;
      inputs.push_back(b_.last_input());
    }
    b_.line(line);
    Field f;
    f.spelling = s.text;
    f.line = line;
    f.type = operand_type(s, s.form->operands[0]);
    f.inputs = inputs;
    const Mnemonic m = s.opcode.mnemonic;
    const bool sfu = m == Mnemonic::kSin || m == Mnemonic::kCos || m == Mnemonic::kLg2 ||
                     m == Mnemonic::kEx2 || m == Mnemonic::kTanh || m == Mnemonic::kRsqrt;
    if (s.opcode.has_mod(Mod::kApprox) || s.opcode.has_mod(Mod::kFull) || sfu)
      f.rule = Rule::kApproximate;
    for (const auto& [reg, bits] : results) b_.output(f, reg, bits);
    ++count_;
    return true;
  }

  uint32_t count() const { return count_; }
  Case finish() { return b_.finish(); }

 private:
  std::string destination(const Spelling& s, const OperandSpec& o, bool merge,
                          std::vector<std::pair<std::string, unsigned>>& results,
                          std::vector<size_t>& inputs) {
    unsigned bits = operand_bits(s, o);
    const Type t = operand_type(s, o);
    const bool integer = is_integer(t);
    if (o.may_be_wider && integer && bits <= 32 && (bits == 8 || r_.chance(25)))
      bits = bits == 8 ? (r_.chance(40) ? 16 : r_.chance(70) ? 32 : 64) : bits == 16 ? 32 : 64;
    // What a guarded or merging instruction leaves is known.
    std::string d = b_.input(bits, [&](uint32_t) { return r_.next(); });
    inputs.push_back(b_.last_input());
    results.emplace_back(d, bits);
    std::string text = d;
    if (o.may_select && (scalar_video(s.opcode.mnemonic) ? merge : r_.chance(40))) {
      const char last = ptx::name_of(s.opcode.mnemonic).back();
      text += last == '2'   ? (r_.chance(50) ? ".h0" : ".h1")
              : last == '4' ? fmt::format(".b{}", r_.below(4))
                            : selector();
    }
    if (o.second_pred && (o.second_required || r_.chance(40))) {
      const std::string p = b_.input(1, [&](uint32_t) { return r_.below(2); });
      results.emplace_back(p, 1);
      text += "|" + p;
    }
    return text;
  }

  static bool is_integer(Type t) {
    const TypeKind k = ptx::kind_of(t);
    return k == TypeKind::kSigned || k == TypeKind::kUnsigned || k == TypeKind::kBits;
  }

  std::string selector() {
    constexpr const char* kAll[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    return r_.of(kAll);
  }

  std::string source(const Spelling& s, const OperandSpec& o, size_t index,
                     std::vector<size_t>& inputs) {
    const Mnemonic m = s.opcode.mnemonic;
    if (o.cls == OperandClass::kConstant) return std::to_string(r_.below(256));
    const Type t = operand_type(s, o);
    unsigned bits = operand_bits(s, o);
    const bool integer = is_integer(t);
    const bool packed = t == Type::kU16x2 || t == Type::kS16x2;
    if (o.may_be_wider && integer && bits <= 32 && (bits == 8 || r_.chance(25)))
      bits = bits == 8 ? (r_.chance(40) ? 16 : r_.chance(70) ? 32 : 64) : bits == 16 ? 32 : 64;
    const bool amount = property::takes_amount(m) && t == Type::kU32 && index > 1;
    if (amount && r_.chance(20)) return std::to_string(r_.below(70));
    const bool may_be_literal = !amount && o.cls == OperandClass::kSource && !o.may_select &&
                                !o.may_pack && !o.may_be_wider &&
                                ((integer && !packed) || t == Type::kF32 || t == Type::kF64) &&
                                ptx::bits_of(t) >= 16 && s.types[1] == Type::kNone &&
                                m != Mnemonic::kDiv && m != Mnemonic::kRem && m != Mnemonic::kFns;
    if (may_be_literal && o.values.empty() && index > 1 && r_.chance(12)) return literal(r_, t);
    const bool divisor = (m == Mnemonic::kDiv || m == Mnemonic::kRem) && integer && index == 2;
    const bool base = m == Mnemonic::kFns && index == 2;
    const bool first = first_.empty();
    std::vector<uint64_t> own(b_.threads());
    const std::string reg = b_.input(bits, [&](uint32_t thread) {
      uint64_t v = bits > ptx::bits_of(t) && t != Type::kPred ? r_.next() : 0;
      const uint64_t mask =
          ptx::bits_of(t) >= 64 ? UINT64_MAX : (uint64_t{1} << ptx::bits_of(t)) - 1;
      uint64_t low = amount ? draw_amount(r_) &
                                  (m == Mnemonic::kBfe || m == Mnemonic::kBfi ? 0xff : UINT32_MAX)
                     : base ? r_.below(32)
                            : draw_value(r_, t);
      if (m == Mnemonic::kFns && index == 3) low = r_.below(70) - 34;
      if (!first && !amount && !base && first_type_ == t && r_.chance(25))
        low = related_value(r_, t, first_[thread]);
      while (divisor && (low & mask) == 0) low = draw_value(r_, t);
      v = (v & ~mask) | (low & mask);
      own[thread] = v;
      return v;
    });
    inputs.push_back(b_.last_input());
    if (first) {
      first_ = std::move(own);
      first_type_ = t;
    }
    std::string text = reg;
    if (bits == 1 && o.may_negate && r_.chance(40)) text = "!" + text;
    if (o.may_select && scalar_video(m) && r_.chance(50)) text += selector();
    if (o.may_minus && m == Mnemonic::kVmad && !s.opcode.has_mod(Mod::kPo) && r_.chance(20) &&
        !minus_) {
      text = "-" + text;
      minus_ = true;
    }
    if (index + 1 >= s.form->operands.size()) minus_ = false;
    return text;
  }

  Random r_;
  KernelBuilder b_;
  std::vector<uint64_t> first_;  // values of the first source
  Type first_type_ = Type::kNone;
  bool minus_ = false;
  uint32_t count_ = 0;
};

// add.cc and what takes the carry, three in a row.
void carry_chains(uint64_t seed, Cases& out) {
  constexpr const char* kFirst[] = {"add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"};
  constexpr const char* kNext[] = {"addc", "subc", "madc.lo", "madc.hi"};
  constexpr const char* kTypes[] = {"u32", "s32", "u64", "s64"};
  Random r(seed);
  for (uint32_t n = 0; n < 12; ++n) {
    KernelBuilder b("arithmetic", fmt::format("carry-{}", n), kTableBlock, kTableGrid);
    for (uint32_t chain = 0; chain < 8; ++chain) {
      std::string lines;
      struct Step {
        Field field;
        std::string reg;
        unsigned bits;
      };
      std::vector<Step> steps;
      for (uint32_t k = 0; k < 3; ++k) {
        std::string name = k == 0 ? r.of(kFirst) : r.of(kNext);
        const bool multiply = name.starts_with("mad");
        if (k != 0 && r.chance(70)) name += ".cc";
        const char* type = r.of(kTypes);
        name += std::string(".") + type;
        const unsigned bits = type[1] == '6' ? 64 : 32;
        Step s;
        s.bits = bits;
        s.reg = b.fresh(bits);
        std::string text = name + " " + s.reg;
        for (uint32_t o = 0; o < (multiply ? 3u : 2u); ++o) {
          text += ", " + b.input(bits, [&](uint32_t) {
            return draw_value(r, bits == 64 ? Type::kU64 : Type::kU32);
          });
          s.field.inputs.push_back(b.last_input());
        }
        s.field.spelling = name;
        s.field.line = text + ";";
        lines += text + ";\n";
        steps.push_back(std::move(s));
      }
      b.line(lines);
      for (Step& s : steps) b.output(std::move(s.field), s.reg, s.bits);
    }
    out.programs.push_back(b.finish());
  }
}

// mov that packs and unpacks, and special registers that are the same everywhere.
void moves(uint64_t seed, Cases& out) {
  Random r(seed);
  KernelBuilder b("arithmetic", "moves", kTableBlock, kTableGrid);
  struct Form {
    unsigned whole, part;
  };
  constexpr Form kForms[] = {{16, 8}, {32, 16}, {32, 8}, {64, 32}, {64, 16}, {128, 64}, {128, 32}};
  for (const Form& f : kForms) {
    const std::string name = fmt::format("mov.b{}", f.whole);
    Field field;
    field.spelling = name;
    std::string list;
    std::vector<std::string> parts;
    for (unsigned k = 0; k < f.whole / f.part; ++k) {
      const std::string p = b.input(f.part, [&](uint32_t) { return r.next(); });
      field.inputs.push_back(b.last_input());
      parts.push_back(p);
      list += (k == 0 ? "{" : ", ") + p;
    }
    const std::string d = b.fresh(f.whole);
    field.line = name + " " + d + ", " + list + "};";
    b.line(field.line);
    b.output(field, d, f.whole);
    std::string back;
    for (unsigned k = 0; k < parts.size(); ++k) {
      parts[k] = b.fresh(f.part);
      back += (k == 0 ? "{" : ", ") + parts[k];
    }
    field.line = name + " " + back + "}, " + d + ";";
    b.line(field.line);
    for (const std::string& p : parts) b.output(field, p, f.part);
  }
  constexpr const char* kSpecial[] = {"tid.x",
                                      "tid.y",
                                      "tid.z",
                                      "ntid.x",
                                      "ntid.y",
                                      "ntid.z",
                                      "laneid",
                                      "ctaid.x",
                                      "ctaid.y",
                                      "ctaid.z",
                                      "nctaid.x",
                                      "nctaid.y",
                                      "nctaid.z",
                                      "lanemask_eq",
                                      "lanemask_le",
                                      "lanemask_lt",
                                      "lanemask_ge",
                                      "lanemask_gt",
                                      "clusterid.x",
                                      "nclusterid.x",
                                      "cluster_ctaid.x",
                                      "cluster_nctaid.x",
                                      "cluster_ctarank",
                                      "cluster_nctarank",
                                      "dynamic_smem_size",
                                      "total_smem_size",
                                      "aggr_smem_size"};
  for (const char* s : kSpecial) {
    Field field;
    field.spelling = std::string("mov %") + s;
    const std::string d = b.fresh(32);
    field.line = fmt::format("mov.u32 {}, %{};", d, s);
    b.line(field.line);
    b.output(field, d, 32);
  }
  out.programs.push_back(b.finish());
}

}  // namespace

void table_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  for (Mnemonic m : kArithmetic) {
    std::vector<Spelling> all;
    for (const ptx::Form& form : ptx::forms_of(m)) {
      const size_t most = m == Mnemonic::kSetp || m == Mnemonic::kSet || scalar_video(m) ? 60 : 400;
      for (Spelling& s : spellings_of(form, most, r)) {
        if (m == Mnemonic::kTestp && s.opcode.modifiers.size() < 2) continue;
        if (s.opcode.has(ptx::kWritesCC) || s.opcode.has(ptx::kReadsCC)) continue;
        if (undocumented(s)) continue;
        all.push_back(std::move(s));
      }
    }
    // Where there are few spellings, each gets more operands.
    const size_t times = all.size() < 20 ? 8 : all.size() < 100 ? 4 : 1;
    std::vector<const Spelling*> list;
    for (size_t n = 0; n < times; ++n)
      for (const Spelling& s : all) list.push_back(&s);
    pack_programs<TableKernel>(m, std::move(list), kTablePerKernel, r.next(), out);
  }
  carry_chains(r.next(), out);
  moves(r.next(), out);
}

}  // namespace pitot::conformance
