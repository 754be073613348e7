#include "arch/launch_limits.h"

#include <fmt/format.h>

#include "arch/gpu.h"

namespace pitot::arch {
namespace {

constexpr const char* kAxis[] = {"x", "y", "z"};

uint64_t product(const std::array<uint32_t, 3>& d) { return uint64_t{d[0]} * d[1] * d[2]; }

std::optional<ShapeProblem> cluster_problem(const LaunchShape& l, unsigned sm,
                                            const Capability* c) {
  const uint64_t blocks = product(l.cluster);
  if (blocks > 1) {
    if (sm < 90)
      return ShapeProblem{LaunchPart::kCluster,
                          fmt::format("sm_{} has no clusters, they begin with sm_90", sm)};
    // What a GPU takes with the opt-in for larger clusters, where that is known.
    const uint32_t most = c == nullptr ? 16 : c->cluster_max.value_or(16);
    if (blocks > most)
      return ShapeProblem{
          LaunchPart::kCluster,
          fmt::format("a cluster of {} blocks: sm_{} takes at most {}", blocks, sm, most)};
  }
  for (size_t i = 0; i < 3; ++i)
    if (l.grid[i] % l.cluster[i] != 0)
      return ShapeProblem{LaunchPart::kCluster,
                          fmt::format("{} blocks in {} are no multiple of the cluster's {}",
                                      l.grid[i], kAxis[i], l.cluster[i])};
  return std::nullopt;
}

}  // namespace

std::optional<ShapeProblem> launch_problem(const LaunchShape& l, unsigned sm) {
  const Capability* c = find_capability(sm);
  for (size_t i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > kMostGrid[i])
      return ShapeProblem{LaunchPart::kGrid,
                          fmt::format("a grid of {} blocks in {}: 1 to {} on every GPU", l.grid[i],
                                      kAxis[i], kMostGrid[i])};
    if (l.cluster[i] == 0)
      return ShapeProblem{LaunchPart::kCluster,
                          fmt::format("a cluster of 0 blocks in {}", kAxis[i])};
  }
  // Of several figures that are too large, the product says most.
  const uint64_t threads = product(l.block);
  const uint32_t most_threads = c == nullptr ? 1024 : c->threads_per_block.value_or(1024);
  if (threads > most_threads)
    return ShapeProblem{
        LaunchPart::kBlock,
        fmt::format("a block of {} threads: sm_{} takes at most {}", threads, sm, most_threads)};
  for (size_t i = 0; i < 3; ++i)
    if (l.block[i] == 0 || l.block[i] > kMostBlock[i])
      return ShapeProblem{LaunchPart::kBlock,
                          fmt::format("a block of {} threads in {}: 1 to {} on every GPU",
                                      l.block[i], kAxis[i], kMostBlock[i])};
  if (auto problem = cluster_problem(l, sm, c)) return problem;
  if (c != nullptr && c->shared_per_block_optin && l.shared > *c->shared_per_block_optin)
    return ShapeProblem{LaunchPart::kShared,
                        fmt::format("{} bytes of shared memory a block: sm_{} takes at most {}",
                                    l.shared, sm, *c->shared_per_block_optin)};
  return std::nullopt;
}

uint32_t most_shared(unsigned sm) {
  const Capability* c = find_capability(sm);
  return c == nullptr ? 48u << 10 : c->shared_per_block_optin.value_or(48u << 10);
}

}  // namespace pitot::arch
