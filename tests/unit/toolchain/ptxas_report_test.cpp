// Reading `ptxas -v`: recorded outputs of several releases, every message form, odd orders.
#include "toolchain/ptxas_report.h"

#include <gtest/gtest.h>

#include "support/file.h"

namespace pitot::toolchain {
namespace {

PtxasReport recorded(const std::string& name) {
  auto text = read_file(PITOT_SOURCE_DIR "/tests/data/toolchain/" + name);
  EXPECT_TRUE(text.ok()) << name;
  return text.ok() ? parse_ptxas(*text) : PtxasReport{};
}

TEST(PtxasReport, CaseWithBarriersCumulativeStackAndCallee) {
  PtxasReport report = recorded("52-ptxas-13.0-verbose.txt");
  EXPECT_TRUE(report.unread.empty());
  EXPECT_TRUE(report.messages.empty());
  EXPECT_FALSE(report.has_errors());
  ASSERT_EQ(report.functions.size(), 3u);
  const PtxasFunction& spilling = report.functions[0];
  EXPECT_EQ(spilling.name, "k");
  EXPECT_EQ(spilling.target, "sm_80");
  EXPECT_TRUE(spilling.entry);
  EXPECT_EQ(spilling.registers, 64u);
  EXPECT_EQ(spilling.barriers, 1u);
  EXPECT_EQ(spilling.stack_frame, 320u);
  EXPECT_EQ(spilling.spill_stores, 332u);
  EXPECT_EQ(spilling.spill_loads, 408u);
  EXPECT_EQ(spilling.cumulative_stack, 320u);
  EXPECT_EQ(spilling.constant, (std::map<unsigned, uint64_t>{{0, 360}}));
  EXPECT_EQ(spilling.compile_ms, 23.432);
  EXPECT_FALSE(spilling.shared);
  const PtxasFunction& second = report.functions[1];
  EXPECT_EQ(second.registers, 8u);
  EXPECT_EQ(second.stack_frame, 0u);
  EXPECT_EQ(second.compile_ms, 6.185);
  // The callee's block follows the entry's figures and must not overwrite them.
  const PtxasFunction& callee = report.functions[2];
  EXPECT_EQ(callee.name, "guard");
  EXPECT_FALSE(callee.entry);
  EXPECT_FALSE(callee.registers);
  EXPECT_EQ(callee.stack_frame, 0u);
}

TEST(PtxasReport, ThreeReleases) {
  struct {
    const char* file;
    std::optional<uint64_t> barriers;
    std::optional<double> busy_ms;
  } releases[] = {{"ptxas-12.4-calls.txt", std::nullopt, std::nullopt},
                  {"ptxas-12.8-calls.txt", 4, 6.288},
                  {"ptxas-13.0-calls.txt", 4, 2.273}};
  for (const auto& release : releases) {
    SCOPED_TRACE(release.file);
    PtxasReport report = recorded(release.file);
    EXPECT_TRUE(report.unread.empty());
    EXPECT_EQ(report.global, 400u);
    ASSERT_EQ(report.functions.size(), 3u);
    const PtxasFunction* busy = report.find("busy");
    ASSERT_NE(busy, nullptr);
    EXPECT_EQ(busy->target, "sm_90a");
    EXPECT_EQ(busy->registers, 10u);
    EXPECT_EQ(busy->barriers, release.barriers);
    EXPECT_EQ(busy->compile_ms, release.busy_ms);
    EXPECT_EQ(busy->shared, 512u);
    EXPECT_EQ(busy->cumulative_stack, 64u);
    EXPECT_EQ(busy->stack_frame, 64u);
    ASSERT_NE(report.find("callee"), nullptr);
    EXPECT_FALSE(report.find("callee")->registers);
    EXPECT_EQ(report.find("idle")->registers, 4u);
    ASSERT_EQ(report.messages.size(), 1u);
    const PtxasMessage& advisory = report.messages[0];
    EXPECT_EQ(advisory.code, "C7508");
    EXPECT_TRUE(advisory.advisory);
    EXPECT_EQ(advisory.severity, PtxasSeverity::kInfo);
    EXPECT_EQ(
        advisory.text,
        "Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count "
        "at entry.");
    EXPECT_EQ(advisory.function, "");
  }
}

TEST(PtxasReport, ModuleConstantsAndTextures) {
  PtxasReport report = recorded("ptxas-12.4-sm_52.txt");
  EXPECT_EQ(report.global, 400u);
  EXPECT_EQ(report.module_constant, (std::map<unsigned, uint64_t>{{3, 100}, {4, 8}}));
  const PtxasFunction* busy = report.find("busy");
  ASSERT_NE(busy, nullptr);
  EXPECT_EQ(busy->textures, 1u);
  EXPECT_EQ(busy->constant, (std::map<unsigned, uint64_t>{{0, 332}}));
  EXPECT_TRUE(report.unread.empty());
}

TEST(PtxasReport, EveryFieldInAnyOrder) {
  PtxasReport report = parse_ptxas(
      "ptxas info    : Compiling entry function '_Z1kILi3EEvPf' for 'sm_75'\n"
      "ptxas info    : Function properties for _Z1kILi3EEvPf\n"
      "    7 bytes spill loads, 5 bytes stack frame, 6 bytes spill stores\n"
      "ptxas info    : Used 3 surfaces, 2 samplers, 1 textures, 12 bytes cmem[2], 9 bytes lmem, "
      "400 bytes cmem[0], 8 bytes smem, 16 bytes cumulative stack size, used 2 barriers, 31 "
      "registers, 11 frobs\n");
  ASSERT_EQ(report.functions.size(), 1u);
  const PtxasFunction& f = report.functions[0];
  EXPECT_EQ(f.name, "_Z1kILi3EEvPf");
  EXPECT_EQ(f.registers, 31u);
  EXPECT_EQ(f.barriers, 2u);
  EXPECT_EQ(f.stack_frame, 5u);
  EXPECT_EQ(f.spill_stores, 6u);
  EXPECT_EQ(f.spill_loads, 7u);
  EXPECT_EQ(f.cumulative_stack, 16u);
  EXPECT_EQ(f.shared, 8u);
  EXPECT_EQ(f.local, 9u);
  EXPECT_EQ(f.textures, 1u);
  EXPECT_EQ(f.samplers, 2u);
  EXPECT_EQ(f.surfaces, 3u);
  EXPECT_EQ(f.constant, (std::map<unsigned, uint64_t>{{0, 400}, {2, 12}}));
  EXPECT_EQ(f.other, (std::map<std::string, uint64_t>{{"frobs", 11}}));
}

// Older releases print callees' properties between an entry's and its "Used" line.
TEST(PtxasReport, UsedLineAfterACalleesBlock) {
  PtxasReport report = parse_ptxas(
      "ptxas info    : Compiling entry function 'k' for 'sm_20'\n"
      "ptxas info    : Function properties for k\n"
      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Function properties for callee\n"
      "    24 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 20 registers, 40 bytes cmem[0]\n");
  ASSERT_EQ(report.functions.size(), 2u);
  EXPECT_EQ(report.find("k")->registers, 20u);
  EXPECT_EQ(report.find("k")->stack_frame, 8u);
  EXPECT_FALSE(report.find("callee")->registers);
  EXPECT_EQ(report.find("callee")->spill_stores, 4u);
}

TEST(PtxasReport, RelocatableCalleeComesFirst) {
  PtxasReport report = parse_ptxas(
      "ptxas info    : 400 bytes gmem\n"
      "ptxas info    : Function properties for callee\n"
      "    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compile time = 1.832 ms\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 0 barriers\n"
      "ptxas info    : Compile time = 1.077 ms\n");
  ASSERT_EQ(report.functions.size(), 2u);
  EXPECT_EQ(report.find("callee")->compile_ms, 1.832);
  EXPECT_EQ(report.find("k")->compile_ms, 1.077);
  EXPECT_EQ(report.find("k")->registers, 24u);
}

TEST(PtxasReport, MessagesWithAndWithoutPlace) {
  PtxasReport report = parse_ptxas(
      "ptxas a b, line 3; dir/k.ptx, line 12; error   : Feature '.bf16' requires .target sm_80 or "
      "higher\n"
      "ptxas k.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.0'\n"
      "ptxas warning : Local memory used for function 'k', size of stack frame: 64 bytes\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to insufficient register resources for the wgmma pipeline in the function "
      "'gemm'\n"
      "ptxas /tmp/k.ptx, line 40; info    : Advisory: Modifier '.sp::ordered_metadata' should be "
      "used on instruction 'mma.sp' instead of modifier '.sp' as it is expected to have "
      "substantially reduced performance on some future architectures\r\n"
      "ptxas error   : Entry function 'k' uses too much shared data (0x16000 bytes, 0xc000 max)\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n"
      "Segmentation fault\n");
  ASSERT_EQ(report.messages.size(), 7u);
  EXPECT_EQ(report.messages[0].severity, PtxasSeverity::kError);
  EXPECT_EQ(report.messages[0].file, "a b, line 3; dir/k.ptx");
  EXPECT_EQ(report.messages[0].line, 12u);
  EXPECT_EQ(report.messages[0].text, "Feature '.bf16' requires .target sm_80 or higher");
  EXPECT_FALSE(report.messages[0].advisory);
  EXPECT_EQ(report.messages[1].severity, PtxasSeverity::kFatal);
  EXPECT_EQ(report.messages[1].text, "Unsupported .version 9.9; current version is '9.0'");
  EXPECT_EQ(report.messages[2].severity, PtxasSeverity::kWarning);
  EXPECT_EQ(report.messages[2].function, "k");
  EXPECT_EQ(report.messages[2].line, 0u);
  EXPECT_EQ(report.messages[3].code, "C7510");
  EXPECT_EQ(report.messages[3].function, "gemm");
  EXPECT_TRUE(report.messages[3].advisory);
  EXPECT_TRUE(report.messages[4].advisory);
  EXPECT_EQ(report.messages[4].line, 40u);
  EXPECT_EQ(report.messages[4].text.back(), 's');
  EXPECT_EQ(report.messages[5].function, "k");
  EXPECT_TRUE(report.has_errors());
  EXPECT_EQ(report.unread, std::vector<std::string>{"Segmentation fault"});
}

TEST(PtxasReport, OddInputIsKeptNotBelieved) {
  PtxasReport report = parse_ptxas(
      "ptxas info    : Used 99999999999999999999999 registers\n"
      "ptxas info    : Used registers\n"
      "    4 bytes stack frame, 0 bytes spill stores\n"
      "ptxas info    : Compile time = fast\n"
      "ptxas info    : Compiling entry function 'unfinished\n");
  for (const PtxasFunction& f : report.functions) EXPECT_FALSE(f.registers) << f.name;
  EXPECT_EQ(report.unread.size(), 1u);  // the frame line without a function
  EXPECT_EQ(report.messages.size(), 3u);
  EXPECT_TRUE(parse_ptxas("").functions.empty());
}

}  // namespace
}  // namespace pitot::toolchain
