// What a kernel spec states of every launch and transforms may rest on.
#pragma once

#include "device/spec.h"
#include "transform/subject.h"

namespace pitot::bench {

// Adds the alignment of the spec's buffers, that they are distinct, and the block where all sizes
// have one.
void add_spec(const device::KernelSpec& spec, const ptx::Module& module, uint32_t kernel,
              transform::Assumptions& out);

}  // namespace pitot::bench
