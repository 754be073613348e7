// Reproducible draws: the same sequence for the same seed everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pitot {

// SplitMix64 (Steele, Lea and Flood, 2014).
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  // Below `count`, which is at most 2^32; its bias of count / 2^32 does not matter here.
  size_t below(size_t count) { return static_cast<size_t>((bits() >> 32) * count >> 32); }

 private:
  uint64_t state_;
};

}  // namespace pitot
