// tcgen05 without its products and copies: allocation of tensor memory, loads and stores of
// registers, and orderings (PTX ISA, "TensorCore 5th Generation Family Instructions").
//
// Every operation is done when it is issued. That is one of the orders that the ISA allows, so the
// waits and fences have nothing left to do. Allocations of cta_group::2 are made by both blocks of
// the pair, each in its own tensor memory: the same calls give the same columns.
#include <fmt/format.h>

#include <array>

#include "emulator/access.h"
#include "emulator/families.h"
#include "emulator/float_order.h"
#include "emulator/gang.h"
#include "emulator/register_tile.h"
#include "emulator/tcgen05.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Space;

// Op::imm of loads and stores: a shape and
enum Shape : int64_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };
constexpr int64_t kShapes = 7, kHalves = 8;  // .pack::16b, .unpack::16b
Shape shape_of(const Op& op) { return static_cast<Shape>(op.imm & kShapes); }

// Which cell, from the address, register `i` of a lane is (PTX ISA, "Matrix fragments for shape
// …"). With pairs of halves it is that one's column doubled, and the next.
TensorAddress cell_of(Shape shape, unsigned lane, unsigned i, unsigned split) {
  switch (shape) {
    case k32x32b:
      return {lane, i};
    case k16x64b:
      return {(lane >> 2) + 8 * (lane & 1), ((lane >> 1) & 1) + 2 * i};
    case k16x128b:
      return {(lane >> 2) + 8 * (i & 1), (lane & 3) + 4 * (i >> 1)};
    case k16x256b:
      return {(lane >> 2) + 8 * ((i >> 1) & 1), 2 * (lane & 3) + (i & 1) + 8 * (i >> 2)};
    default:
      return {lane & 15, (lane >> 4) * split + i};
  }
}

// The registers' cells: `each(row, column, slot, lane)`, of a pair of halves with the first column.
// False after a fault.
template <class F>
bool for_each_cell(Warp& w, const Op& op, size_t address, std::span<const Slot> registers,
                   unsigned split, F&& each) {
  const Shape shape = shape_of(op);
  const unsigned wide = (op.imm & kHalves) != 0 ? 2 : 1;
  auto cell = [&](unsigned lane, unsigned i) {
    TensorAddress c = cell_of(shape, lane, i, shape == k16x32bx2 ? 0 : split);
    c.column *= wide;
    if (shape == k16x32bx2) c.column += (lane >> 4) * split;
    return c;
  };
  const TensorAddress base = tensor_address(w, op, address, 0);
  LaneMask other = 0;
  for (unsigned l = 1; l < kLanes; ++l) {
    const TensorAddress a = tensor_address(w, op, address, l);
    if (a.row != base.row || a.column != base.column) other |= LaneMask{1} << l;
  }
  if (other != 0) {
    w.fault(FaultKind::kIllegal, op, other, 0, "lanes give different tensor-memory addresses");
    return false;
  }
  const unsigned own = w.index % 4 * 32, rows = shape == k32x32b ? 32 : 16;
  if (base.row != own && (rows == 32 || base.row != own + 16)) {
    w.fault(FaultKind::kIllegal, op, kAllLanes, base.row,
            fmt::format("lane {} of tensor memory, but the warp reaches lanes {} to {}", base.row,
                        own, own + 31));
    return false;
  }
  unsigned width = 0;
  const auto count = static_cast<unsigned>(registers.size());
  for (unsigned l = 0; l < kLanes; ++l) width = std::max(width, cell(l, count - 1).column + wide);
  if (!check_columns(w, op, kAllLanes, w.block, base, width)) return false;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      const TensorAddress c = cell(l, i);
      each(base.row + c.row, base.column + c.column, registers[i], l);
    }
  return true;
}

unsigned split_of(Warp& w, const Op& op, size_t operand) {
  if (shape_of(op) != k16x32bx2) return 0;
  return static_cast<unsigned>(w.get(w.program().operand(op, operand)[0], 0));
}

void load_registers(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  TensorMemory& memory = w.block.tensor_memory();
  const bool track = w.block.checks().uninitialised;
  for_each_cell(w, op, 1, w.program().operand(op, 0), split_of(w, op, 2),
                [&](unsigned row, unsigned column, const Slot& s, unsigned lane) {
                  uint32_t v = memory.get(row, column);
                  bool defined = memory.defined(row, column);
                  if ((op.imm & kHalves) != 0) {
                    v = (v & 0xffff) | memory.get(row, column + 1) << 16;
                    defined &= memory.defined(row, column + 1);
                  }
                  if (track && !defined) w.taint |= LaneMask{1} << lane;
                  if (!s.sink) w.set(s, lane, v);
                });
}

