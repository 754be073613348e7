// Differences of declarations: signature, launch bounds, pragmas, variables and their initialisers,
// the module's header.
#pragma once

#include <vector>

#include "gate/diff_result.h"
#include "gate/operand_match.h"
#include "gate/side.h"

namespace pitot::gate {

// Launch bounds and other performance directives, pragmas of the body, parameters and returns.
void diff_signature(const ptx::Module& ma, const ptx::Function& fa, const ptx::Module& mb,
                    const ptx::Function& fb, std::vector<DeclarationChange>& out);

// Variables that correspond: size (constants), alignment, linkage and space (modifiers), values of
// the initialiser (constants) or its form (structural).
void diff_variable(const ptx::Module& ma, uint32_t a, const ptx::Module& mb, uint32_t b,
                   KernelDiff& out);

// `.version`, `.target`, `.address_size`, producer comment. Class identical for those that change
// nothing in what the instructions mean.
std::vector<DeclarationChange> diff_headers(const ptx::Module& a, const ptx::Module& b);

}  // namespace pitot::gate
