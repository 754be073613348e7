// What one instruction adds to the feature row: counts by kind, space and width, bytes and
// operations.
#pragma once

#include "analysis/features.h"

namespace pitot::analysis {

// Adds to the plain counts, and with `weight` (the product of its loops' trip counts) to the
// weighted ones.
void count_instruction(const ptx::Module& m, const ptx::Instruction& i, double weight,
                       FeatureRow& row);

// Bytes that one thread moves through a ld, st, atom or red; 0 for anything else.
uint32_t access_bytes(const ptx::Opcode& opcode);

// Floating-point operations that one thread contributes (an mma's work divided over its 32 lanes; a
// warpgroup's over 128), fma as two, packed pairs as two lanes.
double flops_of(const ptx::Opcode& opcode);

}  // namespace pitot::analysis
