// Random sequences on real kernels: every step's output parses and verifies, and comments stay.
#include <algorithm>
#include <filesystem>
#include <random>

#include "support/file.h"
#include "transform/mask.h"
#include "transform_helpers.h"

namespace pitot::transform {
namespace {

std::vector<std::string> kernels() {
  std::vector<std::string> out;
  for (const auto& e :
       std::filesystem::recursive_directory_iterator(PITOT_SOURCE_DIR "/kernels/cuda"))
    if (e.path().string().ends_with(".sm80.ptx")) out.push_back(e.path().string());
  for (const auto& e :
       std::filesystem::recursive_directory_iterator(PITOT_SOURCE_DIR "/kernels/triton"))
    if (e.path().string().ends_with(".sm90a.ptx")) out.push_back(e.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Sequences, RandomOnesOnRealKernelsVerify) {
  std::mt19937 random(7);
  Assumptions assumptions;
  assumptions.distinct_buffers = true;
  size_t applied = 0;
  for (const std::string& path : kernels()) {
    const std::string text = *read_file(path);
    const ptx::Module m = ptx::parse(path, text);
    std::string name;
    for (const ptx::Function& f : m.functions)
      if (f.is_entry && f.has_body) name = f.name;
    for (int n = 0; n < 4; ++n) {
      std::vector<Action> sequence;
      for (int k = 0; k < 6; ++k) {
        const auto a = static_cast<Action>(random() % kActions);
        if (std::all_of(sequence.begin(), sequence.end(),
                        [&](Action e) { return can_follow(e, a); }))
          sequence.push_back(a);
      }
      auto out = apply_sequence(path, text, name, sequence, assumptions);
      ASSERT_TRUE(out.ok()) << out.error().message;
      for (const Step& s : out->steps) {
        applied += s.changes;
        EXPECT_TRUE(s.applied() || !s.declined.empty()) << path << " " << info(s.action).name;
      }
      // Comments stay, and those of a loop come again with each of its turns.
      const auto slashes = [](const std::string& s) { return std::count(s.begin(), s.end(), '/'); };
      const bool unrolled = std::any_of(sequence.begin(), sequence.end(),
                                        [](Action a) { return info(a).group == Group::kLoop; });
      EXPECT_GE(slashes(out->text), slashes(text)) << path;
      if (!unrolled) {
        EXPECT_EQ(slashes(out->text), slashes(text)) << path;
      }
    }
  }
  EXPECT_GT(applied, 500u);
}

TEST(Sequences, AConflictIsAnError) {
  const Action both[] = {Action::kCacheCs, Action::kCacheCg};
  auto out = apply_sequence("k.ptx", kernel(""), "", both, {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().message, "cache_cg cannot follow cache_cs");
}

TEST(Mask, SaysWhatEachActionWouldDo) {
  const ptx::Module m = ptx::parse("k.ptx", kernel("\tld.global.f32 %f1, [%rd1];\n"));
  const Action earlier[] = {Action::kMaxnreg64};
  const auto entries = mask(m, 0, earlier, {});
  ASSERT_EQ(entries.size(), kActions);
  auto of = [&](Action a) { return entries[static_cast<size_t>(a)]; };
  EXPECT_EQ(of(Action::kMaxnreg64).state, MaskState::kApplied);
  EXPECT_EQ(of(Action::kMaxnreg32).state, MaskState::kConflict);
  EXPECT_EQ(of(Action::kMaxnreg32).reason, "maxnreg_64 is in the sequence");
  EXPECT_EQ(of(Action::kCacheCs).state, MaskState::kAvailable);
  EXPECT_EQ(of(Action::kCacheCs).changes, 1u);
  EXPECT_EQ(of(Action::kCacheCa).state, MaskState::kNothing);
  EXPECT_EQ(of(Action::kCacheCa).reason, ".ca is the default, which it has");
}

}  // namespace
}  // namespace pitot::transform
