// tcgen05.cp: matrices from shared into tensor memory (PTX ISA, "tcgen05.cp"). Rows of 128 or 256
// bits lie as a descriptor of a K-major matrix says, row r goes to lane r; with .multicast the
// rows go to several warps' lanes. cta_group::2 copies in both blocks of the pair, in each from its
// own shared memory.
//
// Not covered: .4x256b, of which the ISA's figure alone says to which lanes the rows go, and
// decompression.
#include "emulator/access.h"
#include "emulator/shared_matrix.h"
#include "emulator/tcgen05.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;

// Op::variant: rows, and
enum : uint16_t { kRows = 255, kWideRows = 256, kPairs = 512, kTwoBlocks = 1024 };

// The lanes that row r goes to: the first, how many, and how far apart.
struct RowLanes {
  unsigned first, count, apart;
};
RowLanes lanes_of(uint16_t variant, unsigned row) {
  const unsigned rows = variant & kRows;
  if (rows == 128) return {row, 1, 0};
  if (rows == 32) return {row, 4, 32};
  if ((variant & kPairs) != 0) return {row / 32 * 64 + row % 32, 2, 32};  // warpx2::01_23
  return {row, 2, 64};                                                    // warpx2::02_13
}

bool copy_in(Warp& w, const Op& op, unsigned lane, Block& block) {
  const unsigned rows = op.variant & kRows, chunks = (op.variant & kWideRows) != 0 ? 2 : 1;
  SharedMatrix m;
  std::string problem;
  const uint64_t descriptor = w.get(w.program().operand(op, 1)[0], lane);
  if (!parse_descriptor(w, descriptor, DescriptorKind::kTcgen05, m, problem)) {
    w.fault(FaultKind::kUncovered, op, LaneMask{1} << lane, descriptor, std::move(problem));
    return false;
  }
  if (m.wide_atoms) {
    w.fault(FaultKind::kUncovered, op, LaneMask{1} << lane, descriptor,
            "swizzling with atoms of 32 bytes of a K-major matrix is not covered");
    return false;
  }
  const TensorAddress at = tensor_address(w, op, 0, lane);
  if (at.row != 0) {
    w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, at.row,
            "a copy into tensor memory that does not begin at lane 0");
    return false;
  }
  if (!check_columns(w, op, LaneMask{1} << lane, block, at, 4 * chunks)) return false;
  TensorMemory& memory = block.tensor_memory();
  Access a;
  a.space = ptx::Space::kShared;
  a.bytes = 16;
  a.on_behalf = lane;
  // 32 chunks at a time, as if each lane read one.
  for (unsigned first = 0; first < rows * chunks; first += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l)
      a.address[l] =
          block.shared_base() + chunk_address(m, 1, (first + l) / chunks, (first + l) % chunks);
    if (!resolve(w, op, kAllLanes, a)) return false;
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t words[4];
      std::memcpy(words, a.at[l], 16);
      const uint32_t undefined = (a.undefined >> l & 1) != 0 ? a.undefined_bytes[l] : 0;
      const RowLanes to = lanes_of(op.variant, (first + l) / chunks);
      for (unsigned c = 0; c < to.count; ++c)
        for (unsigned e = 0; e < 4; ++e)
          memory.set(to.first + c * to.apart, at.column + (first + l) % chunks * 4 + e, words[e],
                     (undefined >> (4 * e) & 15) == 0);
    }
  }
  return true;
}

void copy(Warp& w, const Op& op, LaneMask mask) {
  for_each_lane(mask, [&](unsigned lane) {
    if (w.stop) return;
    for (Block* block : tcgen05_blocks(w, op, lane, (op.variant & kTwoBlocks) != 0))
      if (!copy_in(w, op, lane, *block)) return;
  });
}

}  // namespace

bool select_tcgen05_copy(Selection& s) {
  if (s.has(Mod::kB6x16P32) || s.has(Mod::kB4x16P64) || s.operands.size() != 2) return false;
  uint16_t v = 0;
  if (s.has(Mod::k128x256b)) {
    v = 128 | kWideRows;
  } else if (s.has(Mod::k128x128b)) {
    v = 128;
  } else if (s.has(Mod::k64x128b)) {
    v = 64;
    if (s.has(Mod::kWarpx2_01_23)) v |= kPairs;
  } else if (s.has(Mod::k32x128b)) {
    v = 32;
  } else {
    return false;
  }
  if (s.has(Mod::kCtaGroup_2)) v |= kTwoBlocks;
  s.op.variant = v;
  s.op.run = copy;
  return true;
}

}  // namespace pitot::emulator
