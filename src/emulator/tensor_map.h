// Tensor maps: how a tensor lies in global memory and which box of it a copy moves (PTX ISA,
// "Tensors"). The 128 bytes are opaque to a program, which changes them by tensormap.replace only;
// their layout here is our own, little-endian, and is what the host side writes:
//     0  u64     address of the tensor, a multiple of 16
//     8  u64[4]  distance in bytes of neighbours in dimension 1, 2, 3, 4, a multiple of 16
//    40  u32[5]  elements of the tensor by dimension, the innermost first
//    60  u32[5]  of the box, 1 to 256
//    80  u16[5]  distance between the elements that are taken, 1 to 8
//    90  u8      dimensions minus one
//    91  u8      element type      } the values that tensormap.replace takes (PTX ISA)
//    92  u8      interleave        }
//    93  u8      swizzle           }
//    94  u8      fill              }
//    95  u8      swizzle atomicity }
//    96  u8      1 for im2col mode, where the box is not used but
//    97  u8      0
//    98  i16[3]  lower corner by dimension, W first (PTX ISA, "im2col mode")
//   104  i16[3]  upper corner
//   110  u16     channels per pixel
//   112  u16     pixels per column
//   114  zeros
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ptx/types.h"

namespace pitot::emulator {

inline constexpr size_t kTensorMapBytes = 128;

enum class Swizzle : uint8_t { kNone, k32, k64, k128 };

// The element types of a map by number; kNone for those whose copies change the values (.ftz,
// tf32), which are not covered, and for packed ones.
ptx::Type tensor_element(uint8_t number);

struct TensorMap {
  uint64_t address = 0;
  std::array<uint64_t, 4> stride{};
  std::array<uint32_t, 5> size{1, 1, 1, 1, 1}, box{1, 1, 1, 1, 1};
  std::array<uint16_t, 5> step{1, 1, 1, 1, 1};
  uint8_t rank = 1;     // 1 to 5
  uint8_t element = 0;  // number of the type
  uint8_t interleave = 0, swizzle = 0, fill = 0, atomicity = 0;
  bool im2col = false;
  std::array<int16_t, 3> lower{}, upper{};  // where filters may stand, of W, H, D
  uint16_t channels = 1, pixels = 1;        // of a column

  static TensorMap decode(std::span<const std::byte, kTensorMapBytes> bytes);
  std::array<std::byte, kTensorMapBytes> encode() const;

  // Why no copy can be made with it; empty when one can. `covered` is false when the map is right
  // but asks for what the emulator does not have.
  std::string problem(bool& covered) const;

  // Packed types: sixteen elements of 4 or 6 bits are moved as one, and count so in dimension 0:
  // b4x16 (13), b4x16_p64 (14), and b6x16_p32 or, on the way out, b6p2x16 (15).
  bool packed() const { return element >= 13; }
  uint32_t units(uint32_t elements) const { return packed() ? elements / 16 : elements; }
  // Of one element, or sixteen packed ones, in shared and in global memory.
  uint32_t element_bytes() const;
  uint32_t global_bytes() const;
  // Elements that the box takes in a dimension, and bytes of the whole box in shared memory.
  uint32_t taken(unsigned dimension) const;
  uint64_t box_bytes() const;
  // The last place, in dimension 1 to rank − 2, where a filter may stand.
  int64_t last_place(unsigned dimension) const {
    return int64_t{size[dimension]} - 1 + upper[dimension - 1];
  }
  // Where a byte of the box lies, from the shared-memory address that it would have without
  // swizzling: 16-byte pieces change places within 128 bytes, by the 128-byte line that they are
  // in.
  uint64_t swizzled(uint64_t address) const;
};

}  // namespace pitot::emulator
