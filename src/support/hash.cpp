// XXH3 behind our own two-word type.
#define XXH_INLINE_ALL
#include "support/hash.h"

#include <xxhash.h>

namespace pitot {

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (int i = 0; i < 16; ++i) {
    out[15 - i] = kDigits[(high >> (4 * i)) & 15];
    out[31 - i] = kDigits[(low >> (4 * i)) & 15];
  }
  return out;
}

Hash128 hash_bytes(std::string_view bytes, uint64_t seed) {
  XXH128_hash_t h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {h.high64, h.low64};
}

Hash128 combine(Hash128 a, Hash128 b) {
  const uint64_t words[4] = {a.high, a.low, b.high, b.low};
  return hash_bytes({reinterpret_cast<const char*>(words), sizeof words});
}

}  // namespace pitot
