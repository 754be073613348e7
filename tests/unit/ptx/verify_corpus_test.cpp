// No false error on compiler output: the corpus, the project's kernels and the verifier's own
// sources, all of which ptxas accepts.
#include <gtest/gtest.h>

#include "verify_test_util.h"

namespace pitot::ptx::test {
namespace {

class Corpus : public testing::TestWithParam<const char*> {};

TEST_P(Corpus, NoFalseError) {
  const std::string root = std::string(PITOT_SOURCE_DIR) + "/" + GetParam();
  auto files = list_files(root, {".ptx"});
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_FALSE(files->empty());
  for (const std::string& path : *files) {
    auto module = parse_file(path);
    ASSERT_TRUE(module.ok());
    auto found = verify_module(*module);
    EXPECT_EQ(errors(found), 0u) << path << "\n" << show(found);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus,
                         testing::Values("tests/data/corpus", "tests/data/verify/sources",
                                         "kernels"));

}  // namespace
}  // namespace pitot::ptx::test
