// Occupancy against cuda_occupancy.h of the installed toolkit, over a grid of launches on every
// compute capability; and the recorder of the golden file that is tested without a toolkit.
#include <gtest/gtest.h>

#include <fstream>

#include "arch/occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#define PITOT_HAVE_CUDA_OCCUPANCY 1
#include <cuda_occupancy.h>
#endif

namespace pitot::arch {
namespace {

#ifndef PITOT_HAVE_CUDA_OCCUPANCY

TEST(OccupancyDifferential, AgreesWithCudaOccupancyHeader) {
  GTEST_SKIP() << "cuda_occupancy.h was not found when the tests were built";
}

#else

cudaOccDeviceProp device(const Capability& c) {
  cudaOccDeviceProp p;
  p.computeMajor = c.major;
  p.computeMinor = c.minor;
  p.maxThreadsPerBlock = static_cast<int>(*c.threads_per_block);
  p.maxThreadsPerMultiprocessor = static_cast<int>(*c.threads_per_sm);
  p.regsPerBlock = static_cast<int>(*c.registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(*c.registers_per_sm);
  p.warpSize = 32;
  p.sharedMemPerBlock = *c.shared_per_block;
  p.sharedMemPerMultiprocessor = *c.shared_per_sm;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = *c.shared_per_block_optin;
  p.reservedSharedMemPerBlock = *c.shared_reserved_per_block;
  return p;
}

// False if the header does not know the capability.
bool reference(const Capability& c, const LaunchResources& launch, cudaOccResult& out) {
  cudaOccDeviceProp properties = device(c);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = static_cast<int>(launch.registers_per_thread);
  attributes.sharedSizeBytes = launch.static_shared;
  attributes.shmemLimitConfig =
      launch.shared_optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  attributes.maxDynamicSharedSizeBytes = launch.dynamic_shared;
  attributes.numBlockBarriers = static_cast<int>(launch.barriers);
  cudaOccDeviceState state;
  if (launch.carveout_percent) state.carveoutConfig = static_cast<int>(*launch.carveout_percent);
  out = {};
  return cudaOccMaxActiveBlocksPerMultiprocessor(&out, &properties, &attributes, &state,
                                                 static_cast<int>(launch.threads),
                                                 launch.dynamic_shared) == CUDA_OCC_SUCCESS;
}

uint32_t limit(int value) { return value == INT_MAX ? kUnlimited : static_cast<uint32_t>(value); }

struct Shared {
  uint32_t fixed, dynamic;
};
constexpr Shared kShared[] = {{0, 0},          {1, 0},          {1024, 0},       {0, 4096},
                              {8192, 100},     {16384, 0},      {24000, 0},      {0, 33000},
                              {48 * 1024, 0},  {0, 48 * 1024},  {0, 49153},      {1024, 48 * 1024},
                              {0, 64 * 1024},  {0, 65537},      {0, 98304},      {0, 99 * 1024},
                              {0, 100 * 1024}, {512, 120000},   {0, 163 * 1024}, {0, 166913},
                              {0, 200000},     {0, 227 * 1024}, {0, 232449}};

template <class Body>
void each_launch(bool dense, Body body) {
  for (uint32_t threads = 1; threads <= 1056; threads += threads < 33 ? 31 : dense ? 32 : 96) {
    for (uint32_t registers = 0; registers <= 255; registers += dense ? 1 : 17) {
      for (const Shared& shared : kShared) {
        LaunchResources launch{.threads = threads,
                               .registers_per_thread = registers,
                               .static_shared = shared.fixed,
                               .dynamic_shared = shared.dynamic};
        body(launch);
        if (registers % 51 != 17 && registers != 32) continue;
        launch.shared_optin = false;
        body(launch);
        launch.shared_optin = true;
        for (uint32_t percent : {0u, 25u, 50u, 99u, 100u}) {
          launch.carveout_percent = percent;
          body(launch);
        }
        launch.carveout_percent = std::nullopt;
        for (uint32_t barriers : {1u, 2u, 5u, 16u}) {
          launch.barriers = barriers;
          body(launch);
        }
      }
    }
  }
}

std::string text(const LaunchResources& l) {
  return std::to_string(l.threads) + " threads, " + std::to_string(l.registers_per_thread) +
         " registers, " + std::to_string(l.static_shared) + "+" + std::to_string(l.dynamic_shared) +
         " shared, carveout " +
         (l.carveout_percent ? std::to_string(*l.carveout_percent) : std::string("default")) +
         ", barriers " + std::to_string(l.barriers) + (l.shared_optin ? "" : ", no opt-in");
}

TEST(OccupancyDifferential, AgreesWithCudaOccupancyHeader) {
  size_t compared = 0, launches = 0, mismatches = 0;
  for (const Capability& c : capabilities()) {
    each_launch(true, [&](const LaunchResources& launch) {
      cudaOccResult expected;
      if (!reference(c, launch, expected)) {
        // The header answers a block too large for the SM with an error instead of with 0 blocks.
        EXPECT_FALSE(occupancy(c, launch).runs()) << c.sm() << ": " << text(launch);
        return;
      }
      Occupancy actual = occupancy(c, launch);
      ++compared;
      bool same = actual.blocks == static_cast<uint32_t>(expected.activeBlocksPerMultiprocessor) &&
                  actual.runs() == (expected.activeBlocksPerMultiprocessor > 0);
      if (actual.runs() && same) {
        ++launches;
        same = actual.by_warps == limit(expected.blockLimitWarps) &&
               actual.by_registers == limit(expected.blockLimitRegs) &&
               actual.by_shared == limit(expected.blockLimitSharedMem) &&
               actual.by_blocks == limit(expected.blockLimitBlocks) &&
               actual.by_barriers == limit(expected.blockLimitBarriers) &&
               actual.registers_per_block ==
                   static_cast<uint32_t>(expected.allocatedRegistersPerBlock) &&
               actual.shared_per_block == expected.allocatedSharedMemPerBlock;
        // The header leaves stale bits behind when barriers turn out to be the tighter limit.
        if (!(expected.limitingFactors & OCC_LIMIT_BARRIERS))
          same = same && actual.limits == expected.limitingFactors;
      }
      if (same || ++mismatches > 20) return;
      ADD_FAILURE() << "sm_" << c.sm() << ": " << text(launch) << ": " << actual.blocks
                    << " blocks, header " << expected.activeBlocksPerMultiprocessor;
    });
  }
  EXPECT_EQ(mismatches, 0u);
  EXPECT_GT(launches, 1000000u);  // the grid must not have shrunk to refused launches
  RecordProperty("compared", static_cast<int>(compared));
}

// Writes the golden file again: --gtest_also_run_disabled_tests --gtest_filter='*Golden*'.
TEST(OccupancyDifferential, DISABLED_RecordGoldenFile) {
  std::ofstream out(PITOT_SOURCE_DIR "/tests/data/arch/occupancy.csv");
  out << "sm,threads,registers,static,dynamic,optin,carveout,barriers,"
         "blocks,by_warps,by_registers,by_shared,by_barriers,registers_per_block,shared_per_"
         "block\n";
  size_t index = 0;
  for (const Capability& c : capabilities()) {
    each_launch(false, [&](const LaunchResources& l) {
      // A prime stride keeps the file small and still meets every combination of the axes.
      if (++index % 61 != 0) return;
      cudaOccResult r;
      if (!reference(c, l, r)) return;
      out << c.sm() << ',' << l.threads << ',' << l.registers_per_thread << ',' << l.static_shared
          << ',' << l.dynamic_shared << ',' << l.shared_optin << ','
          << (l.carveout_percent ? static_cast<int>(*l.carveout_percent) : -1) << ',' << l.barriers
          << ',' << r.activeBlocksPerMultiprocessor << ',' << limit(r.blockLimitWarps) << ','
          << limit(r.blockLimitRegs) << ',' << limit(r.blockLimitSharedMem) << ','
          << limit(r.blockLimitBarriers) << ',' << r.allocatedRegistersPerBlock << ','
          << r.allocatedSharedMemPerBlock << '\n';
    });
  }
  EXPECT_TRUE(out.good());
}

#endif

}  // namespace
}  // namespace pitot::arch
