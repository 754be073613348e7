// The shape of the thread block that an analysis assumes, and what follows for special registers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/bits.h"
#include "ptx/module.h"

namespace pitot::analysis {

// Over which threads a value is the same, whenever they compute it together.
enum class Scope : uint8_t { kGrid, kCta, kWarp, kVarying };
const char* to_string(Scope scope);  // "grid", "block", "warp", "lane"

struct BlockShape {
  std::array<uint32_t, 3> dims{1, 1, 1};
  // Every launch has this shape (.reqntid, or the caller's word); otherwise it is only an example,
  // and nothing may be called certain on its account.
  bool certain = false;

  uint32_t threads() const { return dims[0] * dims[1] * dims[2]; }
  uint32_t warps() const { return (threads() + 31) / 32; }
  // Coordinates of a thread by its linear number: x fastest (PTX ISA, "%tid").
  std::array<uint32_t, 3> tid(uint32_t thread) const {
    return {thread % dims[0], thread / dims[0] % dims[1], thread / (dims[0] * dims[1])};
  }
};

// `given` if it is a possible shape (1 … 1024 threads), else .reqntid, else .maxntid, else nothing.
std::optional<BlockShape> block_shape_of(const ptx::Function& f,
                                         std::optional<std::array<uint32_t, 3>> given = {});

struct SpecialFacts {
  Bits bits;
  Scope scope = Scope::kVarying;  // of the bits that do not vary within a warp
};
// What is known of a special register; `name` as written, with its component ("%tid.x").
SpecialFacts special_facts(std::string_view name, unsigned width,
                           const std::optional<BlockShape>& shape);

}  // namespace pitot::analysis
