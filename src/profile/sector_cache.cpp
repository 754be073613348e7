#include "profile/sector_cache.h"

#include <algorithm>

namespace pitot::profile {

SectorCache::SectorCache(uint64_t bytes) {
  const uint64_t lines = bytes / 128;
  ways_ = std::min(lines, kWays);
  sets_ = ways_ == 0 ? 0 : lines / ways_;
  lines_.resize(sets_ * ways_);
}

bool SectorCache::load(uint64_t sector) {
  if (sets_ == 0) return false;
  const uint64_t tag = sector / 4;
  const auto bit = static_cast<uint8_t>(1u << (sector % 4));
  // Upper bits take part in the choice of the set, so that power-of-two strides do not pile up.
  const uint64_t mixed = (tag ^ (tag >> 17)) * 0x9E3779B97F4A7C15ull;
  Line* set = &lines_[(mixed >> 20) % sets_ * ways_];
  Line* victim = set;
  ++clock_;
  for (Line* l = set; l < set + ways_; ++l) {
    if (l->tag == tag) {
      l->used = clock_;
      const bool hit = (l->sectors & bit) != 0;
      l->sectors |= bit;
      return hit;
    }
    if (l->used < victim->used) victim = l;
  }
  *victim = {tag, clock_, bit};
  return false;
}

void SectorCache::pass_by(uint64_t lines) {
  // Beside all addresses.
  constexpr uint64_t kNowhere = uint64_t{1} << 58;
  for (uint64_t i = std::min<uint64_t>(lines, lines_.size()); i > 0; --i)
    load(kNowhere + 4 * passed_++);
}

}  // namespace pitot::profile
