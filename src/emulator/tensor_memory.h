// Tensor memory of a block: 128 lanes of 512 columns of 32 bits, and which columns are allocated
// (PTX ISA, "Tensor Memory").
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

namespace pitot::emulator {

class TensorMemory {
 public:
  static constexpr unsigned kRows = 128, kColumns = 512;  // rows: the ISA's lanes
  static constexpr unsigned kGranule = 32;                // columns

  TensorMemory() : words_(size_t{kRows} * kColumns) {}

  uint32_t get(unsigned row, unsigned column) const { return words_[index(row, column)]; }
  bool defined(unsigned row, unsigned column) const { return defined_[index(row, column)]; }
  void set(unsigned row, unsigned column, uint32_t value, bool defined) {
    words_[index(row, column)] = value;
    defined_[index(row, column)] = defined;
  }

  // First of so many free columns, lowest first; nothing when there are none. A multiple of 32.
  std::optional<unsigned> allocate(unsigned columns);
  // False when that is not an allocation of this size.
  bool release(unsigned first, unsigned columns);
  bool allocated(unsigned column) const { return owner_[column / kGranule] != 0; }

  bool relinquished = false;  // the block may not allocate again

 private:
  static size_t index(unsigned row, unsigned column) { return size_t{row} * kColumns + column; }

  std::vector<uint32_t> words_;
  std::bitset<size_t{kRows} * kColumns> defined_;
  unsigned owner_[kColumns / kGranule] = {};  // first column of the allocation + 1; 0: free
};

}  // namespace pitot::emulator
