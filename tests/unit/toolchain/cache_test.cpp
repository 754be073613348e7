// The disk cache: round trips, damage, bounds, several writers.
#include "toolchain/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "support/file.h"
#include "support/parallel.h"

namespace pitot::toolchain {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pitot-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::vector<fs::path> files() {
    std::vector<fs::path> result;
    for (const auto& entry : fs::recursive_directory_iterator(directory_))
      if (entry.is_regular_file()) result.push_back(entry.path());
    return result;
  }
  std::string directory_;
};

TEST_F(CacheTest, RoundTrip) {
  auto cache = Cache::open(directory_ + "/a/b");
  ASSERT_TRUE(cache.ok());
  Hash128 key = hash_bytes("key");
  EXPECT_FALSE(cache->get(key));
  std::string bytes("a\0b\n", 4);
  EXPECT_TRUE(cache->put(key, bytes));
  EXPECT_EQ(cache->get(key), bytes);
  EXPECT_TRUE(cache->put(key, ""));
  EXPECT_EQ(cache->get(key), "");
  EXPECT_FALSE(cache->get(hash_bytes("other")));
}

TEST_F(CacheTest, DamagedEntriesReadAsAbsent) {
  auto cache = Cache::open(directory_);
  ASSERT_TRUE(cache.ok());
  Hash128 key = hash_bytes("key");
  ASSERT_TRUE(cache->put(key, "precious"));
  ASSERT_EQ(files().size(), 1u);
  std::string file = files()[0].string();
  std::string whole = *read_file(file);
  for (size_t keep : {size_t{0}, size_t{5}, size_t{20}, whole.size() - 1}) {
    ASSERT_TRUE(write_file(file, whole.substr(0, keep)).ok());
    EXPECT_FALSE(cache->get(key)) << keep;
  }
  std::string flipped = whole;
  flipped.back() ^= 1;
  ASSERT_TRUE(write_file(file, flipped).ok());
  EXPECT_FALSE(cache->get(key));
  ASSERT_TRUE(cache->put(key, "precious"));
  EXPECT_EQ(cache->get(key), "precious");
}

TEST_F(CacheTest, TheLongestUnusedGoFirst) {
  auto cache = Cache::open(directory_, 10000);
  ASSERT_TRUE(cache.ok());
  std::string bytes(450, 'x');
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(cache->put(hash_bytes(std::to_string(i)), bytes));
    // Distinct ages; entry 0 is used again each time.
    ::usleep(2000);
    cache->get(hash_bytes("0"));
  }
  cache->trim();
  uint64_t total = 0;
  for (const auto& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, 10000u);
  EXPECT_GT(total, 5000u);
  EXPECT_TRUE(cache->get(hash_bytes("0")));
  EXPECT_TRUE(cache->get(hash_bytes("39")));
  EXPECT_FALSE(cache->get(hash_bytes("1")));
}

// Each run of a program writes little; all of them together must keep the bound all the same.
TEST_F(CacheTest, ManyShortRunsKeepTheBound) {
  std::string bytes(1000, 'x');
  for (int i = 0; i < 2000; ++i) {
    auto cache = Cache::open(directory_, 200000);
    ASSERT_TRUE(cache.ok());
    ASSERT_TRUE(cache->put(hash_bytes("run" + std::to_string(i)), bytes));
  }
  EXPECT_LT(files().size(), 1000u);
  EXPECT_GT(files().size(), 100u);
}

TEST_F(CacheTest, AbandonedTemporaryFilesGo) {
  auto cache = Cache::open(directory_);
  ASSERT_TRUE(cache.ok());
  fs::create_directories(directory_ + "/ab");
  std::string old_file = directory_ + "/ab/cd.entry.tmp.123456";
  std::string new_file = directory_ + "/ab/cd.entry.tmp.654321";
  ASSERT_TRUE(write_file(old_file, "x").ok());
  ASSERT_TRUE(write_file(new_file, "x").ok());
  fs::last_write_time(old_file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache->trim();
  EXPECT_FALSE(fs::exists(old_file));
  EXPECT_TRUE(fs::exists(new_file));
}

TEST_F(CacheTest, ManyWritersOfTheSameKeys) {
  auto cache = Cache::open(directory_);
  auto other = Cache::open(directory_);
  ASSERT_TRUE(cache.ok() && other.ok());
  std::atomic<int> bad{0};
  parallel_for(400, 8, [&](size_t i) {
    Cache& mine = i % 2 == 0 ? *cache : *other;
    Hash128 key = hash_bytes(std::to_string(i % 10));
    std::string bytes(5000 + i % 10, static_cast<char>('a' + i % 10));
    mine.put(key, bytes);
    auto got = mine.get(key);
    if (!got || *got != bytes) ++bad;
  });
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(files().size(), 10u);
}

TEST_F(CacheTest, UnusableDirectoriesAreErrors) {
  ASSERT_TRUE(write_file(directory_ + "/file", "x").ok());
  EXPECT_FALSE(Cache::open(directory_ + "/file/below").ok());
  EXPECT_FALSE(Cache::open("").ok());
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  std::string saved = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(default_cache_directory(), "/some/where/pitot");
  ::unsetenv("XDG_CACHE_HOME");
  if (const char* home = std::getenv("HOME")) {
    EXPECT_EQ(default_cache_directory(), std::string(home) + "/.cache/pitot");
  }
  if (before != nullptr) ::setenv("XDG_CACHE_HOME", saved.c_str(), 1);
}

}  // namespace
}  // namespace pitot::toolchain
