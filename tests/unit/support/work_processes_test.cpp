// Items are worked on once each, also when processes die.
#include "support/work_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace pitot {
namespace {

// Counts that all processes see.
struct Counts {
  static constexpr size_t kItems = 200;
  std::atomic<unsigned>* at;
  Counts()
      : at(static_cast<std::atomic<unsigned>*>(mmap(nullptr, kItems * sizeof(std::atomic<unsigned>),
                                                    PROT_READ | PROT_WRITE,
                                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    for (size_t i = 0; i < kItems; ++i) new (at + i) std::atomic<unsigned>(0);
  }
  ~Counts() { munmap(at, kItems * sizeof(std::atomic<unsigned>)); }
};

TEST(WorkProcesses, EachItemOnce) {
  for (unsigned workers : {1u, 2u, 5u, 300u}) {
    Counts counts;
    size_t told = 0;
    auto done = work_in_processes(
        Counts::kItems, workers,
        [&](size_t i) {
          ++counts.at[i];
          return i % 10 != 3;
        },
        [&](size_t n) { told = n; });
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->failed, Counts::kItems / 10);
    EXPECT_TRUE(done->lost.empty());
    EXPECT_EQ(told, Counts::kItems);
    for (size_t i = 0; i < Counts::kItems; ++i) EXPECT_EQ(counts.at[i], 1u) << i;
  }
}

TEST(WorkProcesses, ADeadProcessLosesItsItemOnly) {
  Counts counts;
  auto done = work_in_processes(Counts::kItems, 2,
                                [&](size_t i) {
                                  ++counts.at[i];
                                  if (i == 5 || i == 150) raise(SIGKILL);
                                  if (i == 70) _exit(0);
                                  return true;
                                },
                                {});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->lost, (std::vector<size_t>{5, 70, 150}));
  for (size_t i = 0; i < Counts::kItems; ++i) EXPECT_EQ(counts.at[i], 1u) << i;
}

TEST(WorkProcesses, Nothing) {
  auto done = work_in_processes(0, 4, [](size_t) { return false; }, {});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->failed, 0u);
}

}  // namespace
}  // namespace pitot
