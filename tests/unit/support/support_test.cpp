// Support library: positions, files, text helpers, hashing, parallel loops.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/demangle.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/parallel.h"
#include "support/source.h"
#include "support/text.h"

namespace pitot {
namespace {

TEST(SourceText, PositionsWithEveryLineEnding) {
  SourceText s("p", "ab\ncd\r\nef\rgh");
  EXPECT_EQ(s.line_count(), 4u);
  EXPECT_EQ(s.line(2), "cd");
  EXPECT_EQ(s.line(3), "ef");
  EXPECT_EQ(s.line(4), "gh");
  EXPECT_EQ(s.line(5), "");
  EXPECT_EQ(s.position(3).line, 2u);
  EXPECT_EQ(s.position(8).line, 3u);
  EXPECT_EQ(s.position(8).column, 2u);
  EXPECT_EQ(s.position(12).line, 4u);
}

// The line table is built by whoever asks first, here by several threads at a time.
TEST(SourceText, ManyThreadsMayAskFirst) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "line\n";
  for (int round = 0; round < 50; ++round) {
    const SourceText s("p", text);
    std::vector<uint32_t> lines(64);
    parallel_for(lines.size(), 8,
                 [&](size_t i) { lines[i] = s.position(static_cast<uint32_t>(5 * i)).line; });
    for (uint32_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], i + 1);
  }
}

// A renamed file would take the place of the pipe, the device or the link.
TEST(Files, PipesAndLinksAreWrittenThrough) {
  namespace fs = std::filesystem;
  const fs::path dir = fs::temp_directory_path() / ("pitot-pipe-" + std::to_string(::getpid()));
  fs::create_directories(dir);
  const std::string pipe = (dir / "pipe").string(), link = (dir / "link").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int fd = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(write_file(pipe, "abc").ok());
  char got[8] = {};
  EXPECT_EQ(::read(fd, got, sizeof got), 3);
  EXPECT_STREQ(got, "abc");
  ::close(fd);
  EXPECT_TRUE(fs::is_fifo(pipe));
  ASSERT_TRUE(write_file((dir / "file").string(), "old").ok());
  fs::create_symlink("file", link);
  EXPECT_TRUE(write_file(link, "new").ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file((dir / "file").string()).value(), "new");
  EXPECT_FALSE(write_file(dir.string(), "x").ok());
  fs::remove_all(dir);
}

TEST(Files, WrittenByRenameAndReadBack) {
  namespace fs = std::filesystem;
  fs::path dir = fs::temp_directory_path() / ("pitot-file-" + std::to_string(::getpid()));
  fs::create_directories(dir / "sub");
  std::string path = (dir / "sub" / "a.ptx").string();
  std::string content("x\0y", 3);
  ASSERT_TRUE(write_file(path, content).ok());
  EXPECT_EQ(read_file(path).value(), content);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "sub"), fs::directory_iterator()), 1);
  std::ofstream(dir / "b.txt") << "no";
  auto list = list_files(dir.string(), {".ptx"});
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(*list, testing::ElementsAre(path));
  EXPECT_FALSE(read_file((dir / "missing").string()).ok());
  EXPECT_THAT(read_file(dir.string()).error().message, testing::HasSubstr("directory"));
  EXPECT_FALSE(write_file((dir / "no" / "x").string(), "").ok());
  fs::remove_all(dir);
}

TEST(Text, NearestName) {
  std::string_view names[] = {"global", "shared", "local"};
  EXPECT_EQ(nearest("gobal", names), "global");
  EXPECT_EQ(nearest("sahred", names), "shared");
  EXPECT_EQ(nearest("xyz", names), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(Text, Glob) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("gemm_*", "gemm_tn<int>"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("k[0-9]*x", "k7yyx"));
  EXPECT_FALSE(glob_match("k[!0-9]", "k7"));
  EXPECT_FALSE(glob_match("abc", "abcd"));
  // No exponential time.
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST(Hash, KnownValueAndSeed) {
  EXPECT_EQ(hash_bytes("").hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(hash_bytes("a"), hash_bytes("a", 1));
  EXPECT_NE(combine(hash_bytes("a"), hash_bytes("b")), combine(hash_bytes("b"), hash_bytes("a")));
}

TEST(Parallel, EveryItemOnce) {
  for (unsigned workers : {1u, 2u, 7u}) {
    std::vector<int> seen(1000, 0);
    parallel_for(seen.size(), workers, [&](size_t i) { ++seen[i]; });
    EXPECT_THAT(seen, testing::Each(1));
  }
}

TEST(Demangle, NamesOfKernels) {
  EXPECT_EQ(demangle("_Z6vecAddPKfS0_Pfi"), "vecAdd(float const*, float const*, float*, int)");
  EXPECT_EQ(demangle("triton_kernel"), "triton_kernel");
  EXPECT_EQ(demangle("_Zgarbage"), "_Zgarbage");
}

TEST(Diagnostics, LimitAndOrder) {
  Diagnostics d(2);
  d.warning("w", {5, 6}, "later");
  d.error("e", {1, 2}, "earlier");
  d.error("e", {1, 2}, "dropped");
  EXPECT_EQ(d.errors(), 2u);
  EXPECT_EQ(d.dropped(), 1u);
  d.sort();
  EXPECT_EQ(d.items()[0].code, "e");
}

}  // namespace
}  // namespace pitot