// tcgen05.ld.red: besides, the least or greatest of what a thread loads. Op::target:
enum : uint32_t { kMaximum = 1, kAbsolute = 2, kNanWins = 4, kSigned = 8, kReal = 16 };

uint32_t reduced(uint32_t a, uint32_t b, uint32_t how) {
  const bool maximum = (how & kMaximum) != 0;
  if ((how & kReal) != 0) {
    const int32_t nan = nan_key(maximum, (how & kNanWins) != 0);
    return maximum ? extreme32<true>(a, b, nan) : extreme32<false>(a, b, nan);
  }
  const bool less =
      (how & kSigned) != 0 ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  return less != maximum ? a : b;
}

void load_reduced(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  TensorMemory& memory = w.block.tensor_memory();
  const bool track = w.block.checks().uninitialised;
  std::array<uint32_t, kLanes> all{};
  LaneMask begun = 0;
  const bool loaded = for_each_cell(
      w, op, 2, w.program().operand(op, 0), split_of(w, op, 3),
      [&](unsigned row, unsigned column, const Slot& s, unsigned lane) {
        if (track && !memory.defined(row, column)) w.taint |= LaneMask{1} << lane;
        const uint32_t v = memory.get(row, column);
        if (!s.sink) w.set(s, lane, v);
        const uint32_t term = (op.target & kAbsolute) != 0 ? v & 0x7fffffff : v;
        // The first alone too: a NaN becomes the canonical one.
        all[lane] = reduced((begun >> lane & 1) != 0 ? all[lane] : term, term, op.target);
        begun |= LaneMask{1} << lane;
      });
  const Slot& d = w.program().operand(op, 1)[0];
  if (loaded && !d.sink)
    for (unsigned l = 0; l < kLanes; ++l) w.set(d, l, all[l]);
}

void store_registers(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  TensorMemory& memory = w.block.tensor_memory();
  const bool track = w.block.checks().uninitialised;
  const size_t values = shape_of(op) == k16x32bx2 ? 2 : 1;
  for_each_cell(w, op, 0, w.program().operand(op, values), split_of(w, op, 1),
                [&](unsigned row, unsigned column, const Slot& s, unsigned lane) {
                  const bool bad =
                      track && s.reg != UINT32_MAX && (w.frame->undefined[s.reg] >> lane & 1) != 0;
                  const auto v = static_cast<uint32_t>(w.get(s, lane));
                  if ((op.imm & kHalves) == 0) return memory.set(row, column, v, !bad);
                  memory.set(row, column, v & 0xffff, !bad);
                  memory.set(row, column + 1, v >> 16, !bad);
                });
}

bool column_count(Warp& w, const Op& op, unsigned n) {
  if (n >= 32 && n <= 512 && (n & (n - 1)) == 0) return true;
  w.fault(FaultKind::kIllegal, op, kAllLanes, n,
          fmt::format("{} columns of tensor memory: not a power of two from 32 to 512", n));
  return false;
}

void allocate(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto n = static_cast<unsigned>(w.get(w.program().operand(op, 1)[0], 0));
  TensorMemory& memory = w.block.tensor_memory();
  if (!column_count(w, op, n)) return;
  if (memory.relinquished) {
    w.fault(FaultKind::kIllegal, op, mask, 0, "the block gave up its right to allocate");
    return;
  }
  const auto first = memory.allocate(n);
  if (!first) {
    // The hardware waits until another warp gives columns back.
    w.fault(FaultKind::kUncovered, op, mask, n,
            fmt::format("no {} columns of tensor memory are free, and waiting for them is not "
                        "covered",
                        n));
    return;
  }
  Access a;
  a.space = static_cast<Space>(op.target);
  a.kind = AccessKind::kStore;
  if (!resolve_operand(w, op, 0, 1, a)) return;
  const uint32_t address = *first;
  std::memcpy(a.at[0], &address, 4);
}

void release(Warp& w, const Op& op, LaneMask mask) {
  if (!whole_warp(w, op, mask)) return;
  const auto at = static_cast<uint32_t>(w.get(w.program().operand(op, 0)[0], 0));
  const auto n = static_cast<unsigned>(w.get(w.program().operand(op, 1)[0], 0));
  if (!column_count(w, op, n) || w.block.tensor_memory().release(at, n)) return;
  w.fault(FaultKind::kIllegal, op, mask, at,
          fmt::format("{} columns at {:#x} are no allocation of tensor memory", n, at));
}

