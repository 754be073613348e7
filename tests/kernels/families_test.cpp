// The templates of kernels/families: each has many variants that fit a GPU, and those that are
// drawn compute what the reference says. Compiling needs nvcc; without it, and of Triton's
// templates always, only what is kept beside this test runs (see references_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "device/values.h"
#include "reference.h"
#include "support/file.h"
#include "variants/build.h"
#include "variants/variant_spec.h"

namespace pitot::kernels {
namespace {

using variants::Configuration;
using variants::Template;

constexpr uint64_t kFamilySeed = 5;
constexpr size_t kDrawn = 4;  // variants of a family
// The size of a problem is its parameters, so that a variant has one of its own.
constexpr const char* kSizedByParameters = "gemm_tile";

std::string families_root() { return std::string(PITOT_SOURCE_DIR) + "/kernels/families/"; }

std::vector<std::string> families() {
  std::vector<std::string> out;
  auto files = list_files(families_root(), {".variants.toml"});
  EXPECT_TRUE(files.ok());
  if (!files) return out;
  for (const std::string& f : *files)
    out.push_back(std::filesystem::path(f).parent_path().filename().string());
  return out;
}

class Families : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = families_root() + GetParam() + "/" + GetParam() + ".variants.toml";
    auto text = read_file(path);
    ASSERT_TRUE(text.ok()) << path;
    Diagnostics problems;
    template_ = variants::read_template(SourceText(path, *text), problems);
    all_ = variants::enumerate(template_, problems);
    ASSERT_EQ(problems.errors(), 0u) << path;
    for (const Configuration& c : all_)
      if (c.refused.empty()) kept_.push_back(&c);
  }

  // The specs of the variants that are kept beside this test.
  std::vector<std::string> kept_specs() const {
    auto files =
        list_files(std::string(PITOT_SOURCE_DIR) + "/tests/kernels/specs/families/" + GetParam(),
                   {".kernel.toml"});
    EXPECT_TRUE(files.ok() && !files->empty()) << "no variant of " << GetParam() << " is kept";
    return files ? *files : std::vector<std::string>{};
  }

  // The sizes at which they run.
  std::vector<device::SizeSpec> small_sizes() const {
    const std::vector<std::string> files = kept_specs();
    return files.empty() ? std::vector<device::SizeSpec>{} : read_kernel_spec(files[0]).sizes;
  }

  Template template_;
  std::vector<Configuration> all_;
  std::vector<const Configuration*> kept_;
};

// "| `gemm_tiled` | … | 243 | sizes |" of the README.
std::string row_of(const std::string& family) {
  auto text = read_file(families_root() + "README.md");
  EXPECT_TRUE(text.ok());
  const size_t at = text ? text->find("| `" + family + "` |") : std::string::npos;
  if (at == std::string::npos) return {};
  return text->substr(at, text->find('\n', at) - at);
}

TEST_P(Families, AreInTheTable) {
  EXPECT_EQ(template_.family, GetParam());
  const std::string row = row_of(GetParam());
  ASSERT_FALSE(row.empty()) << "README.md does not list it";
  EXPECT_NE(row.find("| " + std::to_string(kept_.size()) + " |"), std::string::npos)
      << "it has " << kept_.size() << " variants; README.md says " << row;
}

// A value that the constraints never let through is a mistake in them.
TEST_P(Families, UseEveryValue) {
  for (size_t i = 0; i < template_.parameters.size(); ++i)
    for (const variants::Value& v : template_.parameters[i].values)
      EXPECT_TRUE(std::any_of(kept_.begin(), kept_.end(),
                              [&](const Configuration* c) { return c->values[i] == v; }))
          << template_.parameters[i].name << " = " << v.text;
}

TEST_P(Families, HaveLaunchesThatFitAGpu) {
  for (const Configuration* c : kept_) {
    Diagnostics problems;
    const device::KernelSpec spec = variants::spec_of(template_, *c, {}, "", problems).spec;
    ASSERT_EQ(problems.errors(), 0u) << c->name;
    ASSERT_GE(spec.sizes.size(), GetParam() == kSizedByParameters ? 1u : 2u);
    for (const device::SizeSpec& size : spec.sizes) {
      SCOPED_TRACE(c->name + " at " + size.kind);
      auto number = [&](const std::string& expression) {
        auto v = device::evaluate(expression, size.values);
        EXPECT_TRUE(v.ok()) << expression;
        return v ? *v : 0;
      };
      const int64_t threads = number(spec.block[0]) * number(spec.block[1]) * number(spec.block[2]);
      EXPECT_TRUE(threads >= 1 && threads <= 1024) << threads << " threads";
      for (const std::string& g : spec.grid) EXPECT_GE(number(g), 1) << g;
      EXPECT_LE(number(spec.grid[1]), 65535);
      EXPECT_LE(number(spec.grid[2]), 65535);
      EXPECT_LE(number(spec.shared), 227 << 10);
      uint64_t bytes = 0;
      for (const device::ArgumentSpec& a : spec.arguments)
        if (a.is_buffer) bytes += static_cast<uint64_t>(number(a.count)) * ptx::bytes_of(a.type);
      EXPECT_LE(bytes, uint64_t{1} << 30);
      if (HasFailure()) return;
    }
  }
}

// What is kept is of the template as it is now: a name that the grid has lost is an old one.
TEST_P(Families, KeepVariantsOfTheirGrid) {
  for (const std::string& path : kept_specs()) {
    const std::string name = std::filesystem::path(path).filename().string();
    EXPECT_TRUE(std::any_of(kept_.begin(), kept_.end(), [&](const Configuration* c) {
      return name == GetParam() + "." + c->name + ".kernel.toml";
    })) << name;
  }
}

TEST_P(Families, ComputeWhatTheReferenceSays) {
  if (template_.kind == variants::SourceKind::kTriton) GTEST_SKIP() << "Triton compiles it";
  auto toolkit = toolchain::find_toolkit();
  if (!toolkit || !toolkit->nvcc.found()) GTEST_SKIP() << "nvcc is not installed";
  const auto reference = references().find("families/" + GetParam());
  ASSERT_NE(reference, references().end()) << GetParam() << " has no host reference";
  const std::vector<device::SizeSpec> sizes = small_sizes();

  std::set<const Configuration*> drawn;
  for (size_t i = 0; drawn.size() < std::min(kDrawn, kept_.size()); ++i)
    drawn.insert(kept_[device::random_bits(kFamilySeed, i) % kept_.size()]);
  std::vector<bool> chosen;
  for (const Configuration& c : all_) chosen.push_back(drawn.count(&c) != 0);
  const std::string directory = testing::TempDir() + "pitot_families_" + GetParam();
  std::filesystem::create_directories(directory);
  variants::BuildOptions options;
  options.directory = directory;
  options.toolkit = &*toolkit;
  Diagnostics problems;
  auto built = variants::build(template_, all_, chosen, options, problems);
  ASSERT_TRUE(built.ok()) << built.error().message;
  size_t ran = 0;
  for (const variants::VariantResult& v : built->variants) {
    if (v.status == "refused" || v.status == "listed") continue;
    SCOPED_TRACE(v.name);
    ASSERT_EQ(v.status, "ok") << v.message;
    device::KernelSpec spec = read_kernel_spec(directory + "/" + v.spec);
    if (GetParam() != kSizedByParameters) spec.sizes = sizes;
    expect_reference(spec, directory + "/" + v.ptx, v.entry, reference->second);
    ++ran;
  }
  EXPECT_EQ(ran, drawn.size());
  std::filesystem::remove_all(directory);
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(families()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

}  // namespace
}  // namespace pitot::kernels
