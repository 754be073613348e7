#include "profile/footprint.h"

#include <algorithm>

namespace pitot::profile {

Footprint::Chunk& Footprint::at(uint64_t sector) {
  const uint64_t key = sector / kChunk;
  if (key == last_) return *last_chunk_;
  auto& slot = chunks_[key];
  if (!slot) slot = std::make_unique<Chunk>();
  last_ = key;
  last_chunk_ = slot.get();
  return *slot;
}

bool Footprint::read(uint64_t sector, Toucher by, uint64_t stands_for) {
  Chunk& c = at(sector);
  const uint64_t i = sector % kChunk;
  if (c.written[i] != kNobody || c.read[i] != kNobody) return false;
  c.read[i] = by;
  c.stands_for[i] = static_cast<uint32_t>(std::min<uint64_t>(stands_for, UINT32_MAX));
  return true;
}

bool Footprint::write(uint64_t sector, Toucher by, uint64_t stands_for) {
  Chunk& c = at(sector);
  const uint64_t i = sector % kChunk;
  const bool fresh = c.written[i] == kNobody && c.read[i] == kNobody;
  c.written[i] = std::min(c.written[i], by);
  if (fresh) c.stands_for[i] = static_cast<uint32_t>(std::min<uint64_t>(stands_for, UINT32_MAX));
  return fresh;
}

void Footprint::merge(const Footprint& other) {
  for (const auto& [key, from] : other.chunks_) {
    auto& to = chunks_[key];
    if (!to) to = std::make_unique<Chunk>();
    for (uint64_t i = 0; i < kChunk; ++i) {
      to->read[i] = std::min(to->read[i], from->read[i]);
      to->written[i] = std::min(to->written[i], from->written[i]);
      to->stands_for[i] = std::max(to->stands_for[i], from->stands_for[i]);
    }
  }
}

void Footprint::each(const std::function<void(uint64_t, Toucher, Toucher, uint64_t)>& f) const {
  for (const auto& [key, c] : chunks_)
    for (uint64_t i = 0; i < kChunk; ++i)
      if (c->read[i] != kNobody || c->written[i] != kNobody)
        f(key * kChunk + i, c->read[i], c->written[i], c->stands_for[i]);
}

}  // namespace pitot::profile
