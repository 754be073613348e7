// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of a tensor, four of its rows, or
// columns of pixels (im2col) between global and shared memory; tensormap.replace and
// .cp_fenceproxy (PTX ISA, "Tensor copy", "Tensors"). When the bytes move is said in ops_bulk.cpp,
// how a map is laid out in tensor_map.h. im2col::w, whose halos the ISA's figures alone place, is
// not covered.
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

// Op::imm.
enum TensorMode : int64_t { kTile, kRows, kIm2col };

// What one lane copies.
struct Box {
  TensorMap map;
  TensorMode mode = kTile;
  std::array<int32_t, 5> at{};      // coordinates of its first element; of rows: column, rows
  std::array<int32_t, 3> offset{};  // im2col offsets, W first

  uint64_t bytes() const {
    return mode == kRows ? 4 * uint64_t{map.taken(0)} * map.element_bytes() : map.box_bytes();
  }
};

// Why the map and the operands do not go together; empty when they do.
std::string mismatch(const Box& box, size_t coordinates) {
  const TensorMap& m = box.map;
  if (m.im2col != (box.mode == kIm2col))
    return fmt::format("a tensor map in {} mode for a copy in {} mode",
                       m.im2col ? "im2col" : "tile", m.im2col ? "tile" : "im2col");
  // No document says so; a GPU ends the kernel with an illegal instruction. Rows of the tensor
  // begin at multiples of 16, so the innermost coordinate decides.
  if (const int64_t first = int64_t{box.at[0]} * m.element_bytes(); !m.packed() && first % 16 != 0)
    return fmt::format(
        "a copy that begins at element {} of dimension 0, {} bytes from the row's start: not a "
        "multiple of 16",
        box.at[0], first);
  if (box.mode == kRows) {
    if (m.rank == 2 && m.box[1] == 1 && m.step[0] == 1) return {};
    return "four rows of a tensor that has not 2 dimensions and a box of one row";
  }
  if (coordinates != m.rank)
    return fmt::format("{} coordinates for a tensor of {} dimensions", coordinates, m.rank);
  if (box.mode != kIm2col) return {};
  for (unsigned d = 1; d + 1 < m.rank; ++d)
    if (box.at[d] < m.lower[d - 1] || box.at[d] > m.last_place(d))
      return fmt::format("a filter at {} of dimension {}, outside of the places from {} to {}",
                         box.at[d], d, m.lower[d - 1], m.last_place(d));
  return {};
}

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
  box.mode = static_cast<TensorMode>(op.imm);
  bool covered = true;
  if (std::string why = box.map.problem(covered); !why.empty()) {
    w.fault(covered ? FaultKind::kIllegal : FaultKind::kUncovered, op, one, address,
            "a tensor map with " + why);
    return false;
  }
  for (size_t d = 0; d + 1 < slots.size() && d < box.at.size(); ++d)
    box.at[d] = static_cast<int32_t>(w.get(slots[d + 1], lane));
  if (box.map.packed()) {
    if (box.at[0] % 16 != 0) {
      w.fault(FaultKind::kUncovered, op, one, address,
              "packed elements that are not taken sixteen at a time");
      return false;
    }
    box.at[0] /= 16;
  }
  if (std::string why = mismatch(box, slots.size() - 1); !why.empty()) {
    w.fault(FaultKind::kIllegal, op, one, address, std::move(why));
    return false;
  }
  return true;
}

// One row along dimension 0 of a tile, from x on, at an address that the other dimensions give.
template <class F>
bool row_runs(const TensorMap& m, int64_t x, uint64_t address, uint64_t offset, F&& f) {
  const uint64_t size = m.element_bytes(), global = m.global_bytes();
  const int64_t limit = m.units(m.size[0]), count = m.units(m.im2col ? m.channels : m.box[0]);
  if (global != size) {  // packed, with padding
    for (int64_t i = std::max<int64_t>(0, -x); i < std::min<int64_t>(count, limit - x); ++i)
      if (!f(address + static_cast<uint64_t>(x + i) * global, global,
             offset + static_cast<uint64_t>(i) * size))
        return false;
    return true;
  }
  const int64_t first = std::max<int64_t>(0, -x), last = std::min<int64_t>(count, limit - x);
  return first >= last || f(address + static_cast<uint64_t>(x + first) * size,
                            static_cast<uint64_t>(last - first) * size,
                            offset + static_cast<uint64_t>(first) * size);
}

