// mma, dense and sparse, in every shape and type that sm_90 has, and the moves of 8 × 8 matrices.
#include <fmt/format.h>

#include <algorithm>

#include "emulate.h"
#include "kernel_builder.h"
#include "matrix_values.h"
#include "spellings.h"

namespace pitot::conformance {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandSpec;
using ptx::Type;

constexpr uint32_t kMatrixBlock = 32, kMatrixGrid = 64;

std::vector<Type> types_of(const Spelling& s) {
  std::vector<Type> types;
  for (ptx::ModId id : s.opcode.modifiers)
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
  return types;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text = "{";
  for (size_t k = 0; k < items.size(); ++k) text += (k == 0 ? "" : ", ") + items[k];
  return text + "}";
}

Case mma_case(const Spelling& s, const std::string& name, uint64_t seed) {
  Random r(seed);
  KernelBuilder b("mma", name, kMatrixBlock, kMatrixGrid);
  const std::vector<Type> types = types_of(s);  // d, a, b, c
  const bool sparse = s.opcode.has_mod(Mod::kSp) || s.opcode.has_mod(Mod::kSpOrderedMetadata);
  Field f;
  f.spelling = s.text;
  f.type = types[0];
  f.element_wise = false;
  const bool floating = types[0] != Type::kS32 && types[0] != Type::kF64;
  f.rule = floating ? Rule::kAccumulate : Rule::kExact;
  const auto mixture = [](uint32_t thread) {
    return static_cast<Mixture>(thread / kMatrixBlock % kMixtures);
  };
  std::string line = s.text;
  std::vector<std::string> d;
  unsigned d_bits = 32;
  for (size_t n = 0; n < s.form->operands.size(); ++n) {
    const OperandSpec& o = s.form->operands[n];
    if (o.optional) continue;
    line += n == 0 ? " " : ", ";
    const unsigned bits = operand_bits(s, o) == 64 ? 64 : 32;
    if (n == 4 && sparse) {  // two of four (tf32: one of two) ascending
      const bool pair = ptx::bits_of(types[1]) == 32;
      const std::string m = b.input(32, [&](uint32_t) {
        constexpr uint32_t kFour[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, kTwo[] = {0x4, 0xe};
        uint32_t word = 0;
        for (unsigned k = 0; k < 8; ++k) word |= (pair ? r.of(kTwo) : r.of(kFour)) << (4 * k);
        return word;
      });
      f.inputs.push_back(b.last_input());
      line += m;
      continue;
    }
    if (n == 5 && sparse) {
      int64_t top = 0;
      while (ptx::value_allowed(o.values, top + 1) && !o.values.empty() && top < 3) ++top;
      // ptxas takes 2 and 3 where two threads hold the metadata; the hardware traps.
      if (s.text.find("k32") != std::string::npos) top = std::min<int64_t>(top, 1);
      line += std::to_string(r.below(static_cast<uint32_t>(top) + 1));
      continue;
    }
    std::vector<std::string> regs;
    for (unsigned k = 0; k < o.count_min; ++k) {
      if (n == 0) {
        regs.push_back(b.fresh(bits));
        continue;
      }
      const Type t = types[n];  // a, b, c
      regs.push_back(b.input(
          bits, [&](uint32_t thread) { return matrix_register(r, t, bits, mixture(thread)); }));
      f.inputs.push_back(b.last_input());
    }
    if (n == 0) {
      d = regs;
      d_bits = bits;
    }
    line += list_of(regs);
  }
  f.line = line + ";";
  b.line(f.line);
  for (const std::string& reg : d) b.output(f, reg, d_bits);
  return b.finish();
}

// Rows of an 8 × 8 matrix of halves lie anywhere in shared memory.
void matrix_moves(uint64_t seed, Cases& out) {
  Random r(seed);
  for (Mnemonic m : {Mnemonic::kLdmatrix, Mnemonic::kStmatrix})
    for (const ptx::Form& form : ptx::forms_of(m))
      for (const Spelling& s : spellings_of(form, 100, r)) {
        KernelBuilder b("matrix", s.text, 64, 4);
        b.declare(".shared .align 16 .b8 rows[4096];\n.reg .b32 %sa, %sb;");
        b.line("mov.u32 %sa, rows;\nmad.lo.u32 %sb, %ti, 64, %sa;");
        for (unsigned k = 0; k < 64; k += 8) {
          const std::string v = b.input(64, [&](uint32_t) { return r.next(); });
          b.line(fmt::format("st.shared.b64 [%sb+{}], {};", k, v));
        }
        b.line("bar.sync 0;");
        const bool load = m == Mnemonic::kLdmatrix;
        // Loads take any row; stores go to rows of their own, by a permutation of each warp.
        std::vector<uint32_t> rows;
        const std::string row = b.input(32, [&](uint32_t thread) {
          if (load) return r.below(256) * 16;
          if (thread % 32 == 0) {
            rows.clear();
            for (uint32_t k = 0; k < 32; ++k) rows.push_back(k);
            for (uint32_t k = 31; k > 0; --k) std::swap(rows[k], rows[r.below(k + 1)]);
          }
          return (thread % 64 / 32 * 128 + rows[thread % 32]) * 16;
        });
        Field f;
        f.spelling = s.text;
        f.element_wise = false;
        b.line(fmt::format("add.u32 {}, {}, %sa;", row, row));
        std::string address = row;
        if (s.opcode.space == ptx::Space::kNone) {
          address = b.fresh(64);
          b.line(fmt::format("cvt.u64.u32 {}, {};\ncvta.shared.u64 {}, {};", address, row, address,
                             address));
        }
        const unsigned count = form.operands[load ? 0 : 1].count_min;
        std::vector<std::string> regs;
        for (unsigned k = 0; k < count; ++k)
          regs.push_back(load ? b.fresh(32) : b.input(32, [&](uint32_t) { return r.next(); }));
        f.line = load ? fmt::format("{} {}, [{}];", s.text, list_of(regs), address)
                      : fmt::format("{} [{}], {};", s.text, address, list_of(regs));
        b.line(f.line);
        if (load) {
          for (const std::string& reg : regs) b.output(f, reg, 32);
        } else {
          b.line("bar.sync 0;");
          for (unsigned k = 0; k < 64; k += 8) {
            const std::string v = b.fresh(64);
            b.line(fmt::format("ld.shared.b64 {}, [%sb+{}];", v, k));
            b.output(f, v, 64);
          }
        }
        Case c = b.finish();
        if (const auto without = uncovered_in(c); !without.empty()) {
          out.uncovered.insert(without.begin(), without.end());
          continue;
        }
        out.programs.push_back(std::move(c));
      }
}

}  // namespace

void matrix_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  uint32_t n = 0;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kMma))
    for (const Spelling& s : spellings_of(form, 64, r)) {
      Case c = mma_case(s, fmt::format("mma-{}", n++), r.next());
      if (const auto without = uncovered_in(c); !without.empty()) {
        out.uncovered.insert(without.begin(), without.end());
        continue;
      }
      out.programs.push_back(std::move(c));
    }
  matrix_moves(r.next(), out);
}

}  // namespace pitot::conformance
