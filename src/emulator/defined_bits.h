// Which bytes of a memory are defined: one bit a byte, lowest first.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pitot::emulator {

// Other blocks may be at work on neighbouring bits.
inline void mark_defined(uint64_t* bits, uint64_t at, uint64_t bytes, bool defined) {
  while (bytes != 0) {
    const uint64_t n = std::min<uint64_t>(bytes, 64 - at % 64);
    const uint64_t mask = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << (at % 64);
    if (defined) {
      __atomic_fetch_or(&bits[at / 64], mask, __ATOMIC_RELAXED);
    } else {
      __atomic_fetch_and(&bits[at / 64], ~mask, __ATOMIC_RELAXED);
    }
    at += n;
    bytes -= n;
  }
}

// The bits of 64 bytes.
inline uint64_t defined_word(const uint64_t* bits, uint64_t word) {
  return __atomic_load_n(&bits[word], __ATOMIC_RELAXED);
}

inline bool is_defined(const uint64_t* bits, uint64_t at) {
  return (defined_word(bits, at / 64) >> (at % 64) & 1) != 0;
}

inline bool all_bytes_defined(const uint64_t* bits, uint64_t at, uint64_t bytes) {
  for (uint64_t b = at; b < at + bytes; ++b)
    if (!is_defined(bits, b)) return false;
  return true;
}

}  // namespace pitot::emulator
