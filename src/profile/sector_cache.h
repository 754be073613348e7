// A cache of 128-byte lines with four 32-byte sectors each, least recently used replaced within a
// set: the model of a block's share of L1.
#pragma once

#include <cstdint>
#include <vector>

namespace pitot::profile {

class SectorCache {
 public:
  // Of so many bytes; less than one line holds nothing.
  explicit SectorCache(uint64_t bytes);

  // Whether the sector (address / 32) is there; it is afterwards. Stores write through and bring
  // nothing in, so they are no matter of this class.
  bool load(uint64_t sector);
  // So many lines come and go that nobody asks for again.
  void pass_by(uint64_t lines);

 private:
  // The associativity of the hardware's L1 is not published; sets of many ways behave much like
  // it: hardly any conflicts but those of capacity.
  static constexpr uint64_t kWays = 16;
  struct Line {
    uint64_t tag = UINT64_MAX;
    uint64_t used = 0;
    uint8_t sectors = 0;  // bits
  };
  std::vector<Line> lines_;
  uint64_t sets_ = 0, ways_ = 0, clock_ = 0;
  uint64_t passed_ = 0;  // lines
};

}  // namespace pitot::profile
