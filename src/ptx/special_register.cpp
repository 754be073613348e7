// Table of special registers, and its look-up by a hash table that the compiler fills.
#include "ptx/special_register.h"

#include <array>
#include <iterator>

#include "ptx/module.h"
#include "ptx/name_hash.h"

namespace pitot::ptx {
namespace {

constexpr SpecialRegister kRegisterTable[] = {
#define PITOT_SPECIAL(id, name, type, width, ptx, sm, flags) \
  {name, static_cast<uint16_t>(SpecialId::k##id), Type::type, width, {ptx, sm}, flags},
#include "ptx/special_register.inc"
#undef PITOT_SPECIAL
};
static_assert(std::size(kRegisterTable) == static_cast<size_t>(SpecialId::kCount));

constexpr size_t kLongestName = [] {
  size_t longest = 0;
  for (const SpecialRegister& r : kRegisterTable)
    longest = r.name.size() > longest ? r.name.size() : longest;
  return longest;
}();

constexpr NameHash<256> kRegisters(kRegisterTable);

}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  // Most names that start with a percent sign are ordinary registers: leave before hashing those.
  if (name.size() < 4 || name.size() > kLongestName || name[0] != '%') return nullptr;
  return kRegisters.find(kRegisterTable, name);
}

std::string special_register_name(const Operand& special) {
  std::string out(kRegisterTable[special.id].name);
  if (special.selector >= Selector::kX && special.selector <= Selector::kW) {
    out += '.';
    out += "xyzw"[static_cast<int>(special.selector) - static_cast<int>(Selector::kX)];
  }
  return out;
}

std::span<const SpecialRegister> special_registers() { return kRegisterTable; }

}  // namespace pitot::ptx
