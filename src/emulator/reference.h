// .texref, .samplerref and .surfref variables of a module: what their initialisers say.
#pragma once

#include "emulator/image.h"
#include "ptx/module.h"

namespace pitot::emulator {

// The object that a declared reference stands for before anything is bound to it. Fields of the
// initialiser as in the PTX ISA, "Texture Sampler and Surface Types"; OpaqueObject::uncovered has
// one that is not understood.
OpaqueObject declared_reference(const ptx::Module& module, const ptx::Symbol& symbol);

}  // namespace pitot::emulator
