// A module back as text: byte for byte, or in a normal form in which names and layout do not
// matter.
#pragma once

#include <string>

#include "ptx/module.h"

namespace pitot::ptx {

// The source text. Nothing that was parsed is lost, so this is the identity by construction.
std::string print(const Module& module);

// Normal form: no comments, debug information or line marks; one statement a line; registers named
// by class and order of first use and declared as ranges at the top of the body; labels $L0, $L1,
// …; inner scopes dissolved (their registers have names of their own); constants as written.
// Module-scope names and parameters keep their names. The result parses to the same program.
std::string print_canonical(const Module& module);

// One instruction in that form's spelling, with names as in the source; for messages and listings.
std::string print_instruction(const Module& module, const Function& function,
                              const Instruction& instruction);

}  // namespace pitot::ptx
