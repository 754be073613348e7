// What texture and surface instructions say of the images that they use.
#pragma once

#include "check/infer.h"

namespace pitot::check {

class ImageUses {
 public:
  // One use of a handle: which part of the address operand it is (0 the image, then a sampler).
  // False when the instruction is none of textures or surfaces.
  bool add(const ptx::Opcode& opcode, unsigned element);
  bool any() const { return any_; }
  // An image that suits all uses; `floats`: its texels are used as such, where the instructions do
  // not say.
  ImageUse image(bool floats) const;

 private:
  ImageUse use_;
  bool any_ = false, shaped_ = false, typed_ = false;
  unsigned bytes_ = 0;  // of the widest access to a surface
};

// What the instructions that name a reference, a variable or a parameter, say of it.
ImageUse image_of_symbol(const ptx::Module& module, ptx::SymbolId symbol);

}  // namespace pitot::check
