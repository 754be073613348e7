// Finding a template's kernel in a variant's PTX, by the name that its source has.
#pragma once

#include <string>

#include "ptx/module.h"
#include "support/result.h"

namespace pitot::variants {

// `entry` is the name in the PTX, or the C++ name with or without namespaces, template arguments
// and parameters ("gemm", "ns::gemm<64, float>"); empty: the only kernel. Errors say what is there.
Result<uint32_t> find_entry(const ptx::Module& module, const std::string& entry);

}  // namespace pitot::variants
