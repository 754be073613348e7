// One operand against one row of the instruction table: does it fit, and if not, why.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace pitot::ptx {

// Why an operand does not fit. kNone: it does.
enum class Fault : uint8_t {
  kNone,
  kUnresolved,       // a name that the parser reported already
  kMissing,          // fewer operands than the instruction takes
  kExtra,            // more
  kRegisterClass,    // a register of another size or kind
  kConstantType,     // a constant of another kind
  kNeedsRegister,    // a constant or name where only a register may stand
  kResultRegister,   // the same, for a destination
  kNeedsConstant,    // a register where a constant must stand
  kValueRange,       // a constant outside the permitted values
  kSpecialRegister,  // special registers can be read by mov and cvt only
  kReadOnly,         // a special register as destination
  kSymbol,           // the address of a variable cannot stand here
  kSymbolSpace,      // the variable is in another state space than the access
  kSymbolWidth,      // a 32-bit register for an address that takes 64
  kLabel,            // a label where a value is expected
  kNeedsLabel,
  kNeedsTable,        // a .branchtargets label is expected
  kNeedsAddress,      // […] is expected
  kNotAddress,        // […] where a value is expected
  kAddressBase,       // the register of an address is no integer
  kAddressWidth,      // a 32-bit register addresses a 64-bit space
  kAddressImmediate,  // absolute addresses exist in .local only
  kAddressParts,      // coordinates in a plain address
  kVectorExpected,
  kVectorUnexpected,
  kVectorSize,
  kVectorElements,  // elements of different sizes
  kNegation,
  kMinus,
  kSink,
  kNeedsSink,  // only `_` may stand here
  kSelector,
  kPair,               // d|p where one destination is expected
  kPairPredicate,      // the second destination is no predicate
  kReadOnlyParameter,  // a store to an input parameter
  kAddressMinus,       // [r-4] for [r+-4]
  kWriteOnly,          // a load of a return parameter
  kOpaqueBase,         // a texture, surface or sampler of another kind is expected
};

// A row's operand with the opcode's types and counts filled in.
struct ReadyOperand {
  const OperandSpec* spec = nullptr;
  Type type = Type::kNone;  // of an element
  uint8_t count_min = 1;    // elements
  uint8_t count_max = 1;
  bool vector = false;         // braces or a vector register are expected
  bool exact_bits = false;     // only the bit class fits (packed small floats)
  Space space = Space::kNone;  // of an address
};

// What of the opcode matters to its operands.
struct OpcodeTraits {
  bool takes_special = false;        // mov and integer cvt
  bool takes_scalar_braces = false;  // ld and st take {x} for x
  uint8_t video_elements = 1;        // of a video instruction: 1 (scalar), 2 or 4
  bool is_mov = false;
  bool is_cvta = false;
  bool is_store = false;
  bool is_load = false;
  bool no_constant_predicates = false;  // cp.async: a constant there is the number of bytes
  bool wide_addresses = false;          // ptxas refuses 32-bit registers for 64-bit addresses
  Space symbol_space = Space::kNone;    // of the variable whose address cvta takes
};

// The place and reason of a misfit; `operand` points into the module.
struct Misfit {
  Fault fault = Fault::kNone;
  const Operand* operand = nullptr;  // the operand or the vector element at fault
};

class OperandMatcher {
 public:
  OperandMatcher(const Module& module, const Function& function)
      : module_(module), function_(function) {}

  Misfit match(const ReadyOperand& wanted, const Operand& operand,
               const OpcodeTraits& traits) const;

  // The type of a register or vector element; kNone for what has none.
  Type type_of(const Operand& operand) const;

 private:
  Misfit match_value(const ReadyOperand& wanted, const Operand& operand,
                     const OpcodeTraits& traits) const;
  Misfit match_vector(const ReadyOperand& wanted, const Operand& operand,
                      const OpcodeTraits& traits) const;
  Misfit match_packed(const ReadyOperand& wanted, const Operand& operand) const;
  Misfit match_address(const ReadyOperand& wanted, const Operand& operand,
                       const OpcodeTraits& traits) const;
  Misfit match_special(const ReadyOperand& wanted, const Operand& operand,
                       const OpcodeTraits& traits) const;
  Fault match_register(const ReadyOperand& wanted, const Operand& operand,
                       const OpcodeTraits& traits) const;
  Fault match_special_register(const ReadyOperand& wanted, const Operand& operand,
                               const OpcodeTraits& traits) const;
  Fault match_symbol(const ReadyOperand& wanted, const Operand& operand,
                     const OpcodeTraits& traits) const;
  Fault match_address_base(const Operand& operand, Space space, const OpcodeTraits& traits) const;

  const Module& module_;
  const Function& function_;
};

}  // namespace pitot::ptx
