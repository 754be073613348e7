// What changes the hash of a cubin's code, and what does not.
#include "toolchain/code_image.h"

#include <gtest/gtest.h>

#include "support/file.h"
#include "toolchain/ptxas.h"

namespace pitot::toolchain {
namespace {

class CodeImage : public testing::Test {
 protected:
  void SetUp() override {
    auto bytes = read_file(PITOT_SOURCE_DIR "/tests/data/toolchain/saxpy.cubin");
    ASSERT_TRUE(bytes.ok());
    bytes_ = *bytes;
  }
  static Hash128 image_of(const std::string& bytes) {
    auto elf = read_elf(bytes);
    EXPECT_TRUE(elf.ok());
    return elf ? code_image(*elf) : Hash128{};
  }
  // With one bit of a section's byte changed.
  Hash128 with_change(std::string_view section, size_t at) const {
    auto elf = read_elf(bytes_);
    for (const ElfSection& s : elf->sections)
      if (s.name == section) {
        EXPECT_LT(at, s.data.size());
        std::string changed = bytes_;
        changed[s.offset + at] = static_cast<char>(changed[s.offset + at] ^ 1);
        return image_of(changed);
      }
    ADD_FAILURE() << "no section " << section;
    return {};
  }
  std::string_view section(std::string_view name) const {
    auto elf = read_elf(bytes_);
    for (const ElfSection& s : elf->sections)
      if (s.name == name) return std::string_view(bytes_).substr(s.offset, s.data.size());
    ADD_FAILURE() << "no section " << name;
    return {};
  }

  std::string bytes_;
};

TEST_F(CodeImage, CodeConstantsAndResourcesCount) {
  const Hash128 image = image_of(bytes_);
  EXPECT_EQ(image_of(bytes_), image);
  for (size_t at : {size_t{0}, size_t{100}, section(".text.saxpy").size() - 1})
    EXPECT_NE(with_change(".text.saxpy", at), image);
  EXPECT_NE(with_change(".nv.constant0.saxpy", 0), image);
  // The registers: the value of the first record of the kind 0x2f.
  const std::string_view info = section(".nv.info");
  const size_t registers = info.find(std::string("\x04\x2f\x08\x00", 4));
  ASSERT_NE(registers, info.npos);
  EXPECT_NE(with_change(".nv.info", registers + 8), image);
}

TEST_F(CodeImage, TablesNamesAndTheLimitThatWasAskedForDoNot) {
  const Hash128 image = image_of(bytes_);
  EXPECT_EQ(with_change(".symtab", 30), image);
  const std::string_view info = section(".nv.info.saxpy");
  const size_t limit = info.find("\x03\x1b");
  ASSERT_NE(limit, info.npos);
  EXPECT_EQ(with_change(".nv.info.saxpy", limit + 2), image);
  EXPECT_NE(with_change(".nv.info.saxpy", 0), image);  // no record any more
}

TEST(CodeImageOfPtxas, ProgramsThatRunAlikeHaveOne) {
  auto kit = find_toolkit();
  if (!kit || !kit->supports("sm_90")) GTEST_SKIP() << "no ptxas for sm_90";
  const auto text = [](const std::string& limit, const std::string& name,
                       const std::string& operation) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n" +
           limit + "{\n.reg .b64 %rd<2>;\n.reg .f32 %" + name + "<3>;\nld.param.u64 %rd0, [p];\n" +
           "ld.global.f32 %" + name + "0, [%rd0];\n" + operation + ".f32 %" + name + "1, %" + name +
           "0, %" + name + "0;\nst.global.f32 [%rd0], %" + name + "1;\nret;\n}\n";
  };
  const auto image = [&](const std::string& ptx, std::vector<std::string> options = {}) {
    auto made = assemble(*kit, ptx, {90, 0}, {.extra = std::move(options)});
    EXPECT_TRUE(made.ok() && made->accepted);
    return made ? made->image : Hash128{};
  };
  const Hash128 original = image(text("", "f", "add"));
  EXPECT_NE(original, Hash128{});
  EXPECT_EQ(image(text("", "name", "add")), original);
  EXPECT_EQ(image(text(".maxnreg 255\n", "f", "add")), original);
  EXPECT_EQ(image(text("", "f", "add"), {"-lineinfo"}), original);
  EXPECT_NE(image(text("", "f", "mul")), original);
  EXPECT_NE(image(text("", "f", "add"), {"-O0"}), original);
}

}  // namespace
}  // namespace pitot::toolchain
