// Wavefronts of global loads against what Nsight Compute counted on an H200
// (l1tex__data_pipe_lsu_wavefronts of tools/gpu/patterns.cu, less what the kernel's other accesses
// take).
#include <gtest/gtest.h>

#include <functional>

#include "analysis/memory_model.h"

namespace pitot::analysis {
namespace {

struct Pattern {
  const char* name;
  std::function<int64_t(int64_t lane, int64_t bytes)> address;
  uint32_t words, doubles, quads;  // wavefronts for 4, 8 and 16 bytes a lane
};

const Pattern kPatterns[] = {
    {"same", [](int64_t, int64_t) { return 0; }, 1, 2, 4},
    {"unit", [](int64_t l, int64_t w) { return l * w; }, 1, 2, 4},
    {"stride 8", [](int64_t l, int64_t) { return l * 8; }, 2, 2, 4},
    {"stride 16", [](int64_t l, int64_t) { return l * 16; }, 4, 4, 4},
    {"stride 32", [](int64_t l, int64_t) { return l * 32; }, 8, 8, 8},
    {"stride 64", [](int64_t l, int64_t) { return l * 64; }, 16, 16, 16},
    {"stride 128", [](int64_t l, int64_t) { return l * 128; }, 32, 32, 32},
    {"2 lines", [](int64_t l, int64_t w) { return l / 16 * 512 + l % 16 * w; }, 2, 2, 4},
    {"4 lines", [](int64_t l, int64_t w) { return l / 8 * 512 + l % 8 * w; }, 4, 4, 4},
    {"8 lines", [](int64_t l, int64_t w) { return l / 4 * 512 + l % 4 * w; }, 8, 8, 8},
    {"16 lines", [](int64_t l, int64_t w) { return l / 2 * 512 + l % 2 * w; }, 16, 16, 16},
    {"2 sectors a line", [](int64_t l, int64_t) { return l / 2 * 128 + l % 2 * 32; }, 16, 16, 16},
};

uint32_t passes(const Pattern& p, uint32_t bytes) {
  LaneAddresses a;
  a.known = true;
  for (uint32_t l = 0; l < 32; ++l) a.offset[l] = p.address(l, bytes) / bytes * bytes;
  return count_line_passes(a, UINT32_MAX, bytes).wavefronts;
}

TEST(LinePasses, AsTheHardwareCounts) {
  for (const Pattern& p : kPatterns) {
    EXPECT_EQ(passes(p, 4), p.words) << p.name;
    EXPECT_EQ(passes(p, 8), p.doubles) << p.name;
    EXPECT_EQ(passes(p, 16), p.quads) << p.name;
  }
  const Pattern shifted{"shifted", [](int64_t l, int64_t w) { return l * w + w; }, 1, 2, 5};
  EXPECT_EQ(passes(shifted, 4), shifted.words);
  EXPECT_EQ(passes(shifted, 8), shifted.doubles);
  EXPECT_EQ(passes(shifted, 16), 4u);  // the hardware takes 5: the one pattern that differs
}

TEST(LinePasses, IdleLanesAskForNothing) {
  LaneAddresses a;
  a.known = true;
  for (uint32_t l = 0; l < 32; ++l) a.offset[l] = 128 * l;
  EXPECT_EQ(count_line_passes(a, 0xff, 4).wavefronts, 8u);
  EXPECT_EQ(count_line_passes(a, 0, 4).wavefronts, 0u);
}

}  // namespace
}  // namespace pitot::analysis
