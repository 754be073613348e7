// What one pair of corresponding instructions differs in, in words and decoded values.
#pragma once

#include "gate/diff_result.h"
#include "gate/side.h"

namespace pitot::gate {

// Constants and address offsets that differ, as far as the operands are of the same shape.
void list_constants(const Side& a, uint32_t ia, const Side& b, uint32_t ib, KernelDiff& out);

// Types and modifiers that differ, with inputs that tell them apart when some are found.
void list_modifiers(const Side& a, uint32_t ia, const Side& b, uint32_t ib, KernelDiff& out);

}  // namespace pitot::gate
