// wgmma: one product of 64 rows by four warps. Shared memory is filled with elements all over, so
// that any descriptor of a layout that stays within it says which ones are read.
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

constexpr uint32_t kWgmmaBlock = 128, kWgmmaGrid = 8, kPool = 47104;  // bytes of shared memory

struct Layout {
  unsigned swizzle = 0;  // bytes: 0, 32, 64, 128
  bool mn_major = false;
};

// A descriptor of the canonical layouts, strides with a gap where there is room.
uint64_t descriptor(Random& r, const Layout& l, unsigned rows, unsigned start) {
  uint64_t leading = 16, stride = 0;
  const uint64_t mode = l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : l.swizzle == 32 ? 3 : 0;
  const uint64_t atom = l.swizzle == 0 ? 128 : uint64_t{8} * l.swizzle;
  if (l.swizzle == 0) {
    leading = 128 * (1 + r.below(2));
    stride = 256 * (1 + r.below(2));
    if (r.chance(50)) std::swap(leading, stride);
  } else if (!l.mn_major) {
    stride = atom;
  } else {
    stride = atom;
    leading = 2 * atom;
  }
  if (rows > 128 && l.swizzle == 0) {
    leading = l.mn_major ? 128 : 128 * (rows / 8);
    stride = l.mn_major ? 128 * (rows / 8) : 128;
    if (l.mn_major) std::swap(leading, stride);
  }
  return uint64_t{start >> 4} | (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62;
}

Case wgmma_case(const Spelling& s, const std::string& name, uint64_t seed) {
  Random r(seed);
  KernelBuilder b("wgmma", name, kWgmmaBlock, kWgmmaGrid);
  std::vector<Type> types;
  for (ptx::ModId id : s.opcode.modifiers)
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
  unsigned m = 0, n = 0, k = 0;
  for (ptx::ModId id : s.opcode.modifiers)
    if (std::sscanf(std::string(ptx::mod_name(id)).c_str(), "m%un%uk%u", &m, &n, &k) == 3) break;
  const bool floating = types[0] != Type::kS32;
  const bool from_registers = s.form->operands[1].count_min == 4;
  const auto mixture = [](uint32_t thread) {
    return static_cast<Mixture>(thread / kWgmmaBlock % kMixtures);
  };
  // A in the first 12 KiB, B in the rest.
  b.declare(
      fmt::format(".shared .align 1024 .b8 pool[{}];\n.reg .b32 %sa, %pd;\n.reg .b64 %da, %db, "
                  "%pa, %pv;\n.reg .pred %acc;",
                  kPool));
  std::vector<uint8_t> data;
  const unsigned step = std::max(8u, ptx::bits_of(types[1]));
  for (uint32_t block = 0; block < kWgmmaGrid; ++block)
    for (uint32_t at = 0; at < kPool; at += step / 8) {
      const Type t = at < 12288 ? types[1] : types[2];
      const uint64_t v = matrix_register(r, t, step, static_cast<Mixture>(block % kMixtures));
      for (unsigned byte = 0; byte < step / 8; ++byte)
        data.push_back(static_cast<uint8_t>(v >> (8 * byte)));
    }
  const size_t at = b.raw_input(data);
  b.line(fmt::format(
      "mad.wide.u32 %pa, %bi, {}, %in;\nadd.u64 %pa, %pa, {};\n"
      "mad.wide.u32 %pa, %ti, 8, %pa;\nmov.u32 %sa, pool;\nmad.lo.u32 %sa, %ti, 8, %sa;\n"
      "mov.u32 %pd, 0;\nFILL:\nld.global.b64 %pv, [%pa];\nst.shared.b64 [%sa], %pv;\n"
      "add.u64 %pa, %pa, {};\nadd.u32 %sa, %sa, {};\nadd.u32 %pd, %pd, {};\n"
      "setp.lt.u32 %acc, %pd, {};\n@%acc bra FILL;\nfence.proxy.async.shared::cta;\n"
      "bar.sync 0;",
      kPool, at, 8 * kWgmmaBlock, 8 * kWgmmaBlock, 8 * kWgmmaBlock, kPool));
  const bool halves = ptx::bits_of(types[1]) == 16;
  constexpr unsigned kSwizzles[] = {0, 32, 64, 128};
  Layout la{r.of(kSwizzles), halves && r.chance(40)}, lb{r.of(kSwizzles), halves && r.chance(40)};
  if (from_registers) la.mn_major = false;
  const uint64_t da = descriptor(r, la, 64, 0), db = descriptor(r, lb, n, 12288);
  b.line(
      fmt::format("mov.u32 %sa, pool;\nshr.u32 %sa, %sa, 4;\ncvt.u64.u32 %pv, %sa;\n"
                  "add.u64 %da, %pv, {:#x};\nadd.u64 %db, %pv, {:#x};",
                  da, db));
  Field f;
  f.spelling = s.text;
  f.type = types[0];
  f.element_wise = false;
  f.rule = floating ? Rule::kAccumulate : Rule::kExact;
  std::string line = s.text + " {";
  std::vector<std::string> d;
  for (unsigned i = 0; i < s.form->operands[0].count_min; ++i) {
    d.push_back(b.input(
        32, [&](uint32_t thread) { return matrix_register(r, types[0], 32, mixture(thread)); }));
    line += (i == 0 ? "" : ", ") + d.back();
  }
  line += "}, ";
  if (from_registers) {
    for (unsigned i = 0; i < 4; ++i)
      line += (i == 0 ? "{" : ", ") + b.input(32, [&](uint32_t thread) {
        return matrix_register(r, types[1], 32, mixture(thread));
      });
    line += "}, %db, ";
  } else {
    line += "%da, %db, ";
  }
  const bool accumulate = r.chance(80);
  line += "%acc";
  size_t constants = 0;
  for (size_t o = 4; o < s.form->operands.size(); ++o)
    if (!s.form->operands[o].optional && present(s, s.form->operands[o])) ++constants;
  const bool scales = constants >= 2;
  if (scales) line += fmt::format(", {}, {}", r.chance(25) ? -1 : 1, r.chance(25) ? -1 : 1);
  if (constants == 4) line += fmt::format(", {}", la.mn_major ? 1 : 0);
  if (constants >= 3) line += fmt::format(", {}", lb.mn_major ? 1 : 0);
  f.line = line + ";";
  b.line(
      fmt::format("setp.eq.u32 %acc, {}, 1;\nwgmma.fence.sync.aligned;\n{}\n"
                  "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
                  accumulate ? 1 : 0, f.line));
  f.line += fmt::format(" // A {} bytes swizzled{}, {:#x}; B {}{}, {:#x}; accumulate {}",
                        la.swizzle, la.mn_major ? " by M" : "", da, lb.swizzle,
                        lb.mn_major ? " by N" : "", db, accumulate);
  for (const std::string& reg : d) b.output(f, reg, 32);
  return b.finish();
}

}  // namespace

