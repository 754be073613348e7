// wmma: matrices loaded from global or shared memory, multiplied, stored. How a fragment lies in
// registers is open, so only what is stored counts.
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
using ptx::Type;

constexpr uint32_t kWmmaGrid = 16;

struct WmmaShape {
  unsigned m = 0, n = 0, k = 0;
};

WmmaShape shape_of(const Spelling& s, std::string& text) {
  WmmaShape shape;
  for (ptx::ModId id : s.opcode.modifiers) {
    const std::string name(ptx::mod_name(id));
    if (std::sscanf(name.c_str(), "m%un%uk%u", &shape.m, &shape.n, &shape.k) == 3) {
      text = name;
      break;
    }
  }
  return shape;
}

std::string registers(KernelBuilder& b, unsigned count, unsigned bits) {
  std::string list = "{";
  for (unsigned k = 0; k < count; ++k) list += (k == 0 ? "" : ", ") + b.fresh(bits);
  return list + "}";
}

Case wmma_case(const Spelling& s, const std::string& name, uint64_t seed) {
  Random r(seed);
  KernelBuilder b("wmma", name, 32, kWmmaGrid);
  std::string shape_text;
  const WmmaShape shape = shape_of(s, shape_text);
  std::vector<Type> types;
  std::vector<std::string> layouts;
  for (ptx::ModId id : s.opcode.modifiers) {
    if (ptx::mod_type(id) != Type::kNone) types.push_back(ptx::mod_type(id));
    const auto mod = static_cast<Mod>(id);
    if (mod == Mod::kRow || mod == Mod::kCol) layouts.emplace_back(ptx::mod_name(id));
  }
  if (types.size() == 2) types = {types[0], Type::kF16, Type::kF16, types[1]};
  const bool shared = r.chance(40);
  b.declare(
      ".reg .b64 %ma, %mb, %mc, %md;\n.reg .b32 %sa, %sb;\n.shared .align 128 .b8 pool[8192];");
  const auto& o = s.form->operands;
  const bool wide = types[0] == Type::kF64;
  const char* c_layout = r.chance(50) ? "row" : "col";
  const char* d_layout = r.chance(50) ? "row" : "col";
  const auto matrix = [&](const char* which, const char* pointer, unsigned rows, unsigned columns,
                          Type t, const std::string& layout, unsigned regs) {
    const unsigned bits = ptx::bits_of(t);
    const unsigned along = layout == "row" ? columns : rows,
                   lines = layout == "row" ? rows : columns;
    const unsigned align = std::max(1u, 128 / bits);  // elements of 16 bytes
    unsigned stride = along;
    if (r.chance(50)) stride += align * (1 + r.below(2));
    // Elements of less than a byte have no gaps.
    if (bits < 8) stride = along;
    const unsigned bytes = (lines * stride * bits / 8 + 127) / 128 * 128;
    std::vector<uint8_t> data;
    for (unsigned block = 0; block < kWmmaGrid; ++block)
      for (unsigned at = 0; at < bytes; at += 8) {
        const uint64_t v = matrix_register(r, t, 64, static_cast<Mixture>(block % kMixtures));
        for (unsigned k = 0; k < 8; ++k) data.push_back(static_cast<uint8_t>(v >> (8 * k)));
      }
    const size_t at = b.raw_input(data);
    b.line(fmt::format("mad.wide.u32 {}, %bi, {}, %in;\nadd.u64 {}, {}, {};", pointer, bytes,
                       pointer, pointer, at));
    std::string address = pointer, space = "global";
    if (shared) {  // copied by the warp
      space = "shared";
      b.line(
          fmt::format("bar.sync 0;\nmov.u32 %sa, pool;\nmad.lo.u32 %sa, %ti, 8, %sa;"
                      "\nmad.wide.u32 %md, %ti, 8, {};",
                      pointer));
      const std::string v = b.fresh(64);
      for (unsigned k = 0; k < bytes; k += 256) {
        const std::string p = b.fresh(1);
        b.line(
            fmt::format("setp.lt.u32 {}, %ti, {};\n@{} ld.global.b64 {}, [%md+{}];\n"
                        "@{} st.shared.b64 [%sa+{}], {};",
                        p, (std::min(bytes - k, 256u)) / 8, p, v, k, p, k, v));
      }
      b.line("bar.sync 0;\nmov.u32 %sa, pool;");
      address = "%sa";
    }
    const std::string list = registers(b, regs, wide ? 64 : 32);
    b.line(fmt::format("wmma.load.{}.sync.aligned.{}.{}.{}.{} {}, [{}]{};", which, layout,
                       shape_text, space, ptx::name_of(t), list, address,
                       stride == along ? "" : fmt::format(", {}", stride)));
    return list;
  };
  const std::string a = matrix("a", "%ma", shape.m, shape.k, types[1], layouts[0], o[1].count_min);
  const std::string bb = matrix("b", "%mb", shape.k, shape.n, types[2], layouts[1], o[2].count_min);
  const std::string c = matrix("c", "%mc", shape.m, shape.n, types[3], c_layout, o[3].count_min);
  const std::string d = registers(b, o[0].count_min, wide ? 64 : 32);
  Field f;
  f.spelling = s.text;
  f.type = types[0];
  f.element_wise = false;
  f.rule = types[0] == Type::kS32 || types[0] == Type::kF64 ? Rule::kExact : Rule::kAccumulate;
  f.line = fmt::format("{} {}, {}, {}, {};", s.text, d, a, bb, c);
  b.line(f.line);
  const unsigned out_bytes = shape.m * shape.n * ptx::bits_of(types[0]) / 8;
  const size_t at = b.reserve(f, kWmmaGrid * out_bytes / 8);
  b.line(
      fmt::format("mad.wide.u32 %md, %bi, {}, %out;\nadd.u64 %md, %md, {};\n"
                  "wmma.store.d.sync.aligned.{}.{}.global.{} [%md], {};",
                  out_bytes, at, d_layout, shape_text, ptx::name_of(types[0]), d));
  return b.finish();
}

}  // namespace

void wmma_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  uint32_t n = 0;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kWmma))
    for (const Spelling& s : spellings_of(form, 16, r)) {
      if (!s.opcode.has_mod(Mod::kMma)) continue;
      Case c = wmma_case(s, fmt::format("wmma-{}", n++), r.next());
      if (const auto without = uncovered_in(c); !without.empty()) {
        out.uncovered.insert(without.begin(), without.end());
        continue;
      }
      out.programs.push_back(std::move(c));
    }
}

}  // namespace pitot::conformance