void relinquish(Warp& w, const Op& op, LaneMask mask) {
  if (whole_warp(w, op, mask)) w.block.tensor_memory().relinquished = true;
}

void together(Warp& w, const Op& op, LaneMask mask) { whole_warp(w, op, mask); }
void nothing(Warp&, const Op&, LaneMask) {}

}  // namespace

TensorAddress tensor_address(Warp& w, const Op& op, size_t operand, unsigned lane) {
  const OperandPlace& place = w.program().operands_of(op)[operand];
  const Slot& base = w.program().slots[op.first_slot + place.first];
  const auto a = static_cast<uint32_t>(w.get(base, lane)) + static_cast<uint32_t>(place.offset);
  return {a >> 16, a & 0xffff};
}

std::vector<Block*> tcgen05_blocks(Warp& w, const Op& op, unsigned lane, bool pair) {
  if (!pair) return {&w.block};
  Block* const peer = w.block.gang().peer(w.block, w.block.rank() ^ 1u);
  if (peer == nullptr) {
    w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, 0,
            "cta_group::2 in a cluster whose block has no second one beside it");
    return {};
  }
  if (w.block.rank() % 2 == 0) return {&w.block, peer};
  return {peer, &w.block};
}

bool check_columns(Warp& w, const Op& op, LaneMask lanes, Block& block, TensorAddress at,
                   unsigned columns) {
  std::string problem;
  if (at.row >= TensorMemory::kRows || at.column + columns > TensorMemory::kColumns) {
    problem = fmt::format(
        "columns {} to {} at lane {} of tensor memory, which has 512 columns and "
        "128 lanes",
        at.column, at.column + columns - 1, at.row);
  } else {
    for (unsigned c = at.column; c < at.column + columns && problem.empty(); ++c)
      if (!block.tensor_memory().allocated(c))
        problem = fmt::format("column {} of tensor memory is not allocated", c);
  }
  if (problem.empty()) return true;
  w.fault(FaultKind::kOutOfBounds, op, lanes, at.row << 16 | at.column, std::move(problem));
  return false;
}

bool select_tcgen05(Selection& s) {
  if (s.opcode.mnemonic != ptx::Mnemonic::kTcgen05) return false;
  if (s.has(Mod::kFenceBeforeThreadSync) || s.has(Mod::kFenceAfterThreadSync)) {
    s.op.run = nothing;
    return true;
  }
  if (s.has(Mod::kMma)) return select_tcgen05_mma(s);
  if (s.has(Mod::kCommit)) return select_tcgen05_commit(s);
  if (s.has(Mod::kCp)) return select_tcgen05_copy(s);
  const bool load_op = s.has(Mod::kLd), store_op = s.has(Mod::kSt);
  if (load_op || store_op) {
    s.op.imm = s.has(Mod::k32x32b)    ? k32x32b
               : s.has(Mod::k16x64b)  ? k16x64b
               : s.has(Mod::k16x128b) ? k16x128b
               : s.has(Mod::k16x256b) ? k16x256b
                                      : k16x32bx2;
    if (s.has(Mod::kPack_16b) || s.has(Mod::kUnpack_16b)) s.op.imm |= kHalves;
    s.op.run = load_op ? load_registers : store_registers;
    if (s.has(Mod::kRed)) {
      s.op.target = (s.has(Mod::kMax) ? kMaximum : 0u) | (s.has(Mod::kAbs) ? kAbsolute : 0u) |
                    (s.has(Mod::kNaN) ? kNanWins : 0u) |
                    (s.opcode.type == ptx::Type::kS32 ? kSigned : 0u) |
                    (s.opcode.type == ptx::Type::kF32 ? kReal : 0u);
      s.op.run = load_reduced;
    }
  } else if (s.has(Mod::kAlloc)) {
    s.op.target = static_cast<uint32_t>(s.opcode.space);
    s.op.run = allocate;
  } else if (s.has(Mod::kDealloc)) {
    s.op.run = release;
  } else if (s.has(Mod::kRelinquishAllocPermit)) {
    s.op.run = relinquish;
  } else if (s.has(Mod::kWaitLd) || s.has(Mod::kWaitSt)) {
    s.op.run = together;
  } else {
    return false;
  }
  s.op.flow = Flow::kConvergent;
  s.op.variant = kWholeWarp;
  return true;
}

}  // namespace pitot::emulator