void wgmma_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  std::set<std::string> seen;
  uint32_t number = 0;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kWgmma))
    for (const Spelling& s : spellings_of(form, 8, r)) {
      if (!s.opcode.has_mod(Mod::kMmaAsync) || s.text.find(".aligned") == std::string::npos)
        continue;
      if (s.opcode.has_mod(Mod::kSp)) {
        out.uncovered.insert(s.text);
        continue;
      }
      // Of the widths of a type, the small ones, the largest and a few between.
      unsigned m = 0, n = 0, k = 0;
      for (ptx::ModId id : s.opcode.modifiers)
        if (std::sscanf(std::string(ptx::mod_name(id)).c_str(), "m%un%uk%u", &m, &n, &k) == 3)
          break;
      constexpr unsigned kWidths[] = {8, 16, 24, 40, 48, 64, 80, 128, 136, 192, 256};
      if (std::find(std::begin(kWidths), std::end(kWidths), n) == std::end(kWidths)) continue;
      Case c = wgmma_case(s, fmt::format("wgmma-{}", number++), r.next());
      if (const auto without = uncovered_in(c); !without.empty()) {
        out.uncovered.insert(without.begin(), without.end());
        continue;
      }
      out.programs.push_back(std::move(c));
    }
}

}  // namespace pitot::conformance
