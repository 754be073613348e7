// Whether a spelling that a transform would write is legal in the module.
#pragma once

#include <string_view>

#include "ptx/module.h"

namespace pitot::transform {

// A form has it, and the module's .version and .target support it.
bool can_spell(const ptx::Module& m, std::string_view opcode);

}  // namespace pitot::transform