// Calls f(address, bytes, offset in the box) for each run of the box that lies in the tensor.
template <class F>
bool tile_runs(const Box& box, F&& f) {
  const TensorMap& m = box.map;
  const uint64_t row = m.taken(0) * uint64_t{m.element_bytes()};
  std::array<uint32_t, 5> k{};
  for (uint64_t offset = 0;; offset += row) {
    uint64_t address = m.address;
    bool inside = true;
    for (unsigned d = 1; d < m.rank; ++d) {
      const int64_t x = int64_t{box.at[d]} + int64_t{k[d]} * m.step[d];
      inside &= x >= 0 && x < int64_t{m.size[d]};
      address += static_cast<uint64_t>(x) * m.stride[d - 1];
    }
    if (inside && !row_runs(m, box.at[0], address, offset, f)) return false;
    unsigned d = 1;
    while (d < m.rank && ++k[d] == m.taken(d)) k[d++] = 0;
    if (d >= m.rank) return true;
  }
}

// The same of four rows of a matrix.
template <class F>
bool four_rows(const Box& box, F&& f) {
  const TensorMap& m = box.map;
  const uint64_t row = m.taken(0) * uint64_t{m.element_bytes()};
  for (unsigned r = 0; r < 4; ++r) {
    const int64_t y = box.at[r + 1];
    if (y >= 0 && y < int64_t{m.size[1]} &&
        !row_runs(m, box.at[0], m.address + static_cast<uint64_t>(y) * m.stride[0], r * row, f))
      return false;
  }
  return true;
}

// The same of a column of pixels: a filter walks over its places, W first, then H, D and the next
// image; of each place the pixel at the offset is taken.
template <class F>
bool pixel_runs(const Box& box, F&& f) {
  const TensorMap& m = box.map;
  const unsigned images = m.rank - 1u;
  std::array<int64_t, 5> place{};
  for (unsigned d = 1; d < m.rank; ++d) place[d] = box.at[d];
  const uint64_t row = m.units(m.channels) * uint64_t{m.element_bytes()};
  for (unsigned p = 0; p < m.pixels; ++p) {
    uint64_t address = m.address;
    bool inside = true;
    for (unsigned d = 1; d < m.rank; ++d) {
      const int64_t x = place[d] + (d < images ? box.offset[d - 1] : 0);
      inside &= x >= 0 && x < int64_t{m.size[d]};
      address += static_cast<uint64_t>(x) * m.stride[d - 1];
    }
    if (inside && !row_runs(m, box.at[0], address, p * row, f)) return false;
    unsigned d = 1;
    for (; d < images; ++d) {
      place[d] += m.step[d];
      if (place[d] <= m.last_place(d)) break;
      place[d] = m.lower[d - 1];
    }
    if (d == images) ++place[images];
  }
  return true;
}

template <class F>
bool for_each_run(const Box& box, F&& f) {
  if (box.mode == kIm2col) return pixel_runs(box, f);
  return box.mode == kRows ? four_rows(box, f) : tile_runs(box, f);
}

// What elements outside of the tensor read as: zero, or the 16 bits 0x7ff7 again and again, a NaN
// of every type; as an H200 has it (docs/results/conformance-h200.md).
void fill_box(const Box& box, Bytes& b) {
  const TensorMap& m = box.map;
  b.resize(box.bytes());
  const size_t size = m.element_bytes();
  for (size_t i = 0; m.global_bytes() != size && i < b.data.size(); ++i)
    if (i % size >= m.global_bytes()) b.defined[i] = 0;  // padding
  if (m.fill == 0) return;
  for (size_t i = 0; i < b.data.size(); ++i)
    b.data[i] = i % 2 == 0 ? std::byte{0xf7} : std::byte{0x7f};
}

// Calls f(shared-space address, bytes, offset in the box) for the parts that swizzling moves.
template <class F>
bool for_each_shared(const TensorMap& m, uint64_t address, uint64_t bytes, F&& f) {
  if (m.swizzle == 0) return f(address, bytes, uint64_t{0});
  for (uint64_t i = 0; i < bytes; i += 16)
    if (!f(m.swizzled(address + i), uint64_t{16}, i)) return false;
  return true;
}

bool put_shared(Warp& w, const Op& op, unsigned lane, const TensorMap& m, uint64_t to,
                uint64_t barrier, const Bytes& b) {
  const bool good =
      for_each_shared(m, to, b.data.size(), [&](uint64_t address, uint64_t bytes, uint64_t from) {
        return write_run(w, op, lane, Space::kShared, address, bytes, b, from);
      });
  bool odd = false;
  // Padding of packed elements does not count.
  const uint64_t moved = b.data.size() / m.element_bytes() * m.global_bytes();
  if (!good || !complete_bytes(w, op, lane, barrier, moved, &odd)) return false;
  mark_until(w, op, to, b.data.size(), barrier, odd, true);
  return true;
}

// Op::variant.
enum : uint16_t { kMulticast = 1, kPairOfBlocks = 2 };

