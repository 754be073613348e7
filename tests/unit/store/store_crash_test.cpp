// Writers that are killed while they write, and writers that write at the same time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "record_samples.h"
#include "store/store.h"
#include "store_folder.h"

namespace pitot::store {
namespace {

using test::comparison;
using test::measurement;

class StoreProcesses : public test::StoreFolder {
 protected:
  // Runs `work` in a process of its own; its exit status is what `work` returns.
  template <class Work>
  pid_t start(Work&& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    EXPECT_GT(child, 0);
    return child;
  }
};

// Writes what is not there yet of `count` records and says each number when it is safe.
int write_missing(const std::string& path, uint64_t count, int said) {
  auto store = Store::open(path);
  if (!store) return 1;
  for (uint64_t n = 0; n < count; ++n) {
    auto there = store->has(key_of(measurement(n)));
    if (!there) return 2;
    if (*there) continue;
    if (!store->put(measurement(n))) return 3;
    if (n % 10 == 0 && !store->put(comparison(n))) return 4;
    if (::write(said, &n, sizeof n) != sizeof n) return 5;
  }
  return 0;
}

TEST_F(StoreProcesses, AKillAtAnyMomentLosesNothingThatWasFinished) {
  constexpr uint64_t kRecords = 1000;
  std::mt19937 random(7);
  std::vector<bool> finished(kRecords, false);
  unsigned kills = 0;
  for (unsigned attempt = 0;; ++attempt) {
    ASSERT_LT(attempt, 2000u);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = start([&] {
      ::close(ends[0]);
      return write_missing(path_, kRecords, ends[1]);
    });
    ::close(ends[1]);
    // The first kills hit while the file is made, later ones after some records more.
    const auto patience = attempt < 30 ? attempt * 200 : random() % 60000;
    if (kills < 60) {
      ::usleep(static_cast<useconds_t>(patience));
      ::kill(child, SIGKILL);
    }
    for (uint64_t n; ::read(ends[0], &n, sizeof n) == sizeof n;) {
      EXPECT_FALSE(finished[n]) << "written twice";
      finished[n] = true;
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    kills += WIFSIGNALED(status) ? 1 : 0;

    auto store = Store::open(path_);
    ASSERT_TRUE(store.ok()) << store.error().message;
    if (!WIFSIGNALED(status)) break;
    if (attempt % 8 != 0) continue;
    auto all = store->measurements();
    ASSERT_TRUE(all.ok()) << all.error().message;
    uint64_t promised = 0;
    for (uint64_t n = 0; n < kRecords; ++n) {
      if (!finished[n]) continue;
      ++promised;
      ASSERT_TRUE(*store->has(key_of(measurement(n)))) << n;
    }
    EXPECT_GE(all->size(), promised);
    for (const auto& r : *all) ASSERT_EQ(r.samples.size(), 3u);
  }
  EXPECT_GE(kills, 20u);
  auto store = Store::open(path_);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->measurements()->size(), kRecords);
  for (const auto& c : *store->comparisons()) EXPECT_EQ(c.b.kernel, "saxpy_fast");
}

TEST_F(StoreProcesses, WritersWaitForOneAnother) {
  constexpr unsigned kWriters = 4;
  constexpr uint64_t kEach = 40;
  std::vector<pid_t> children;
  for (unsigned w = 0; w < kWriters; ++w)
    children.push_back(start([this, w] {
      auto store = Store::open(path_);
      if (!store) return 1;
      for (uint64_t n = 0; n < kEach; ++n) {
        if (!store->put(measurement(w * kEach + n))) return 2;
        if (!store->put(comparison(n))) return 3;  // the same of all
        if (!store->measurements({.size = "n=1000"})) return 4;
      }
      return 0;
    }));
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  }
  auto store = Store::open(path_);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->measurements()->size(), kWriters * kEach);
  EXPECT_EQ(store->comparisons()->size(), kEach);
}

}  // namespace
}  // namespace pitot::store
