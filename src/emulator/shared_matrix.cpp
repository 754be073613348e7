#include "emulator/shared_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/access.h"
#include "emulator/block.h"

namespace pitot::emulator {

bool parse_descriptor(const Warp& w, uint64_t d, DescriptorKind kind, SharedMatrix& m,
                      std::string& problem) {
  m.window = w.block.shared_base();
  m.start = (d & 0x3fff) << 4;
  m.leading = (d >> 16 & 0x3fff) << 4;
  m.stride = (d >> 32 & 0x3fff) << 4;
  unsigned mode = 0;
  if (kind == DescriptorKind::kWarpgroup) {
    constexpr unsigned kSwizzles[] = {0, 128, 64, 32};
    mode = static_cast<unsigned>(d >> 62);
    m.swizzle = kSwizzles[mode];
  } else {
    mode = static_cast<unsigned>(d >> 61);
    m.swizzle = mode == 2 ? 128 : mode == 4 ? 64 : mode == 6 ? 32 : 0;
    if (mode == 1) {
      m.swizzle = 128;
      m.wide_atoms = true;
    } else if (mode % 2 != 0) {
      problem = fmt::format("{} is no swizzling mode", mode);
      return false;
    }
    if ((d >> 52 & 1) != 0) {
      problem = "absolute leading-dimension addresses are not covered";
      return false;
    }
  }
  if (m.swizzle != 0 && (d >> 49 & 7) != 0) {
    problem = "matrix base offsets other than 0 are not covered";
    return false;
  }
  return true;
}

uint64_t chunk_address(const SharedMatrix& m, unsigned per, unsigned mn, unsigned k) {
  uint64_t at = m.start;
  if (m.swizzle == 0) {
    if (m.mn_major) {
      at += mn / per * m.stride + k / 8 * m.leading + k % 8 * 16;
    } else {
      at += mn / 8 * m.stride + mn % 8 * 16 + k / per * m.leading;
    }
    return at;
  }
  const unsigned chunks = m.swizzle / 16;
  if (m.wide_atoms) {
    at += mn / (per * chunks) * m.leading + k / 4 * m.stride + k % 4 * 128 + mn / per % chunks * 16;
    return at ^ ((at >> 7 & 3) << 5);
  }
  if (m.mn_major) {
    at += mn / (per * chunks) * m.leading + k / 8 * m.stride + k % 8 * m.swizzle +
          mn / per % chunks * 16;
  } else {
    at += mn / 8 * m.stride + mn % 8 * m.swizzle + k / per * 16;
  }
  return at ^ ((at >> 7 & (chunks - 1)) << 4);
}

bool load_matrix(Warp& w, const Op& op, const SharedMatrix& m, ptx::Type type, unsigned first,
                 unsigned rows, unsigned depth, bool by_row, Tile& tile,
                 std::vector<bool>& undefined, unsigned on_behalf) {
  const unsigned bits = element_bits(type), per = m.per_chunk != 0 ? m.per_chunk : 128 / bits;
  const bool integer = is_integer_element(type);
  tile.reshape(by_row ? rows : depth, by_row ? depth : rows, integer);
  undefined.assign(rows, false);
  const unsigned along = m.mn_major ? depth : rows, chunks = (m.mn_major ? rows : depth) / per;
  Access a;
  a.space = ptx::Space::kShared;
  a.kind = AccessKind::kLoad;
  a.bytes = 16;
  a.on_behalf = on_behalf;
  // 32 chunks at a time, as if each lane read one.
  for (unsigned next = 0; next < along * chunks; next += kLanes) {
    const unsigned count = std::min(kLanes, along * chunks - next);
    for (unsigned l = 0; l < count; ++l) {
      const unsigned line = (next + l) / chunks, chunk = (next + l) % chunks * per;
      a.address[l] = m.window + (m.mn_major ? chunk_address(m, per, first + chunk, line)
                                            : chunk_address(m, per, first + line, chunk));
    }
    if (!resolve(w, op, mask_of_first(count), a)) return false;
    for (unsigned l = 0; l < count; ++l) {
      const unsigned line = (next + l) / chunks, chunk = (next + l) % chunks * per;
      uint64_t words[3] = {};
      std::memcpy(words, a.at[l], 16);
      // Bytes that hold elements; padding may be undefined.
      const uint32_t held = (1u << (per * bits / 8)) - 1;
      const bool bad = (a.undefined >> l & 1) != 0 && (a.undefined_bytes[l] & held) != 0;
      for (unsigned e = 0; e < per; ++e) {
        const unsigned at = e * bits;
        uint64_t word = words[at / 64] >> (at % 64);
        if (at % 64 + bits > 64) word |= words[at / 64 + 1] << (64 - at % 64);
        const auto raw = static_cast<uint32_t>(word) & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
        const unsigned mn = m.mn_major ? chunk + e : line, k = m.mn_major ? line : chunk + e;
        if (bad) undefined[mn] = true;
        const unsigned r = by_row ? mn : k, c = by_row ? k : mn;
        if (integer) {
          tile.int_at(r, c) = decode_integer(type, raw);
        } else {
          tile.at(r, c) = decode_float(type, raw);
        }
      }
    }
  }
  return true;
}

}  // namespace pitot::emulator
