// Counting sectors and bank passes of one warp request.
#include "analysis/memory_model.h"

#include <algorithm>
#include <array>

namespace pitot::analysis {
namespace {

struct Piece {
  uint32_t row;
  int64_t first, last;  // bytes [first, last)
};

// Distinct sectors and bytes of up to 32 pieces.
SectorCount count_pieces(std::span<Piece> pieces) {
  auto before = [](const Piece& x, const Piece& y) {
    return x.row != y.row ? x.row < y.row : x.first < y.first;
  };
  if (!std::is_sorted(pieces.begin(), pieces.end(), before))
    std::sort(pieces.begin(), pieces.end(), before);
  SectorCount out;
  uint32_t row = UINT32_MAX;
  int64_t end = 0, last_sector = 0;
  for (const Piece& p : pieces) {
    int64_t first_sector = p.first >> 5, final_sector = (p.last - 1) >> 5;
    if (p.row != row) {
      row = p.row;
      end = p.first;
      last_sector = first_sector - 1;
    }
    int64_t fresh = std::max(p.first, end);
    if (p.last > fresh) out.useful_bytes += static_cast<uint32_t>(p.last - fresh);
    end = std::max(end, p.last);
    int64_t from = std::max(first_sector, last_sector + 1);
    if (final_sector >= from) out.sectors += static_cast<uint32_t>(final_sector - from + 1);
    last_sector = std::max(last_sector, final_sector);
  }
  return out;
}

}  // namespace

SectorCount count_sectors(const LaneAddresses& a, LaneMask active, uint32_t bytes) {
  std::array<Piece, 32> pieces;
  size_t n = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    int64_t phase = static_cast<int64_t>(a.base_of(lane).one & (kSectorBytes - 1));
    int64_t at = a.offset[lane] + phase;
    pieces[n++] = {a.row[lane], at, at + bytes};
  }
  return count_pieces(std::span(pieces).first(n));
}

SectorCount count_local_sectors(const LaneAddresses& a, LaneMask active, uint32_t bytes) {
  SectorCount out;
  std::array<int64_t, 32 * 8> sectors;
  size_t n = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    out.useful_bytes += bytes;
    int64_t first = a.offset[lane] >> 2, last = (a.offset[lane] + bytes - 1) >> 2;
    for (int64_t word = first; word <= last && n < sectors.size(); ++word)
      sectors[n++] = (int64_t{a.row[lane]} << 48) + word * 4 + lane / 8;
  }
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(n));
  out.sectors = static_cast<uint32_t>(
      std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(n)) -
      sectors.begin());
  return out;
}

namespace {

struct Request {
  const LaneAddresses& a;
  LaneMask active;
  uint32_t bytes;

  int64_t at(uint32_t lane) const {
    return a.offset[lane] + static_cast<int64_t>(a.base_of(lane).one & (kBanks * kBankBytes - 1));
  }
  bool takes_part(uint32_t lane) const { return (active >> lane & 1) != 0; }

  bool neighbours_agree(uint32_t first, uint32_t last, uint32_t flip) const {
    for (uint32_t lane = first; lane < last; ++lane)
      if (takes_part(lane) && takes_part(lane ^ flip) && at(lane) != at(lane ^ flip)) return false;
    return true;
  }
  bool served_together(uint32_t first, uint32_t last) const {
    return neighbours_agree(first, last, 1) || neighbours_agree(first, last, 2);
  }

  // Adds the passes for lanes [first, last), served as one group.
  void serve(uint32_t first, uint32_t last, BankCount& out) const {
    std::array<int64_t, 64> words;
    size_t n = 0;
    for (uint32_t lane = first; lane < last; ++lane) {
      if (!takes_part(lane)) continue;
      for (int64_t w = at(lane) >> 2; w <= (at(lane) + bytes - 1) >> 2 && n < words.size(); ++w)
        words[n++] = w;
    }
    if (n == 0) return;
    auto end = words.begin() + static_cast<std::ptrdiff_t>(n);
    if (!std::is_sorted(words.begin(), end)) std::sort(words.begin(), end);
    end = std::unique(words.begin(), end);
    std::array<uint8_t, 32> load{};
    uint8_t busiest = 0;
    for (auto w = words.begin(); w != end; ++w) {
      uint8_t& bank = load[static_cast<size_t>(*w & (kBanks - 1))];
      busiest = std::max(busiest, ++bank);
    }
    out.wavefronts += busiest;
    out.ideal += 1;
  }
};

}  // namespace

BankCount count_bank_passes(const LaneAddresses& a, LaneMask active, uint32_t bytes) {
  BankCount out;
  uint32_t leader = active == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(active));
  for (uint32_t lane = 0; lane < 32; ++lane)
    if ((active >> lane & 1) != 0 && a.row[lane] != a.row[leader]) return out;
  const Request request{a, active, bytes};
  const uint32_t group = bytes > 8 ? 16 : 32;  // what may be served at once
  for (uint32_t first = 0; first < 32; first += group) {
    if (bytes <= 4 || request.served_together(first, first + group)) {
      request.serve(first, first + group, out);
    } else {
      request.serve(first, first + group / 2, out);
      request.serve(first + group / 2, first + group, out);
    }
  }
  out.known = true;
  return out;
}

BankCount count_line_passes(const LaneAddresses& a, LaneMask active, uint32_t bytes) {
  BankCount out;
  const Request request{a, active, bytes};
  const uint32_t group = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
  for (uint32_t first = 0; first < 32; first += group) request.serve(first, first + group, out);
  out.known = true;
  return out;
}

}  // namespace pitot::analysis
