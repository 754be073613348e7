// What a policy sees: which numbers, of what, and where they stand in the network's input.
#include "search/observation.h"

#include <cmath>
#include <map>
#include <set>

#include "search_helpers.h"
#include "transform/apply.h"

namespace pitot::search::observation_test {
namespace {

std::map<std::string, float> seen(const std::string& ptx,
                                  const transform::Assumptions& assumptions = {}) {
  const ptx::Module m = ptx::parse("k.ptx", ptx);
  EXPECT_EQ(m.diagnostics.errors(), 0u);
  const std::vector<float> features =
      kernel_features(m, *ptx::find_kernel(m, ""), assumptions, PolicyKind::kWide);
  std::map<std::string, float> out;
  for (size_t k = 0; k < features.size(); ++k)
    out[std::string(observation_table()[k].name)] = features[k];
  return out;
}

float logged(double n) { return static_cast<float>(std::log1p(n) / 8); }

constexpr const char* kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
    "b)\n.maxnreg 64\n{\n.reg .b64 %rd<5>;\n.reg .f32 %f<9>;\n";

TEST(Observation, ThePublishedNetworkHas67Inputs) {
  EXPECT_EQ(inputs_of(PolicyKind::kPublished), 67u);
  EXPECT_EQ(outputs_of(PolicyKind::kPublished), 21u);
  EXPECT_EQ(inputs_of(PolicyKind::kWide), kWideFeatures + 2 * (transform::kActions + 1));
  std::set<std::string_view> names;
  for (const ObservationInfo& f : observation_table()) names.insert(f.name);
  EXPECT_EQ(names.size(), kWideFeatures);
}

TEST(Observation, CountsAreThoseOfTheText) {
  const auto f = seen(std::string(kHead) +
                      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                      "ld.global.v2.f32 {%f1, %f2}, [%rd1];\nld.global.cs.f32 %f3, [%rd1+8];\n"
                      "fma.rn.f32 %f4, %f1, %f2, %f3;\nmul.f32 %f5, %f4, %f1;\n"
                      "add.f32 %f6, %f5, %f2;\nmov.f32 %f7, %f6;\n"
                      "prefetch.global.L2 [%rd2];\nst.global.wt.f32 [%rd2], %f7;\nret;\n}\n");
  EXPECT_FLOAT_EQ(f.at("instructions"), logged(11));
  EXPECT_FLOAT_EQ(f.at("global_loads"), logged(2));
  EXPECT_FLOAT_EQ(f.at("global_stores"), logged(1));
  for (const char* one : {"fma", "mul", "add", "mov", "prefetches"})
    EXPECT_FLOAT_EQ(f.at(one), logged(1)) << one;
  EXPECT_FLOAT_EQ(f.at("cvt"), 0);
  EXPECT_FLOAT_EQ(f.at("branches"), 0);
  EXPECT_FLOAT_EQ(f.at("parameter_loads"), logged(2));
  EXPECT_FLOAT_EQ(f.at("vector_loads"), 0.5f);
  EXPECT_FLOAT_EQ(f.at("vector_stores"), 0);
  EXPECT_FLOAT_EQ(f.at("hinted_loads"), 0.5f);
  EXPECT_FLOAT_EQ(f.at("hinted_stores"), 1);
  EXPECT_FLOAT_EQ(f.at("declared_registers"), logged(14));
  EXPECT_FLOAT_EQ(f.at("maxnreg"), 64.0f / 255);
  EXPECT_FLOAT_EQ(f.at("load_ratio"), 2.0f / 11);
  EXPECT_FLOAT_EQ(f.at("memory_ratio"), 3.0f / 11);
  EXPECT_FLOAT_EQ(f.at("compute_ratio"), 3.0f / 11);
}

// What decides legality is seen by the wide policy: the same text, better aligned.
TEST(Observation, StatedAlignmentIsSeen) {
  const std::string text = std::string(kHead) +
                           "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                           "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\nret;\n}\n";
  EXPECT_FLOAT_EQ(seen(text).at("aligned_16"), 0);
  transform::Assumptions a;
  a.alignment = {{"a", 16}};
  EXPECT_FLOAT_EQ(seen(text, a).at("aligned_16"), 0.5f);
  EXPECT_FLOAT_EQ(seen(text, a).at("aligned_8"), 0.5f);
}

TEST(Observation, EveryNumberIsFiniteOnRealKernels) {
  for (const char* k : {"saxpy", "reduce_sum", "f64_nbody"}) {
    const auto files = list_files(std::string(PITOT_SOURCE_DIR "/kernels/cuda/") + k, {".ptx"});
    if (!files) continue;
    for (const std::string& file : *files)
      for (const auto& [name, value] : seen(*read_file(file))) {
        EXPECT_TRUE(std::isfinite(value)) << file << " " << name;
        EXPECT_GE(value, 0) << file << " " << name;
        EXPECT_LE(value, 3) << file << " " << name;
      }
  }
}

TEST(Observation, MaskAndHistoryFollowTheFeatures) {
  std::vector<float> features(kWideFeatures, 0.25f), input(67, -1);
  write_input(features, with_stop(bit(Action::kVecSt), PolicyKind::kPublished), bit(Action::kVecLd),
              PolicyKind::kPublished, input);
  for (size_t k = 0; k < 25; ++k) EXPECT_EQ(input[k], 0.25f);
  for (size_t k = 25; k < 67; ++k)
    EXPECT_EQ(input[k], k == 25 + 1 || k == 25 + 20 || k == 46 + 0 ? 1 : 0) << k;
}

// Actions beyond the published ones are no outputs of a published policy.
TEST(Observation, TheMaskKeepsToTheKind) {
  EXPECT_EQ(with_stop(bit(Action::kVecWide), PolicyKind::kPublished), ActionSet{1} << 20);
  EXPECT_EQ(with_stop(bit(Action::kVecWide), PolicyKind::kWide),
            bit(Action::kVecWide) | ActionSet{1} << transform::kActions);
}

}  // namespace
}  // namespace pitot::search::observation_test
