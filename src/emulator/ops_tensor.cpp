// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor in tile mode: boxes of a tensor between
// global and shared memory; tensormap.replace and .cp_fenceproxy (PTX ISA, "Tensor copy"). When the
// bytes move is said in ops_bulk.cpp, how a map is laid out in tensor_map.h.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/access.h"
#include "emulator/atomic_arithmetic.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/mbarrier.h"
#include "emulator/tensor_map.h"
#include "emulator/transfer.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;
using ptx::Type;

// A box of one lane's copy.
struct Box {
  TensorMap map;
  std::array<int32_t, 5> at{};  // coordinates of its first element
};

bool read_map(Warp& w, const Op& op, unsigned lane, size_t operand, Box& box) {
  const OperandPlace& place = w.program().operands_of(op)[operand];
  const auto slots = w.program().operand(op, operand);
  const uint64_t address = w.get(slots[0], lane) + static_cast<uint64_t>(place.offset);
  if (!aligned_run(w, op, lane, address, 64, "the tensor map's address")) return false;
  Bytes b;
  b.resize(kTensorMapBytes);
  if (!read_run(w, op, lane, Space::kNone, address, kTensorMapBytes, b, 0)) return false;
  const LaneMask one = LaneMask{1} << lane;
  box.map = TensorMap::decode(std::span<const std::byte, kTensorMapBytes>(b.data));
  bool covered = true;
  if (std::string why = box.map.problem(covered); !why.empty()) {
    w.fault(covered ? FaultKind::kIllegal : FaultKind::kUncovered, op, one, address,
            "a tensor map with " + why);
    return false;
  }
  if (slots.size() != box.map.rank + 1u) {
    w.fault(FaultKind::kIllegal, op, one, address,
            fmt::format("{} coordinates for a tensor of {} dimensions", slots.size() - 1,
                        box.map.rank));
    return false;
  }
  for (size_t d = 0; d + 1 < slots.size(); ++d)
    box.at[d] = static_cast<int32_t>(w.get(slots[d + 1], lane));
  return true;
}

// Calls f(address, bytes, offset in the box) for each run of the box that lies in the tensor.
template <class F>
bool for_each_run(const Box& box, F&& f) {
  const TensorMap& m = box.map;
  const uint64_t size = m.element_bytes(), row = m.taken(0) * size;
  std::array<uint32_t, 5> k{};
  for (uint64_t offset = 0;; offset += row) {
    uint64_t address = m.address;
    bool inside = true;
    for (unsigned d = 1; d < m.rank; ++d) {
      const int64_t x = int64_t{box.at[d]} + int64_t{k[d]} * m.step[d];
      inside &= x >= 0 && x < int64_t{m.size[d]};
      address += static_cast<uint64_t>(x) * m.stride[d - 1];
    }
    const int64_t x = box.at[0], limit = m.size[0];
    if (inside && m.step[0] == 1) {
      const int64_t first = std::max<int64_t>(0, -x);
      const int64_t last = std::min<int64_t>(m.box[0], limit - x);
      if (first < last && !f(address + static_cast<uint64_t>(x + first) * size,
                             static_cast<uint64_t>(last - first) * size,
                             offset + static_cast<uint64_t>(first) * size))
        return false;
    } else if (inside) {
      for (uint32_t i = 0; i < m.taken(0); ++i) {
        const int64_t e = x + int64_t{i} * m.step[0];
        if (e >= 0 && e < limit &&
            !f(address + static_cast<uint64_t>(e) * size, size, offset + i * size))
          return false;
      }
    }
    unsigned d = 1;
    while (d < m.rank && ++k[d] == m.taken(d)) k[d++] = 0;
    if (d >= m.rank) return true;
  }
}

// What elements outside of the tensor read as: zero, or a NaN with all bits of its payload set.
void fill_box(const TensorMap& m, Bytes& b) {
  b.resize(m.box_bytes());
  if (m.fill == 0) return;
  const size_t size = m.element_bytes();
  for (size_t i = 0; i < b.data.size(); ++i)
    b.data[i] = i % size == size - 1 ? std::byte{0x7f} : std::byte{0xff};
}

// Calls f(shared-space address, bytes, offset in the box) for the parts that swizzling moves.
template <class F>
bool for_each_shared(const TensorMap& m, uint64_t address, F&& f) {
  const uint64_t bytes = m.box_bytes();
  if (m.swizzle == 0) return f(address, bytes, uint64_t{0});
  for (uint64_t i = 0; i < bytes; i += 16)
    if (!f(m.swizzled(address + i), uint64_t{16}, i)) return false;
  return true;
}

