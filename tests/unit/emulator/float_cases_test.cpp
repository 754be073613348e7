// Results that other PTX simulators are known to get wrong.
#include <gtest/gtest.h>

#include "emulator_test_util.h"
#include "support/file.h"

namespace pitot::emulator::test {
namespace {

// The buffer that the kernel's only parameter points to, after one thread ran.
std::vector<uint32_t> words_of(const std::string& name, std::vector<uint32_t> words) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/tests/data/cases/" + name);
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return words;
  }
  const Program p = load_text(*text);
  if (p.module == nullptr) return words;
  GlobalMemory memory;
  Region& buffer = memory.allocate("buffer", words.size() * 4, 256, true);
  EXPECT_TRUE(memory.write(buffer.base(), std::as_bytes(std::span(words))).ok());
  Launch launch = threads(1);
  const uint64_t base = buffer.base();
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &base, 8);
  auto outcome = execute(p, *p.find_kernel(""), launch, memory, {});
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return words;
  }
  for (const Fault& f : outcome->faults) ADD_FAILURE() << f.message;
  EXPECT_TRUE(memory.read(base, std::as_writable_bytes(std::span(words))).ok());
  return words;
}

TEST(FloatCases, CornerCases) {
  // selp, bfe.u32, bfe.s32, cvt.rz, add.rp, add.rm, the 64-bit sum, shl and shr by 40
  EXPECT_EQ(words_of("24-emulator-corner-cases.ptx", std::vector<uint32_t>(10)),
            (std::vector<uint32_t>{0x80000000, 0, 0xffffffff, 0x4b800001, 0x3f800001, 0x3f800000, 0,
                                   1, 0, 0xffffffff}));
}
TEST(FloatCases, MadHiAddsAfterTheHighHalf) { EXPECT_EQ(words_of("25-mad-hi.ptx", {0})[0], 103u); }
TEST(FloatCases, OrderedAndUnorderedNotEqual) {
  EXPECT_EQ(words_of("27a-setp-ne-ordered.ptx", {0x7fc00000, 7})[1], 0u);
  EXPECT_EQ(words_of("27b-setp-neu-unordered.ptx", {0x7fc00000, 7})[1], 1u);
}

}  // namespace
}  // namespace pitot::emulator::test
