#include "emulator/mma_operands.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::emulator {
namespace {

double scale_of(uint32_t word, ptx::Type type, unsigned byte) {
  return decode_float(type, word >> (8 * (byte & 3)) & 0xff);
}

}  // namespace

bool expand_sparse(Warp& w, const Op& op, const SparseForm& form, std::span<const Slot> metadata,
                   unsigned selector, const Tile& packed, Tile& a, SparseColumns& columns) {
  columns.assign(size_t{packed.rows} * packed.columns, 0);
  const unsigned per_chunk = form.kind == Sparsity::kOneOfTwo    ? 2
                             : form.kind == Sparsity::kTwoOfFour ? 4
                                                                 : 8;
  const unsigned chunks = a.columns / per_chunk;
  const unsigned threads = form.narrow ? chunks / 4 : std::max(chunks / 4, 1u);  // of a quad
  if (selector >= 4 / threads) {
    w.fault(FaultKind::kIllegal, op, kAllLanes, selector,
            fmt::format("sparsity selector {}, but {} threads of four hold metadata", selector,
                        threads));
    return false;
  }
  const uint32_t* words = w.u32(metadata[0].at);
  auto copy = [&](unsigned row, unsigned to, unsigned from) {
    columns[size_t{row} * packed.columns + from] = static_cast<uint16_t>(to);
    // Two elements that name one column add up.
    if (!packed.f.empty()) a.at(row, to) += packed.at(row, from);
    if (!packed.i.empty()) a.int_at(row, to) += packed.int_at(row, from);
  };
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned c = 0; c < chunks; ++c) {
      unsigned lane = 4 * (row % 8), nibble = 0;
      if (form.narrow) {
        lane += selector * 2 + row / 8 + 2 * (c / 8);
        nibble = c % 8;
      } else {
        lane += selector * (chunks / 4) + c / 4;
        nibble = c % 4 + 4 * (row / 8);
      }
      const unsigned code = words[lane] >> (4 * nibble) & 15;
      const unsigned first = code & 3, second = code >> 2, at = c * per_chunk;
      if (form.kind == Sparsity::kOneOfTwo) {
        if (code != 4 && code != 14) {
          w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, code,
                  fmt::format("metadata {:#x} of row {}: tf32 has only 0x4 and 0xe", code, row));
          return false;
        }
        copy(row, at + (code == 14 ? 1 : 0), c);
        continue;
      }
      if (form.ordered && first >= second) {
        w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, code,
                fmt::format("metadata of row {} has the positions {} and {}, which do not ascend",
                            row, first, second));
        return false;
      }
      if (form.kind == Sparsity::kTwoOfFour) {
        copy(row, at + first, 2 * c);
        copy(row, at + second, 2 * c + 1);
      } else {
        for (unsigned e = 0; e < 2; ++e) {
          copy(row, at + 2 * first + e, 4 * c + e);
          copy(row, at + 2 * second + e, 4 * c + 2 + e);
        }
      }
    }
  return true;
}

void scale_rows(Warp& w, std::span<const Slot> data, ptx::Type type, unsigned byte, unsigned thread,
                unsigned blocks, Tile& a) {
  const uint32_t* words = w.u32(data[0].at);
  for (unsigned r = 0; r < a.rows; ++r) {
    const uint32_t word = words[(4 * (r % 8) + 2 * thread + r / 8) % kLanes];
    for (unsigned k = 0; k < a.columns; ++k)
      a.at(r, k) *= scale_of(word, type, byte + k * blocks / a.columns);
  }
}

void scale_columns(Warp& w, std::span<const Slot> data, ptx::Type type, unsigned byte,
                   unsigned thread, unsigned blocks, Tile& b) {
  const uint32_t* words = w.u32(data[0].at);
  for (unsigned n = 0; n < b.columns; ++n) {
    const uint32_t word = words[(4 * n + thread) % kLanes];
    for (unsigned k = 0; k < b.rows; ++k)
      b.at(k, n) *= scale_of(word, type, byte + k * blocks / b.rows);
  }
}

}  // namespace pitot::emulator
