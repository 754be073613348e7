// Content hashes: 128-bit XXH3, for cache keys and structural fingerprints (not for security).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pitot {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;  // 32 lower-case digits
};

Hash128 hash_bytes(std::string_view bytes, uint64_t seed = 0);
Hash128 combine(Hash128 a, Hash128 b);

}  // namespace pitot