void read_offsets(Warp& w, const Op& op, unsigned lane, size_t operand, Box& box) {
  const auto slots = w.program().operand(op, operand);
  for (size_t d = 0; d < slots.size() && d < box.offset.size(); ++d)
    box.offset[d] = static_cast<int32_t>(w.get(slots[d], lane) & 0xffff);
}

void load(Warp& w, const Op& op, LaneMask mask) {
  const auto operands = w.program().operands_of(op);
  Access to, barrier;
  read_addresses(w, op, operands[0], mask, to);
  read_addresses(w, op, operands[2], mask, barrier);
  for_each_lane(mask, [&](unsigned l) {
    Box box;
    if (w.stop || !read_map(w, op, l, 1, box)) return;
    if (!aligned_run(w, op, l, to.address[l], 128, "the destination")) return;
    size_t blocks_operand = 3;
    if (box.mode == kIm2col) read_offsets(w, op, l, blocks_operand++, box);
    Bytes b;
    fill_box(box, b);
    if (!for_each_run(box, [&](uint64_t address, uint64_t bytes, uint64_t offset) {
          return read_run(w, op, l, Space::kGlobal, address, bytes, b, offset);
        }))
      return;
    if ((op.variant & kMulticast) == 0) {
      put_shared(w, op, l, box.map, to.address[l], barrier.address[l], b);
      return;
    }
    const uint64_t blocks = w.get(w.program().operand(op, blocks_operand)[0], l);
    // With cta_group::2 the block of each pair is told that the mbarrier's own block is of its.
    const uint64_t told = barrier.address[l] & kSharedStride;
    for_each_block(w, op, l, blocks, [&](uint64_t base) {
      const uint64_t tell =
          (op.variant & kPairOfBlocks) != 0 ? (base & ~kSharedStride) | told : base;
      return put_shared(w, op, l, box.map, base + to.address[l] % kSharedStride,
                        tell + barrier.address[l] % kSharedStride, b);
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
    b.resize(box.bytes());
    if (!for_each_shared(box.map, from.address[l], b.data.size(),
                         [&](uint64_t address, uint64_t bytes, uint64_t to) {
                           return read_run(w, op, l, Space::kShared, address, bytes, b, to);
                         }))
      return;
    if (f(l, box, b))
      mark_group(w, op, l, CopyMarks::Kind::kBulk, from.address[l], b.data.size(), false);
  });
}

// b6p2x16: of each 16 bytes the low six bits, side by side in the first twelve.
Bytes pack_six_bits(const Bytes& b) {
  Bytes out;
  out.resize(b.data.size());
  for (size_t first = 0; first + 16 <= b.data.size(); first += 16)
    for (size_t bit = 0; bit < 96; ++bit) {
      const size_t from = first + bit / 6, to = first + bit / 8;
      const auto v = static_cast<unsigned>(b.data[from]) >> (bit % 6) & 1;
      out.data[to] |= static_cast<std::byte>(v << (bit % 8));
      if (b.defined[from] == 0) out.defined[to] = 0;
    }
  return out;
}

void store(Warp& w, const Op& op, LaneMask mask) {
  from_shared(w, op, mask, [&](unsigned l, const Box& box, const Bytes& b) {
    if (box.map.packed() && box.map.element == 14) {
      w.fault(FaultKind::kIllegal, op, LaneMask{1} << l, 0,
              "a store of b4x16_p64, which is a type of loads");
      return false;
    }
    const Bytes moved = box.map.packed() && box.map.element == 15 ? pack_six_bits(b) : b;
    return for_each_run(box, [&](uint64_t address, uint64_t bytes, uint64_t from) {
      return write_run(w, op, l, Space::kGlobal, address, bytes, moved, from);
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
  if (s.opcode.text.find("im2col::w") != std::string_view::npos) return false;
  s.op.imm = s.has(Mod::kTileGather4) || s.has(Mod::kTileScatter4)    ? kRows
             : s.opcode.text.find("im2col") != std::string_view::npos ? kIm2col
                                                                      : kTile;
  if (s.has(Mod::kPrefetch)) {
    s.op.run = nothing;
    return true;
  }
  if (s.opcode.space == Space::kGlobal) {
    s.op.run = s.has(Mod::kReduce) ? reduce : store;
    return s.operands.size() >= 2;
  }
  s.op.variant = static_cast<uint16_t>((s.has(Mod::kMulticastCluster) ? kMulticast : 0) |
                                       (s.has(Mod::kCtaGroup_2) ? kPairOfBlocks : 0));
  s.op.run = load;
  return s.operands.size() >= (s.op.imm == kIm2col ? 4u : 3u);
}

}  // namespace pitot::emulator
