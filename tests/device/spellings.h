// Every spelling of an instruction that sm_90a has, from the instruction table.
#pragma once

#include <string>
#include <vector>

#include "property/random_program.h"
#include "ptx/isa.h"

namespace pitot::conformance {

inline constexpr uint16_t kVersion = 90;
inline const ptx::Target kTarget{90, 'a'};

struct Spelling {
  std::string text;
  ptx::Opcode opcode;  // its text points into nothing: use `text`
  const ptx::Form* form = nullptr;
  std::array<ptx::Type, 4> types{};
};

// All of a form, or `most` of them drawn at random, each modifier alternative among them.
std::vector<Spelling> spellings_of(const ptx::Form& form, size_t most, property::Random& r);

// The type and width of an operand of the spelling.
ptx::Type operand_type(const Spelling& s, const ptx::OperandSpec& spec);
unsigned operand_bits(const Spelling& s, const ptx::OperandSpec& spec);
// Whether the operand is there.
bool present(const Spelling& s, const ptx::OperandSpec& spec);
// How many elements, by the vector modifier or the form.
unsigned operand_count(const Spelling& s, const ptx::OperandSpec& spec);

}  // namespace pitot::conformance
