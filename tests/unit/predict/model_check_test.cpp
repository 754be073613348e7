// What a model may be asked about.
#include "predict/model_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pitot::predict {
namespace {

ModelOrigin origin() {
  ModelOrigin o;
  o.compilers = {"NVIDIA NVVM Compiler 13.0, V13.0.88, Based on NVVM 7.0.1"};
  o.targets = {"sm_90"};
  o.gpus = {"NVIDIA H200"};
  return o;
}

TEST(ModelCheck, CompilersByNameAndVersion) {
  struct {
    const char *text, *name;
    unsigned major, minor;
  } const cases[] = {
      {"NVIDIA NVVM Compiler 13.0, V13.0.88, Based on NVVM 7.0.1", "NVVM", 13, 0},
      {"nvcc 12.4.131", "NVVM", 12, 4},
      {"NVRTC 12.8", "NVVM", 12, 8},
      {"Triton 3.6.0", "Triton", 3, 6},
      {"LLVM NVPTX Back-End", "LLVM", 0, 0},
      {"clang-18 version 18.1.3", "clang", 18, 1},
      {"", "", 0, 0},
      {"pgi 7", "pgi", 0, 0},
  };
  for (const auto& c : cases) {
    const CompilerVersion v = compiler_version(c.text);
    EXPECT_EQ(v.name, c.name) << c.text;
    EXPECT_EQ(v.major, c.major) << c.text;
    EXPECT_EQ(v.minor, c.minor) << c.text;
  }
}

TEST(ModelCheck, RefusedAndDoubtful) {
  struct {
    Subject subject;
    Fitness want;
    const char* reason;
  } const cases[] = {
      {{"nvcc 13.0.88", "sm_90", "NVIDIA H200"}, Fitness::kFits, ""},
      {{"nvcc 13.0.88", "sm_90a", "NVIDIA H200"}, Fitness::kFits, ""},
      {{"nvcc 13.1.20", "sm_90", "NVIDIA H200"}, Fitness::kDoubtful, "another version"},
      {{"nvcc 12.9.20", "sm_90", "NVIDIA H200"}, Fitness::kRefused, "compiled by nvcc 12.9.20"},
      {{"Triton 3.6.0", "sm_90", "NVIDIA H200"}, Fitness::kRefused, "Triton"},
      {{"nvcc 13.0.88", "sm_80", "NVIDIA H200"}, Fitness::kRefused, "for sm_80"},
      {{"nvcc 13.0.88", "sm_100", "NVIDIA B200"}, Fitness::kRefused, "for sm_100"},
      {{"nvcc 13.0.88", "sm_90", "NVIDIA H100 SXM"}, Fitness::kDoubtful, "H100"},
      {{"", "sm_90", "NVIDIA H200"}, Fitness::kDoubtful, "not known"},
  };
  for (const auto& c : cases) {
    const FitnessAnswer a = fitness_of(origin(), c.subject);
    EXPECT_EQ(a.fitness, c.want) << c.subject.compiler << ' ' << c.subject.target;
    const std::string reasons = a.reasons.empty() ? "" : a.reasons[0];
    EXPECT_THAT(reasons, testing::HasSubstr(c.reason));
    EXPECT_EQ(a.reasons.empty(), c.want == Fitness::kFits);
  }
  EXPECT_EQ(fitness_of({}, cases[4].subject).fitness, Fitness::kFits);
}

}  // namespace
}  // namespace pitot::predict
