// Which instructions count as loads and as stores where they are put in order.
#pragma once

#include "ptx/isa.h"

namespace pitot::transform {

// Brings memory into registers: also textures and matrix rows; not atomics.
inline bool is_load(const ptx::Opcode& o) {
  return o.has(ptx::kLoad) && !o.has(ptx::kStore) && !o.has(ptx::kAtomic) && !o.has(ptx::kAsync);
}

inline bool is_store(const ptx::Opcode& o) {
  return o.has(ptx::kStore) && !o.has(ptx::kLoad) && !o.has(ptx::kAtomic) && !o.has(ptx::kAsync);
}

}  // namespace pitot::transform
