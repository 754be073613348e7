// Look-up of a name in a constant table by a hash table that the compiler fills.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "ptx/isa_hash.h"

namespace pitot::ptx {

// Open addressing with linear probing over `Cells` cells, a power of two at least twice the table's
// size. A cell holds index + 1; 0: free.
template <size_t Cells>
class NameHash {
 public:
  template <typename Row, size_t N>
  explicit constexpr NameHash(const Row (&table)[N]) {
    static_assert(N * 2 <= Cells && N < 255 && (Cells & (Cells - 1)) == 0,
                  "the hash table needs more cells");
    for (size_t i = 0; i < N; ++i) {
      size_t at = isa_hash(table[i].name) & (Cells - 1);
      while (cells_[at] != 0) at = (at + 1) & (Cells - 1);
      cells_[at] = static_cast<uint8_t>(i + 1);
    }
  }

  // The row of that name; null when there is none.
  template <typename Row>
  constexpr const Row* find(const Row* table, std::string_view name) const {
    for (size_t at = isa_hash(name) & (Cells - 1); cells_[at] != 0; at = (at + 1) & (Cells - 1))
      if (table[cells_[at] - 1].name == name) return &table[cells_[at] - 1];
    return nullptr;
  }

 private:
  std::array<uint8_t, Cells> cells_{};
};

}  // namespace pitot::ptx
