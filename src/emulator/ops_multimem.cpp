// multimem: addresses that stand for one place on every GPU of a multicast object. Here there is
// one GPU: a reduction over its copies is the only copy (PTX ISA, "multimem").
#include "emulator/access.h"
#include "emulator/families.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

// Op::variant: bytes of an element; Op::target: the space.
void read(Warp& w, const Op& op, LaneMask mask) {
  const auto d = w.program().operand(op, 0);
  Access a;
  a.space = static_cast<Space>(op.target);
  a.bytes = op.variant * static_cast<uint32_t>(d.size());
  if (!resolve_operand(w, op, 1, mask, a)) return;
  w.taint |= a.undefined;
  for (size_t e = 0; e < d.size(); ++e)
    for_each_lane(mask, [&](unsigned l) {
      uint64_t v = 0;
      std::memcpy(&v, a.at[l] + e * op.variant, op.variant);
      w.set(d[e], l, v);
    });
}

void write(Warp& w, const Op& op, LaneMask mask) {
  const auto values = w.program().operand(op, 1);
  Access a;
  a.space = static_cast<Space>(op.target);
  a.kind = AccessKind::kStore;
  a.bytes = op.variant * static_cast<uint32_t>(values.size());
  if (!resolve_operand(w, op, 0, mask, a)) return;
  for (size_t e = 0; e < values.size(); ++e)
    for_each_lane(mask, [&](unsigned l) {
      const uint64_t v = w.get(values[e], l);
      std::memcpy(a.at[l] + e * op.variant, &v, op.variant);
    });
}

}  // namespace

// Its reductions are with those of `red`, its bulk copies with the others.
bool select_multimem(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kMultimem) return false;
  const bool is_load = s.has(Mod::kLdReduce);
  if (!is_load && !s.has(Mod::kSt)) return false;
  const size_t values = is_load ? 0 : 1;
  const unsigned bytes = ptx::bytes_of(s.opcode.type);
  if (s.operands.size() != 2 || s.operands[values].count != s.opcode.vector || bytes == 0 ||
      bytes > 8)
    return false;
  s.op.variant = static_cast<uint16_t>(bytes);
  s.op.target = static_cast<uint32_t>(s.opcode.space);
  s.op.run = is_load ? read : write;
  return true;
}

}  // namespace pitot::emulator
