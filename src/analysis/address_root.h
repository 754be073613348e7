// Addresses as a root plus a constant number of bytes, enough to see that two accesses of one
// thread cannot overlap. Cheap and exact or silent; the affine analysis knows more about how lanes
// differ.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

struct AddressRoot {
  enum class Kind : uint8_t { kUnknown, kValue, kSymbol } kind = Kind::kUnknown;
  uint32_t id = kNone;  // ValueId or SymbolId
  int64_t offset = 0;   // bytes
};

// Follows moves, address conversions and additions of constants. Remembers what it has followed.
class AddressRoots {
 public:
  void reset(const FlowFacts& facts);
  // Of an address operand of an instruction.
  AddressRoot of(uint32_t instruction, const ptx::Operand& address, uint8_t operand);

 private:
  AddressRoot follow(ValueId v);

  const FlowFacts* facts_ = nullptr;
  std::vector<AddressRoot> known_;  // by ValueId
  std::vector<uint8_t> done_;
  std::vector<ValueId> path_;
};

}  // namespace pitot::analysis
