// Which sectors of memory were touched, and by which operation first: what has to come from DRAM
// at least once, and what has to go back there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace pitot::profile {

// Who touched first: the lower gang, then the operation. Order of merging does not matter.
using Toucher = uint64_t;
inline constexpr Toucher kNobody = UINT64_MAX;
inline Toucher toucher(uint32_t gang, uint32_t op) { return uint64_t{gang} << 32 | op; }
inline uint32_t gang_of(Toucher t) { return static_cast<uint32_t>(t >> 32); }
inline uint32_t op_of(Toucher t) { return static_cast<uint32_t>(t); }

class Footprint {
 public:
  // Sector: address / 32. True when nobody of this footprint had read or written it. `stands_for`:
  // so many sectors that were passed over, itself among them; the first touch decides.
  bool read(uint64_t sector, Toucher by, uint64_t stands_for = 1);
  bool write(uint64_t sector, Toucher by, uint64_t stands_for = 1);
  void merge(const Footprint& other);
  // f(sector, first reader that did not find it written, first writer, sectors that it stands for);
  // kNobody where there is none. In no particular order.
  void each(const std::function<void(uint64_t, Toucher, Toucher, uint64_t)>& f) const;
  bool empty() const { return chunks_.empty(); }

 private:
  static constexpr uint64_t kChunk = 64;  // sectors
  struct Chunk {
    std::array<Toucher, kChunk> read, written;
    std::array<uint32_t, kChunk> stands_for;
    Chunk() {
      read.fill(kNobody);
      written.fill(kNobody);
      stands_for.fill(0);
    }
  };
  Chunk& at(uint64_t sector);

  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks_;
  uint64_t last_ = UINT64_MAX;
  Chunk* last_chunk_ = nullptr;
};

}  // namespace pitot::profile
