// One instruction of one thread, as the reference interpreter's arithmetic sees it: the types as
// written, the values of the sources, and the results. Written from the PTX ISA's text, apart from
// the emulator's operations.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace pitot::reference {

__extension__ typedef unsigned __int128 Value;
__extension__ typedef __int128 Signed;

// An instruction or operand that the reference does not have, or a fault of the program. Thrown
// within the reference only.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Work {
  const ptx::Opcode& op;
  std::vector<ptx::Type> types{};             // type modifiers in the order written
  std::vector<Value> in{};                    // sources, zero-extended from their registers
  std::vector<std::string_view> selectors{};  // "b0", "h10", … of destination, then of each source
  std::vector<bool> minus{};                  // of each source
  bool has_second = false;                    // d|p
  bool carry = false;                         // CC.CF, read and written
  Value d = 0;                                // result
  ptx::Type result = ptx::Type::kNone;        // its type: how it is extended to a wider register
  bool p = false;                             // second result

  bool has(ptx::Mod m) const { return op.has_mod(m); }
  ptx::Type type(size_t n = 0) const {
    if (n >= types.size()) throw Problem("no type in " + std::string(op.text));
    return types[n];
  }
};

inline Value ones(unsigned bits) { return bits >= 128 ? ~Value{0} : (Value{1} << bits) - 1; }
inline Value low(Value v, unsigned bits) { return v & ones(bits); }
inline Signed sign_extended(Value v, unsigned bits) {
  v = low(v, bits);
  return bits < 128 && (v >> (bits - 1) & 1) != 0 ? static_cast<Signed>(v) - (Signed{1} << bits)
                                                  : static_cast<Signed>(v);
}
inline bool is_signed(ptx::Type t) { return ptx::kind_of(t) == ptx::TypeKind::kSigned; }
// The number that bits of this type stand for (bit types: unsigned).
inline Signed number(ptx::Type t, Value v) {
  return is_signed(t) ? sign_extended(v, ptx::bits_of(t))
                      : static_cast<Signed>(low(v, ptx::bits_of(t)));
}
inline Signed clamp(Signed v, Signed least, Signed most) {
  return v < least ? least : v > most ? most : v;
}
inline Signed least_of(ptx::Type t) {
  return is_signed(t) ? -(Signed{1} << (ptx::bits_of(t) - 1)) : Signed{0};
}
inline Signed most_of(ptx::Type t) {
  return (Signed{1} << (ptx::bits_of(t) - (is_signed(t) ? 1 : 0))) - 1;
}

// Each returns false when the instruction is not of its family.
bool integer_arithmetic(Work& w);
bool bit_operation(Work& w);
bool comparison(Work& w);
bool floating_point(Work& w);
bool conversion(Work& w);
bool video(Work& w);

}  // namespace pitot::reference
