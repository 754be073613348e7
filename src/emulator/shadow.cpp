// Shadows of registers: what is kept, read and believed, and which operation goes where.
#include "emulator/shadow.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/block.h"
#include "emulator/tile.h"

namespace pitot::emulator {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

double unit_roundoff(Type t) {
  switch (t) {
    case Type::kF64:
      return 0x1p-53;
    case Type::kF32:
    case Type::kF32x2:
      return 0x1p-24;
    case Type::kF16:
    case Type::kF16x2:
    case Type::kTf32:
      return 0x1p-11;
    case Type::kBf16:
    case Type::kBf16x2:
      return 0x1p-8;
    default:
      return 0;
  }
}

namespace {

uint64_t part_of(uint64_t bits, unsigned offset, unsigned width) {
  bits >>= 8 * offset;
  return width >= 8 ? bits : bits & ((uint64_t{1} << (8 * width)) - 1);
}

// The square of the relative error of a half whose format is not known: that of bf16.
constexpr double kLost2 = 0x1p-16;

double number(uint64_t bits, unsigned width) {
  if (width == 8) return std::bit_cast<double>(bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

}  // namespace

Shadow::Shadow(const Program& program) : program_(program) {
  // What a call hands over is not followed.
  for (const Op& op : program.ops)
    if (op.flow == Flow::kCall && not_followed_.empty()) not_followed_ = "call";
}

Shadow::Registers& Shadow::registers(Warp& w) {
  Registers& r = frames_[w.frame];
  const uint64_t owner = w.block.linear() * 64 + w.index + 1;
  if (r.owner != owner || r.cells.size() != w.frame->code->register_count) {
    r.owner = owner;
    r.cells.clear();
    r.cells.resize(w.frame->code->register_count);
  }
  return r;
}

// The shadow of a register's lane, if it still has the bits that the shadow was made for.
const Shadow::Cell* Shadow::cell(Warp& w, const Slot& slot, unsigned lane) {
  if (slot.reg == UINT32_MAX || slot.bits < 16 || slot.bits > 64) return nullptr;
  const Cell* c = registers(w).cells[slot.reg].get();
  if (c == nullptr || c->width[lane] == 0 || c->bits[lane] != w.get(slot, lane)) return nullptr;
  return c;
}

ShadowValue Shadow::read(Warp& w, const Slot& slot, unsigned lane, unsigned offset, unsigned width,
                         Type type) {
  const double actual = [&] {
    const uint64_t bits = part_of(w.get(slot, lane), offset, width);
    return width == 2 ? decode_float(type, bits) : number(bits, width);
  }();
  ShadowValue v = exact_shadow(actual);
  if (const Cell* c = cell(w, slot, lane)) {
    const unsigned index = offset == 0 ? 0 : 1;
    if (c->width[lane] == width) {
      if ((c->has[lane] >> index & 1) != 0) v = c->part[index][lane];
      if (std::isnan(v.value)) v = shadow_rounded(exact_shadow(actual), unit_roundoff(type));
    } else {
      v.variance = relative2(w, slot, lane) * actual * actual;
    }
  }
  return slot.minus ? shadow_neg(v) : v;
}

// The square of the largest relative error in a register's lane; 0 when nothing is known of it.
double Shadow::relative2(Warp& w, const Slot& slot, unsigned lane) {
  const Cell* c = cell(w, slot, lane);
  if (c == nullptr) return 0;
  double out = 0;
  for (unsigned i = 0; i < 2; ++i) {
    if ((c->has[lane] >> i & 1) == 0) continue;
    const ShadowValue& v = c->part[i][lane];
    if (std::isnan(v.value)) return kLost2;
    if (v.value != 0) out = std::max(out, v.error2() / (v.value * v.value));
  }
  return std::min(out, 1.0);
}

void Shadow::write(const Slot& slot, unsigned lane, unsigned offset, unsigned width,
                   const ShadowValue& v) {
  if (slot.reg == UINT32_MAX || slot.sink) return;
  pending_.push_back({&slot, static_cast<uint8_t>(lane), static_cast<uint8_t>(offset),
                      static_cast<uint8_t>(width), false, v});
}

void Shadow::commit(Warp& w, const Pending& p) {
  const Slot& slot = *p.slot;
  if (slot.bits > 64 || slot.bits < 8u * (p.offset + p.width)) return;
  const uint64_t all = w.get(slot, p.lane), bits = part_of(all, p.offset, p.width);
  ShadowValue v = p.value;
  if (p.width >= 4) {
    const double actual = number(bits, p.width);
    if (!std::isfinite(actual)) return;
    if (p.relative) v = fresh_shadow(actual, v.variance * actual * actual);
  }
  const bool lost = p.width == 2 && std::isnan(v.value);
  if (!lost && (!std::isfinite(v.value) || !std::isfinite(v.error2()))) return;
  auto& owner = registers(w).cells[slot.reg];
  if (owner == nullptr) owner = std::make_unique<Cell>();
  Cell& c = *owner;
  if (c.stamp[p.lane] != stamp_) c.has[p.lane] = 0;
  c.stamp[p.lane] = stamp_;
  c.bits[p.lane] = all;
  c.width[p.lane] = p.width;
  const unsigned index = p.offset == 0 ? 0 : 1;
  c.has[p.lane] = static_cast<uint8_t>(c.has[p.lane] | 1u << index);
  c.part[index][p.lane] = v;
}

void Shadow::copy(Warp& w, const Slot& from, unsigned lane, const Slot& to, unsigned to_lane) {
  const Cell* c = cell(w, from, lane);
  if (c == nullptr) return;
  for (unsigned i = 0; i < 2; ++i)
    if ((c->has[lane] >> i & 1) != 0)
      write(to, to_lane, i * c->width[lane], c->width[lane], c->part[i][lane]);
}

// Integer operations on the bits of a float.
void Shadow::bits(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = program_.slots_of(op);
  const auto& cells = registers(w).cells;
  bool some = false;
  for (const Slot& s : slots)
    some |= s.read && s.reg != UINT32_MAX && s.bits >= 16 && cells[s.reg] != nullptr;
  if (!some) return;
  for_each_lane(mask, [&](unsigned lane) {
    double most = 0;
    for (const Slot& s : slots)
      if (s.read && s.bits >= 16) most = std::max(most, relative2(w, s, lane));
    if (most == 0) return;
    for (const Slot& s : slots) {
      if (!s.written || s.sink || s.reg == UINT32_MAX || s.bits < 16 || s.bits > 64) continue;
      if (s.bits == 16) {  // f16 or bf16: nobody says
        write(s, lane, 0, 2, exact_shadow(NAN));
        continue;
      }
      write(s, lane, 0, s.bits / 8, fresh_shadow(0, most));
      pending_.back().relative = true;
    }
  });
}

void Shadow::move(Warp& w, const Op& op, LaneMask mask) {
  const auto d = program_.operand(op, 0), a = program_.operand(op, 1);
  if (d.empty() || a.empty()) return;
  for_each_lane(mask, [&](unsigned lane) {
    if (d.size() == a.size()) {
      for (size_t i = 0; i < d.size(); ++i)
        if (d[i].bits == a[i].bits) copy(w, a[i], lane, d[i], lane);
    } else if (d.size() == 1 && a.size() == 2) {
      for (unsigned i = 0; i < 2; ++i) {
        const Cell* c = cell(w, a[i], lane);
        const unsigned width = d[0].bits / 16u;
        if (c != nullptr && c->width[lane] == width && (c->has[lane] & 1) != 0)
          write(d[0], lane, i * width, width, c->part[0][lane]);
      }
    } else if (d.size() == 2 && a.size() == 1) {
      const Cell* c = cell(w, a[0], lane);
      const unsigned width = a[0].bits / 16u;
      if (c == nullptr || c->width[lane] != width) return;
      for (unsigned i = 0; i < 2; ++i)
        if ((c->has[lane] >> i & 1) != 0) write(d[i], lane, 0, width, c->part[i][lane]);
    }
  });
}

void Shadow::select(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = program_.slots_of(op);
  if (slots.size() < 4) return;
  for_each_lane(mask, [&](unsigned lane) {
    copy(w, slots[w.get(slots[3], lane) != 0 ? 1 : 2], lane, slots[0], lane);
  });
}

// PTX ISA, "shfl.sync".
void Shadow::shuffle(Warp& w, const Op& op, const ptx::Opcode& o, LaneMask mask) {
  const auto slots = program_.slots_of(op);
  const auto source = static_cast<size_t>(op.imm);
  for_each_lane(mask, [&](unsigned lane) {
    const auto b = static_cast<unsigned>(w.get(slots[source + 1], lane)) & 31;
    const auto c = static_cast<unsigned>(w.get(slots[source + 2], lane));
    const unsigned segment = (c >> 8) & 31, clamp = c & 31;
    const int highest = static_cast<int>((lane & segment) | (clamp & ~segment));
    const int own = static_cast<int>(lane);
    const bool up = o.has_mod(Mod::kUp);
    int from = up                      ? own - static_cast<int>(b)
               : o.has_mod(Mod::kDown) ? own + static_cast<int>(b)
               : o.has_mod(Mod::kBfly) ? own ^ static_cast<int>(b)
                                       : static_cast<int>((lane & segment) | (b & ~segment));
    if (up ? from < highest : from > highest) from = own;
    if ((mask >> from & 1) == 0) return;
    copy(w, slots[source], static_cast<unsigned>(from), slots[0], lane);
  });
}

void Shadow::not_followed(const ptx::Opcode& o) {
  if (not_followed_.empty()) not_followed_ = std::string(o.text);
}

void Shadow::before(Warp& w, const Op& op, LaneMask mask) {
  pending_.clear();
  ++stamp_;
  const ptx::Opcode& o = *program_.instruction(op).opcode;
  switch (o.mnemonic) {
    case Mnemonic::kMov:
      return move(w, op, mask);
    case Mnemonic::kSelp:
      return select(w, op, mask);
    case Mnemonic::kShfl:
      return shuffle(w, op, o, mask);
    case Mnemonic::kCvt:
      if (!convert(w, op, o, mask)) not_followed(o);
      return;
    case Mnemonic::kLd:
    case Mnemonic::kLdu:
    case Mnemonic::kSt:
      if (o.has_mod(Mod::kAsync) || o.has_mod(Mod::kBulk)) {
        saw_all_stores_ = false;
        return;
      }
      address(w, op, program_.operands_of(op)[o.mnemonic == Mnemonic::kSt ? 0 : 1], mask,
              static_cast<ptx::Space>(op.target));
      if (o.mnemonic == Mnemonic::kSt) stored(w, op, o, mask);
      return;
    case Mnemonic::kLdmatrix:
      return address(w, op, program_.operands_of(op)[1], kAllLanes, o.space);
    case Mnemonic::kStmatrix:
      address(w, op, program_.operands_of(op)[0], kAllLanes, o.space);
      return stored_matrix(w, op, o);
    case Mnemonic::kAtom:
    case Mnemonic::kRed:
      return reduce(w, op, o, mask);
    case Mnemonic::kSetp:
    case Mnemonic::kTestp:
    case Mnemonic::kSet:
    case Mnemonic::kSlct:
      return;
    default:
      break;
  }
  if (o.has(ptx::kStore) && ptx::base_space(o.space) != ptx::Space::kShared)
    saw_all_stores_ = false;
  if (o.has(ptx::kMma) && !o.has(ptx::kLoad) && !o.has(ptx::kStore)) {
    if (!multiply_matrices(w, op, o)) not_followed(o);
    return;
  }
  if (ptx::kind_of(o.type) == ptx::TypeKind::kFloat) {
    if (!arithmetic(w, op, o, mask)) not_followed(o);
    return;
  }
  if (o.has(ptx::kLoad) || o.has(ptx::kStore)) return;
  bits(w, op, mask);
}

void Shadow::after(Warp& w, const Op& op, LaneMask mask) {
  if (w.stop) return;
  const ptx::Opcode& o = *program_.instruction(op).opcode;
  switch (o.mnemonic) {
    case Mnemonic::kLd:
    case Mnemonic::kLdu:
      loaded(w, op, o, mask);
      break;
    case Mnemonic::kLdmatrix:
      loaded_matrix(w, op, o);
      break;
    case Mnemonic::kAtom:
    case Mnemonic::kRed:
      reduced(w, op, o, mask);
      break;
    default:
      break;
  }
  for (const Pending& p : pending_) commit(w, p);
}

}  // namespace pitot::emulator
