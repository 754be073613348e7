// Judged candidates come back as they went in; files that are none are left alone.
#include "store/bench_archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"
#include "support/file.h"

namespace pitot::store {
namespace {

class BenchArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             ("pitot-archive-" + std::to_string(::getpid()) + info->name()))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  BenchArchive open() {
    auto a = BenchArchive::open(path_);
    EXPECT_TRUE(a.ok()) << a.error().message;
    return std::move(*a);
  }
  std::string path_;
};

bench::Judgement made(uint32_t sample) {
  bench::Judgement j;
  j.task = "t";
  j.kind = "k";
  j.candidate = "c\"ä'";
  j.program = "p" + std::to_string(sample % 2);
  j.generator = "g";
  j.round = 2;
  j.sample = sample;
  j.tier = bench::Tier::kTimed;
  j.verdict = bench::Verdict::kImprecise;
  j.reason = "why";
  j.line = 7;
  j.findings = {{"clock", "it reads %clock", 9}, {"x", "y", 0}};
  j.trials = 33;
  j.worst_error = 1.5;
  j.timings = {{"n=1", "warm", 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  j.speedup = 1.25;
  j.seed = 0xfedcba9876543210;
  j.registers = 40;
  return j;
}

TEST_F(BenchArchiveTest, KeepsEverything) {
  {
    BenchArchive a = open();
    ASSERT_TRUE(a.put(made(0), "how", "text0").ok());
    ASSERT_TRUE(a.put(made(1), "how", "text1").ok());
    ASSERT_TRUE(a.put(made(1), "how", "text1").ok());  // takes the place of the first
    ASSERT_TRUE(a.put(made(1), "otherwise", "text1").ok());
  }
  BenchArchive a = open();
  auto all = a.judgements("g", "how");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  bench::Judgement want = made(1), got = (*all)[1];
  EXPECT_EQ(got.candidate, want.candidate);
  EXPECT_EQ(got.verdict, want.verdict);
  EXPECT_EQ(got.tier, want.tier);
  EXPECT_EQ(got.seed, want.seed);
  EXPECT_EQ(got.worst_error, want.worst_error);
  ASSERT_EQ(got.findings.size(), 2u);
  EXPECT_EQ(got.findings[0].message, "it reads %clock");
  EXPECT_EQ(got.findings[0].line, 9u);
  ASSERT_EQ(got.timings.size(), 1u);
  EXPECT_EQ(got.timings[0].over_start, 7);
  EXPECT_EQ(got.timings[0].cache, "warm");
  EXPECT_EQ(a.judgements()->size(), 3u);
  EXPECT_EQ(*a.settings(), (std::vector<std::string>{"how", "otherwise"}));
  EXPECT_EQ(*a.text_of("p1"), "text1");
  EXPECT_EQ(*a.text_of("p9"), "");
  EXPECT_TRUE(*a.has(want, "how"));
  want.program = "p0";
  EXPECT_FALSE(*a.has(want, "how"));  // that sample is another program now
  want = made(1);
  want.sample = 5;
  EXPECT_FALSE(*a.has(want, "how"));
  EXPECT_TRUE(a.of_program("t", "p1", "how")->has_value());
  EXPECT_FALSE(a.of_program("u", "p1", "how")->has_value());
}

// The first files of two folders have the same number.
TEST_F(BenchArchiveTest, CandidatesOfOneNumberAndOtherNamesStandBesideEachOther) {
  BenchArchive a = open();
  bench::Judgement first = made(1), second = made(1);
  second.candidate = "other.ptx";
  second.program = "p2";
  ASSERT_TRUE(a.put(first, "how", "text1").ok());
  ASSERT_TRUE(a.put(second, "how", "text2").ok());
  EXPECT_EQ(a.judgements()->size(), 2u);
  EXPECT_TRUE(*a.has(first, "how"));
  EXPECT_TRUE(*a.has(second, "how"));
  second.program = "p3";  // the file was changed
  ASSERT_TRUE(a.put(second, "how", "text3").ok());
  EXPECT_EQ(a.judgements()->size(), 2u);
}

TEST_F(BenchArchiveTest, OlderOnesGetTheColumnsTheyLack) {
  ASSERT_TRUE(open().put(made(0), "how", "text0").ok());
  {
    auto db = Database::open(path_, true, 1000);
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->run("ALTER TABLE timing DROP COLUMN over_start_low;"
                        "ALTER TABLE timing DROP COLUMN over_start_high;"
                        "DROP INDEX candidate_key; CREATE UNIQUE INDEX sample_key ON judgement "
                        "(task, generator, round, sample, settings)")
                    .ok());
  }
  BenchArchive a = open();
  ASSERT_TRUE(a.put(made(1), "how", "text1").ok());
  const auto all = a.judgements();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].timings[0].over_start_low, 7);
  EXPECT_EQ((*all)[0].timings[0].over_start_high, 7);
  EXPECT_EQ((*all)[1].timings[0].over_start_low, 8);
  EXPECT_EQ((*all)[1].timings[0].over_start_high, 9);
  bench::Judgement other = made(1);
  other.candidate = "other.ptx";
  ASSERT_TRUE(a.put(other, "how", "text1").ok());
  EXPECT_EQ(a.judgements()->size(), 3u);
}

TEST_F(BenchArchiveTest, KeepsProposals) {
  BenchArchive a = open();
  ASSERT_TRUE(a.propose("t", "g", 1, "how", {{0, "a", "x"}, {1, "b", ""}}).ok());
  auto back = a.proposals("t", "g", 1, "how");
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[1].name, "b");
  EXPECT_EQ((*back)[0].text, "x");
  EXPECT_TRUE(a.proposals("t", "g", 0, "how")->empty());
}

TEST_F(BenchArchiveTest, OtherFilesAreLeftAlone) {
  ASSERT_TRUE(write_file(path_, "no database").ok());
  EXPECT_EQ(BenchArchive::open(path_).error().kind, ErrorKind::kInput);
  EXPECT_EQ(*read_file(path_), "no database");
  std::filesystem::remove(path_);
  ASSERT_TRUE(Store::open(path_).ok());
  EXPECT_EQ(BenchArchive::open(path_).error().kind, ErrorKind::kInput);
  std::filesystem::remove(path_);
  open();
  EXPECT_EQ(Store::open(path_).error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace pitot::store
