// Reading little-endian binary structures from untrusted bytes: every access is checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace pitot::toolchain {

// The number at `offset`, or nothing if it is not wholly inside.
template <class T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  static_assert(std::is_unsigned_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(
        value | static_cast<T>(static_cast<T>(static_cast<uint8_t>(bytes[offset + i])) << (8 * i)));
  return value;
}

// `size` bytes at `offset`, or nothing if they are not wholly inside.
inline std::optional<std::string_view> slice_at(std::string_view bytes, uint64_t offset,
                                                uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.substr(offset, size);
}

}  // namespace pitot::toolchain
