// What decode() needs besides the tables: why a spelling has no form, and what was probably meant.
#pragma once

#include <span>
#include <string_view>

#include "ptx/isa.h"

namespace pitot::ptx {

// All mnemonics, for suggestions.
std::span<const std::string_view> mnemonic_names();

// `opcode` has been split and has no form; `nearest_form` is the closest one, or null.
// Whether some form takes these modifiers in this order. Far cheaper than decode(), which looks for
// the nearest form of a spelling that has none.
bool is_legal(Mnemonic mnemonic, std::span<const ModId> modifiers);

DecodeProblem explain_decode_problem(const Opcode& opcode, const Form* nearest_form);

}  // namespace pitot::ptx
