// Values of buffers that kernels use as indices: each can be asked at any place, without those
// before.
#pragma once

#include <array>
#include <cstdint>

namespace pitot::device {

// A random order of 0 … n−1: four rounds of a Feistel network over the least even number of bits
// that holds n, applied again where it leaves the range (Black and Rogaway, "Ciphers with arbitrary
// finite domains", 2002). n: 1 … 2^48.
class RandomOrder {
 public:
  static constexpr uint64_t kMost = uint64_t{1} << 48;

  RandomOrder(uint64_t seed, uint64_t n);
  uint64_t at(uint64_t place) const;  // which element is there; both below n
  uint64_t place_of(uint64_t element) const;
  // The element that follows in the one cycle that goes through all of them in this order.
  uint64_t next(uint64_t element) const { return at((place_of(element) + 1) % n_); }

 private:
  uint64_t round(unsigned number, uint64_t half) const;

  uint64_t seed_, n_;
  unsigned half_bits_ = 1;
  uint64_t half_mask_ = 1;
};

// Where the rows of a sparse matrix begin: every kGroup rows have kGroup * mean elements, divided
// among them in proportion to exp(skew * z), z normal with mean 0 and deviation 1. Skew 0: all
// alike.
class RowOffsets {
 public:
  static constexpr uint64_t kGroup = 64;

  RowOffsets(uint64_t seed, uint64_t mean, double skew) : seed_(seed), mean_(mean), skew_(skew) {}
  uint64_t at(uint64_t row);

 private:
  uint64_t seed_, mean_;
  double skew_;
  uint64_t group_ = UINT64_MAX;  // whose offsets are kept
  std::array<uint64_t, kGroup> offsets_{};
};

}  // namespace pitot::device
