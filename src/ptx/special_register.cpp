// Table of special registers, and its look-up by a hash table that the compiler fills.
#include "ptx/special_register.h"

#include <array>
#include <iterator>

#include "ptx/isa_hash.h"

namespace pitot::ptx {
namespace {

constexpr SpecialRegister kTable[] = {
#define PITOT_SPECIAL(id, name, type, width, ptx, sm, flags) \
  {name, static_cast<uint16_t>(SpecialId::k##id), Type::type, width, {ptx, sm}, flags},
#include "ptx/special_register.inc"
#undef PITOT_SPECIAL
};
constexpr size_t kCells = 256;
static_assert(std::size(kTable) == static_cast<size_t>(SpecialId::kCount));
static_assert(std::size(kTable) * 2 <= kCells, "the hash table needs more cells");

constexpr size_t kLongestName = [] {
  size_t longest = 0;
  for (const SpecialRegister& r : kTable)
    longest = r.name.size() > longest ? r.name.size() : longest;
  return longest;
}();

// Cell → index + 1; 0: free. Open addressing with linear probing.
constexpr std::array<uint8_t, kCells> kHash = [] {
  std::array<uint8_t, kCells> cells{};
  for (size_t i = 0; i < std::size(kTable); ++i) {
    size_t at = isa_hash(kTable[i].name) & (kCells - 1);
    while (cells[at] != 0) at = (at + 1) & (kCells - 1);
    cells[at] = static_cast<uint8_t>(i + 1);
  }
  return cells;
}();

}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  // Most names that start with a percent sign are ordinary registers: leave before hashing those.
  if (name.size() < 4 || name.size() > kLongestName || name[0] != '%') return nullptr;
  for (size_t at = isa_hash(name) & (kCells - 1); kHash[at] != 0; at = (at + 1) & (kCells - 1))
    if (kTable[kHash[at] - 1].name == name) return &kTable[kHash[at] - 1];
  return nullptr;
}

std::span<const SpecialRegister> special_registers() { return kTable; }

}  // namespace pitot::ptx