bool put_shared(Warp& w, const Op& op, unsigned lane, const TensorMap& m, uint64_t to,
                uint64_t barrier, const Bytes& b) {
  const bool good = for_each_shared(m, to, [&](uint64_t address, uint64_t bytes, uint64_t from) {
    return write_run(w, op, lane, Space::kShared, address, bytes, b, from);
  });
  bool odd = false;
  if (!good || !complete_bytes(w, op, lane, barrier, b.data.size(), &odd)) return false;
  mark_until(w, op, to, b.data.size(), barrier, odd, true);
  return true;
}

// Op::variant: 1 with a mask of blocks.
void load(Warp& w, const Op& op, LaneMask mask) {
  const auto operands = w.program().operands_of(op);
  Access to, barrier;
  read_addresses(w, op, operands[0], mask, to);
  read_addresses(w, op, operands[2], mask, barrier);
  for_each_lane(mask, [&](unsigned l) {
    Box box;
    if (w.stop || !read_map(w, op, l, 1, box)) return;
    if (!aligned_run(w, op, l, to.address[l], 128, "the destination")) return;
    Bytes b;
    fill_box(box.map, b);
    if (!for_each_run(box, [&](uint64_t address, uint64_t bytes, uint64_t offset) {
          return read_run(w, op, l, Space::kGlobal, address, bytes, b, offset);
        }))
      return;
    if (op.variant == 0) {
      put_shared(w, op, l, box.map, to.address[l], barrier.address[l], b);
      return;
    }
    const uint64_t blocks = w.get(w.program().operand(op, 3)[0], l);
    for_each_block(w, op, l, blocks, [&](uint64_t base) {
      return put_shared(w, op, l, box.map, base + to.address[l] % kSharedStride,
                        base + barrier.address[l] % kSharedStride, b);
    });
  });
}

// The box from shared memory; then f for each run of it in the tensor.
template <class F>
void from_shared(Warp& w, const Op& op, LaneMask mask, F&& f) {
  Access from;
  read_addresses(w, op, w.program().operands_of(op)[1], mask, from);
  for_each_lane(mask, [&](unsigned l) {
    Box box;
    if (w.stop || !read_map(w, op, l, 0, box)) return;
    if (!aligned_run(w, op, l, from.address[l], 128, "the source")) return;
    Bytes b;
    b.resize(box.map.box_bytes());
    if (!for_each_shared(box.map, from.address[l],
                         [&](uint64_t address, uint64_t bytes, uint64_t to) {
                           return read_run(w, op, l, Space::kShared, address, bytes, b, to);
                         }))
      return;
    if (f(l, box, b))
      mark_group(w, op, l, CopyMarks::Kind::kBulk, from.address[l], b.data.size(), false);
  });
}

void store(Warp& w, const Op& op, LaneMask mask) {
  from_shared(w, op, mask, [&](unsigned l, const Box& box, const Bytes& b) {
    return for_each_run(box, [&](uint64_t address, uint64_t bytes, uint64_t from) {
      return write_run(w, op, l, Space::kGlobal, address, bytes, b, from);
    });
  });
}

// The type is the map's.
void reduce(Warp& w, const Op& op, LaneMask mask) {
  const ptx::Opcode& o = *w.program().instruction(op).opcode;
  from_shared(w, op, mask, [&](unsigned l, const Box& box, const Bytes& b) {
    bool good = true;
    const bool known = rmw::visit(o, tensor_element(box.map.element), [&]<class E>(E) {
      using W = typename E::Word;
      good = for_each_run(box, [&](uint64_t address, uint64_t bytes, uint64_t from) {
        tell_races(w, op, l, Space::kGlobal, address, bytes, AccessKind::kAtomic);
        return for_each_piece(w, op, l, Space::kGlobal, address, bytes, true, [&](const Piece& p) {
          for (uint64_t i = 0; i < p.bytes; i += sizeof(W)) {
            W v;
            std::memcpy(&v, b.data.data() + from + p.done + i, sizeof(W));
            rmw::run<E>(p.at + i, v, 0, true);
          }
        });
      });
    });
    if (!known)
      w.fault(FaultKind::kIllegal, op, LaneMask{1} << l, 0,
              "a reduction that the tensor's element type does not have");
    return known && good;
  });
}

