#include "emulator/tcgen05_sources.h"

#include <fmt/format.h>

namespace pitot::emulator {
namespace {

// Positions of two elements of a chunk, and whether the code is one of those with a meaning.
bool pair_of(unsigned code, unsigned& first, unsigned& second) {
  first = code & 3;
  second = code >> 2;
  return first < second || code == 6;
}

void copy_element(const Tile& from, Tile& to, unsigned row, unsigned column, unsigned stored) {
  if (!from.f.empty()) to.at(row, column) = from.at(row, stored);
  if (!from.i.empty()) to.int_at(row, column) = from.int_at(row, stored);
}

// Bits of the scale factors that begin at byte `id` of a word.
double factor(uint32_t word, ptx::Type type, unsigned byte) {
  return decode_float(type, word >> (8 * byte) & 0xff);
}

std::string differs(const char* what, unsigned index) {
  return fmt::format("the scale factors of {} {} are not the same in all 32 lanes that need them",
                     what, index);
}

}  // namespace

CopiedWord read_copies(const TensorMemory& memory, unsigned lane, unsigned column, unsigned copies,
                       unsigned apart) {
  CopiedWord out;
  out.value = memory.get(lane, column);
  for (unsigned c = 0; c < copies; ++c) {
    out.defined &= memory.defined(lane + c * apart, column);
    out.equal &= memory.get(lane + c * apart, column) == out.value;
  }
  out.equal |= !out.defined;
  return out;
}

std::string expand_mma(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                       const MmaDescription& d, const Tile& stored, Tile& a,
                       std::vector<bool>& undefined, bool& covered) {
  covered = true;
  const bool wide = v.kind == MmaKind::kF16 || v.kind == MmaKind::kTf32;
  const bool pairs = v.kind == MmaKind::kMxf4 || v.kind == MmaKind::kMxf4nvf4;
  const unsigned per = v.kind == MmaKind::kTf32 ? 2 : pairs ? 8 : 4;
  a.reshape(d.rows, d.k, !stored.i.empty());
  for (unsigned row = 0; row < d.rows; ++row)
    for (unsigned c = 0; c < d.k / per; ++c) {
      const unsigned lane = wide ? row / 16 * 16 + c / 4 * 8 + row % 8 : row;
      const unsigned nibble = wide ? c % 4 + 4 * (row / 8 % 2) : c % 8;
      const CopiedWord word =
          read_copies(memory, lane, at + (wide ? 0 : c / 8), d.copies(), d.rows);
      if (!word.defined) {
        undefined[row] = true;
        continue;
      }
      if (!word.equal) {
        covered = false;
        return "sparsity metadata that is not the same for all parts of N is not covered";
      }
      const unsigned code = word.value >> (4 * nibble) & 15;
      unsigned first = 0, second = 0;
      if (per == 2 ? code != 4 && code != 14 : !pair_of(code, first, second))
        return fmt::format("sparsity metadata {:#x} of row {}, which means nothing", code, row);
      if (per == 2) {
        copy_element(stored, a, row, 2 * c + (code == 14 ? 1 : 0), c);
      } else if (per == 4) {
        copy_element(stored, a, row, 4 * c + first, 2 * c);
        copy_element(stored, a, row, 4 * c + second, 2 * c + 1);
      } else {
        for (unsigned e = 0; e < 2; ++e) {
          copy_element(stored, a, row, 8 * c + 2 * first + e, 4 * c + e);
          copy_element(stored, a, row, 8 * c + 2 * second + e, 4 * c + 2 + e);
        }
      }
    }
  return {};
}

std::string scale_mma_rows(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                           const MmaDescription& d, Tile& a, std::vector<bool>& undefined) {
  for (unsigned row = 0; row < d.rows; ++row) {
    const CopiedWord word = read_copies(memory, row % 32, at + row / 32, 4, 32);
    if (!word.equal) return differs("row", row);
    if (!word.defined) undefined[row] = true;
    for (unsigned k = 0; k < d.k; ++k)
      a.at(row, k) *= factor(word.value, d.scale, d.scale_a_id + k * v.scales / d.k);
  }
  return {};
}

std::string scale_mma_columns(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                              const MmaDescription& d, Tile& b, std::vector<bool>& undefined) {
  const bool two = d.layout == MmaLayout::kTwo;
  for (unsigned n = 0; n < d.n; ++n) {
    const unsigned own = d.column(n);
    const CopiedWord word = read_copies(memory, (two ? n / d.columns() * 64 : 0) + own % 32,
                                        at + own / 32, two ? 2 : 4, 32);
    if (!word.equal) return differs("column", n);
    if (!word.defined) undefined[n] = true;
    for (unsigned k = 0; k < d.k; ++k)
      b.at(k, n) *= factor(word.value, d.scale, d.scale_b_id + k * v.scales / d.k);
  }
  return {};
}

}  // namespace pitot::emulator
