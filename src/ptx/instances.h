// Example instructions from the instruction table: for every form one legal spelling an
// alternative, with operands that fit. For whatever must be shown to treat all of the table.
#pragma once

#include <string>
#include <vector>

#include "ptx/isa.h"

namespace pitot::ptx {

struct Instance {
  std::string spelling;  // "add.sat.s32"
  std::string text;      // "add.sat.s32 %r0, %r1, %r2;"
};

struct Instances {
  std::vector<Instance> made;
  std::vector<std::string> left_out;  // alternatives of which no legal spelling was found, and
                                      // forms whose operands only verify.cpp knows
};

// Every alternative of every form appears in at least one spelling.
Instances instances_of(Mnemonic mnemonic);

// A module with one kernel of these instructions, instruction i on line first_line + i.
std::string module_of(const std::vector<Instance>& instances, uint32_t& first_line);

}  // namespace pitot::ptx