void nothing(Warp&, const Op&, LaneMask) {}

// Op::imm: the field's offset; Op::variant: its bytes, and 0x100 times the distance of its elements
// where it has an ordinal. Op::target: the space.
void replace(Warp& w, const Op& op, LaneMask mask) {
  const unsigned bytes = op.variant & 0xff, step = op.variant >> 8;
  Access a;
  read_addresses(w, op, w.program().operands_of(op)[0], mask, a);
  const Slot& value = w.program().operand(op, step != 0 ? 2 : 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop || !aligned_run(w, op, l, a.address[l], 64, "the tensor map's address")) return;
    uint64_t at = static_cast<uint64_t>(op.imm);
    if (step != 0) at += step * w.get(w.program().operand(op, 1)[0], l);
    const uint64_t v = w.get(value, l);
    Bytes b;
    b.resize(bytes);
    std::memcpy(b.data.data(), &v, bytes);
    write_run(w, op, l, static_cast<Space>(op.target), a.address[l] + at, bytes, b, 0);
  });
}

bool select_replace(Selection& s) {
  struct Field {
    Mod name;
    uint8_t at, bytes, step;
  };
  constexpr Field kFields[] = {
      {Mod::kGlobalAddress, 0, 8, 0},    {Mod::kGlobalStride, 8, 8, 8},
      {Mod::kGlobalDim, 40, 4, 4},       {Mod::kBoxDim, 60, 4, 4},
      {Mod::kElementStride, 80, 2, 2},   {Mod::kRank, 90, 1, 0},
      {Mod::kElemtype, 91, 1, 0},        {Mod::kInterleaveLayout, 92, 1, 0},
      {Mod::kSwizzleMode, 93, 1, 0},     {Mod::kFillMode, 94, 1, 0},
      {Mod::kSwizzleAtomicity, 95, 1, 0}};
  for (const Field& f : kFields) {
    if (!s.has(f.name)) continue;
    s.op.imm = f.at;
    s.op.variant = static_cast<uint16_t>(f.bytes | f.step << 8);
    s.op.target = static_cast<uint32_t>(s.opcode.space);
    s.op.run = replace;
    return s.operands.size() == (f.step != 0 ? 3u : 2u);
  }
  return false;
}

// All lanes of the warp make one copy of a map from shared to global memory.
void copy_map(Warp& w, const Op& op, LaneMask mask) {
  Access to, from;
  read_addresses(w, op, w.program().operands_of(op)[0], mask, to);
  read_addresses(w, op, w.program().operands_of(op)[1], mask, from);
  const unsigned l = static_cast<unsigned>(std::countr_zero(mask));
  Bytes b;
  b.resize(kTensorMapBytes);
  if (w.stop || !aligned_run(w, op, l, to.address[l], 128, "the tensor map's address") ||
      !aligned_run(w, op, l, from.address[l], 128, "the tensor map's address") ||
      !read_run(w, op, l, Space::kShared, from.address[l], kTensorMapBytes, b, 0))
    return;
  write_run(w, op, l, Space::kGlobal, to.address[l], kTensorMapBytes, b, 0);
}

}  // namespace

bool select_tensor(Selection& s) {
  if (s.opcode.mnemonic == Mnemonic::kTensormap) {
    if (!s.has(Mod::kCpFenceproxy)) return select_replace(s);
    s.op.flow = Flow::kConvergent;
    s.op.variant = kWholeWarp;
    s.op.run = copy_map;
    return true;
  }
  if (s.opcode.mnemonic != Mnemonic::kCp || !s.has(Mod::kTensor)) return false;
  // What is not tile mode, and copies of a pair of blocks.
  for (std::string_view other : {"im2col", "tile::", "cta_group::2"})
    if (s.opcode.text.find(other) != std::string_view::npos) return false;
  if (s.has(Mod::kPrefetch)) {
    s.op.run = nothing;
    return true;
  }
  if (s.opcode.space == Space::kGlobal) {
    s.op.run = s.has(Mod::kReduce) ? reduce : store;
    return s.operands.size() >= 2;
  }
  s.op.variant = s.has(Mod::kMulticastCluster) ? 1 : 0;
  s.op.run = load;
  return s.operands.size() >= 3;
}

}  // namespace pitot::emulator
