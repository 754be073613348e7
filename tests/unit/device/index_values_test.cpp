// Initial values that are indices, and initial values that depend on the size.
#include "device/index_values.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "device/spec.h"
#include "device/values.h"

namespace pitot::device {
namespace {

using testing::HasSubstr;

std::vector<uint32_t> words(std::string_view init, uint64_t count, uint64_t seed = 1,
                            uint64_t first = 0) {
  auto bytes = initial_values(init, ptx::Type::kU32, count, seed, 0, first);
  EXPECT_TRUE(bytes) << bytes.error().message;
  std::vector<uint32_t> out(count);
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

TEST(IndexValues, PermutationHasEachOnceInNoOrder) {
  for (const uint32_t n : {1u, 2u, 3u, 31u, 64u, 1000u, 65537u}) {
    const auto p = words("permutation(" + std::to_string(n) + ")", n);
    std::vector<uint32_t> sorted = p, all(n);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all) << n;
    if (n >= 31) {
      EXPECT_NE(p, all) << n;
    }
  }
  EXPECT_NE(words("permutation(1000)", 1000, 1), words("permutation(1000)", 1000, 2));
}

TEST(IndexValues, NeighboursOfAPermutationAreFarApart) {
  const auto p = words("permutation(100000)", 100000);
  double apart = 0;
  for (size_t i = 1; i < p.size(); ++i)
    apart += std::fabs(static_cast<double>(p[i]) - static_cast<double>(p[i - 1]));
  // A third of the range, as of two uniform numbers.
  EXPECT_NEAR(apart / 1e10, 1.0 / 3, 0.01);
}

TEST(IndexValues, CycleGoesThroughAll) {
  for (const uint32_t n : {1u, 2u, 7u, 64u, 50021u}) {
    const auto next = words("cycle(" + std::to_string(n) + ")", n);
    uint32_t at = 0, steps = 0;
    do {
      at = next[at];
      ++steps;
    } while (at != 0 && steps <= n);
    EXPECT_EQ(steps, n);
  }
}

TEST(IndexValues, OffsetsRiseAndGroupsAreExact) {
  const auto rows = words("csr_offsets(10, 1)", 64 * 50 + 1);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (size_t g = 0; g <= 50; ++g) EXPECT_EQ(rows[64 * g], 640 * g);
  uint32_t longest = 0, shortest = UINT32_MAX;
  for (size_t i = 1; i < rows.size(); ++i) {
    longest = std::max(longest, rows[i] - rows[i - 1]);
    shortest = std::min(shortest, rows[i] - rows[i - 1]);
  }
  EXPECT_GT(longest, 50u);
  EXPECT_LT(shortest, 3u);
  const auto alike = words("csr_offsets(10, 0)", 100);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_NEAR(alike[i], 10 * i, 1);
}

TEST(IndexValues, APieceIsAsInTheWhole) {
  for (const char* init : {"permutation(1000)", "cycle(1000)", "csr_offsets(5, 1)"}) {
    const auto all = words(init, 900);
    EXPECT_EQ(words(init, 100, 1, 777), std::vector<uint32_t>(all.begin() + 777, all.begin() + 877))
        << init;
  }
}

TEST(IndexValues, ArgumentsOutOfRangeAreErrors) {
  for (const char* init :
       {"permutation(0)", "permutation(1.5)", "permutation()", "cycle(-1)", "cycle(1, 2)",
        "csr_offsets(4)", "csr_offsets(4, -1)", "csr_offsets(0.5, 1)", "csr_offsets(4, 1000)"})
    EXPECT_FALSE(initial_values(init, ptx::Type::kU32, 1, 0)) << init;
}

TEST(Initialiser, ArgumentsAreExpressionsOfTheSizes) {
  const Sizes sizes{{"m", 7}, {"n", 20}};
  EXPECT_EQ(*initialiser_at("normal", sizes), "normal");
  EXPECT_EQ(*initialiser_at("uniform(0, ceil_div(n, m) * 2)", sizes), "uniform(0, 6)");
  EXPECT_EQ(*initialiser_at("uniform(-0.5, 1e-3)", sizes), "uniform(-0.5, 0.001)");
  EXPECT_EQ(*initialiser_at("permutation( max(m, n) )", sizes), "permutation(20)");
  EXPECT_THAT(initialiser_at("permutation(k)", sizes).error().message,
              HasSubstr("no size is named 'k'"));
  EXPECT_FALSE(initialiser_at("permutation(n", sizes));
}

TEST(Initialiser, ASpecIsToldWhereItIsWrong) {
  const std::string head =
      "schema = \"pitot.kernel/1\"\nptx = \"k.ptx\"\n[launch]\nblock = [32]\n[[sizes]]\n"
      "n = 8\n[[sizes]]\nn = 0\n[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"u32\"\n"
      "count = \"n\"\ninit = ";
  auto complaints = [&](const std::string& init) {
    Diagnostics found;
    read_spec(SourceText("k.kernel.toml", head + '"' + init + "\"\n"), found);
    return found;
  };
  EXPECT_EQ(complaints("permutation(n + 1)").errors(), 0u);
  for (const char* bad : {"permutation(n)", "permutation(m)", "permutation(n +)", "shuffle(n)"}) {
    const Diagnostics found = complaints(bad);
    ASSERT_EQ(found.errors(), 1u) << bad;  // once, although there are two sizes
  }
}

}  // namespace
}  // namespace pitot::device
