// What of a cubin decides how its kernels run, as one hash: programs of one image are one to the
// GPU.
#pragma once

#include "support/hash.h"
#include "toolchain/elf.h"

namespace pitot::toolchain {

// Of machine code, relocations, constants, variables, shared memory and the attributes that the
// loader reads (registers, stack, barriers, parameters). Not of names of files, symbol and debug
// tables, notes, nor of the `.maxnreg` that was asked for, which says nothing of what was made.
Hash128 code_image(const ElfFile& cubin);

}  // namespace pitot::toolchain
