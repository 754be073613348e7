#include "emulator/tensor_map.h"

#include <fmt/format.h>

#include <cstring>

namespace pitot::emulator {
namespace {

using ptx::Type;

// .elemtype of tensormap.replace.
constexpr std::array<Type, 16> kElements = {Type::kU8,
                                            Type::kU16,
                                            Type::kU32,
                                            Type::kS32,
                                            Type::kU64,
                                            Type::kS64,
                                            Type::kF16,
                                            Type::kF32,
                                            Type::kNone /* f32.ftz */,
                                            Type::kF64,
                                            Type::kBf16,
                                            Type::kNone /* tf32 */,
                                            Type::kNone /* tf32.ftz */,
                                            Type::kNone,
                                            Type::kNone,
                                            Type::kNone};

template <class T>
void take(const std::byte*& from, T& to) {
  std::memcpy(&to, from, sizeof(T));
  from += sizeof(T);
}

template <class T>
void give(std::byte*& to, const T& from) {
  std::memcpy(to, &from, sizeof(T));
  to += sizeof(T);
}

}  // namespace

Type tensor_element(uint8_t number) {
  return number < kElements.size() ? kElements[number] : Type::kNone;
}

TensorMap TensorMap::decode(std::span<const std::byte, kTensorMapBytes> bytes) {
  TensorMap m;
  const std::byte* at = bytes.data();
  take(at, m.address);
  take(at, m.stride);
  take(at, m.size);
  take(at, m.box);
  take(at, m.step);
  take(at, m.rank);
  m.rank = static_cast<uint8_t>(m.rank + 1);
  take(at, m.element);
  take(at, m.interleave);
  take(at, m.swizzle);
  take(at, m.fill);
  take(at, m.atomicity);
  uint8_t mode = 0, unused = 0;
  take(at, mode);
  take(at, unused);
  m.im2col = mode != 0;
  take(at, m.lower);
  take(at, m.upper);
  take(at, m.channels);
  take(at, m.pixels);
  return m;
}

std::array<std::byte, kTensorMapBytes> TensorMap::encode() const {
  std::array<std::byte, kTensorMapBytes> out{};
  std::byte* at = out.data();
  give(at, address);
  give(at, stride);
  give(at, size);
  give(at, box);
  give(at, step);
  give(at, static_cast<uint8_t>(rank - 1));
  give(at, element);
  give(at, interleave);
  give(at, swizzle);
  give(at, fill);
  give(at, atomicity);
  if (!im2col) return out;
  give(at, uint8_t{1});
  give(at, uint8_t{0});
  give(at, lower);
  give(at, upper);
  give(at, channels);
  give(at, pixels);
  return out;
}

uint32_t TensorMap::element_bytes() const {
  if (packed()) return element == 13 ? 8 : 16;
  return ptx::bytes_of(tensor_element(element));
}

uint32_t TensorMap::global_bytes() const {
  if (packed()) return element == 15 ? 12 : 8;
  return element_bytes();
}

uint32_t TensorMap::taken(unsigned d) const {
  // The hardware has no stride along dimension 0 of a layout that is not interleaved (cuda.h,
  // cuTensorMapEncodeTiled): the first one is not used.
  return d == 0 ? units(box[d]) : (box[d] + step[d] - 1) / step[d];
}

uint64_t TensorMap::box_bytes() const {
  uint64_t n = element_bytes();
  if (im2col) return n * units(channels) * pixels;
  for (unsigned d = 0; d < rank; ++d) n *= taken(d);
  return n;
}

std::string TensorMap::problem(bool& covered) const {
  covered = true;
  if (rank < 1 || rank > 5) return fmt::format("{} dimensions", rank);
  if (element >= kElements.size()) return fmt::format("element type {}", element);
  if (address % 16 != 0) return fmt::format("address {:#x} is not a multiple of 16", address);
  for (unsigned d = 0; d < rank; ++d) {
    if (size[d] == 0) return fmt::format("dimension {} has no elements", d);
    if (!im2col && (box[d] == 0 || box[d] > 256))
      return fmt::format("a box of {} elements in dimension {}", box[d], d);
    if (step[d] == 0 || step[d] > 8)
      return fmt::format("element stride {} in dimension {}", step[d], d);
    if (d > 0 && stride[d - 1] % 16 != 0)
      return fmt::format("stride {} of dimension {} is not a multiple of 16", stride[d - 1], d);
  }
  if (fill == 1 && tensor_element(element) != Type::kNone &&
      ptx::kind_of(tensor_element(element)) != ptx::TypeKind::kFloat)
    return "NaN as the fill of integers";
  if (interleave > 2 || swizzle > 4 || fill > 1 || atomicity > 3) return "an unknown layout";
  if (atomicity != 0 && swizzle != 3)
    return fmt::format("atomicity {}, which goes with swizzling of 128 bytes only", atomicity);
  if (packed() && fill == 1) return "NaN as the fill of packed elements";
  // Atomicity 2 is the one with a flip of 8 bytes.
  covered = (packed() || tensor_element(element) != Type::kNone) && element <= 15 &&
            interleave == 0 && atomicity != 2;
  if (!covered)
    return fmt::format("element type {}, interleave {}, swizzle {}, atomicity {}", element,
                       interleave, swizzle, atomicity);
  if (im2col) {
    if (rank < 3) return fmt::format("im2col mode and {} dimensions", rank);
    if (channels == 0 || channels > 256 || pixels == 0 || pixels > 1024 || step[0] != 1)
      return fmt::format("columns of {} pixels of {} channels", pixels, channels);
    for (unsigned d = 1; d + 1 < rank; ++d)
      if (last_place(d) < lower[d - 1])
        return fmt::format("no place for a filter in dimension {}", d);
  }
  if (packed() && ((im2col ? channels : box[0]) % 16 != 0 || size[0] % 16 != 0 || step[0] != 1)) {
    covered = false;
    return "packed elements that are not taken sixteen at a time";
  }
  const uint64_t inner = uint64_t{im2col ? units(channels) : taken(0)} * element_bytes();
  if (inner % 16 != 0)
    return fmt::format("rows of {} bytes in the box: not a multiple of 16", inner);
  const unsigned most = swizzle == 4 ? 96 : 16u << swizzle;
  if (swizzle != 0 && inner > most)
    return fmt::format("rows of {} bytes in the box, swizzled by {}", inner, most);
  return {};
}

uint64_t TensorMap::swizzled(uint64_t a) const {
  if (atomicity == 1) return a ^ ((a >> 7 & 3) << 5);  // pieces of 32 bytes
  if (atomicity == 3) return a ^ ((a >> 7 & 1) << 6);  // of 64 bytes
  // Pieces of 16 bytes that change places: 2, 4, 8, and of 96 bytes 2.
  const uint64_t mask = swizzle == 4 ? 1 : (uint64_t{1} << swizzle) - 1;
  return a ^ ((a >> 7 & mask) << 4);
}

}  // namespace pitot::emulator
