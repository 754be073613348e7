// Takes vector accesses apart, so that two programs that differ only in their widths compare equal.
#pragma once

#include <optional>
#include <string>

#include "ptx/module.h"

namespace pitot::gate {

// The module's text with every ld.vN and st.vN (weak, not volatile) written as N scalar accesses at
// rising offsets; such an access is defined as scalar ones in unspecified order (PTX ISA, "Vector
// Data Types" of the memory model). Loads into their own address register stay. Nothing when the
// module has none.
std::optional<std::string> split_vectors(const ptx::Module& m);

}  // namespace pitot::gate
