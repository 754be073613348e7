// The checks: recorded faults, faults of every kind, and silence on right programs.
#include "analysis/lint.h"

#include <algorithm>

#include "address_helpers.h"

namespace pitot::analysis {
namespace {

std::vector<Diagnostic> lint_module(const ptx::Module& m, LintOptions options = {}) {
  Diagnostics out;
  lint(m, options, out);
  out.sort();
  return out.items();
}

std::string listing(const std::vector<Diagnostic>& found) {
  std::string out;
  for (const Diagnostic& d : found) out += d.code + ": " + d.message + "\n";
  return out;
}

std::vector<Diagnostic> lint_text(const std::string& text, LintOptions options = {}) {
  ptx::Module m = ptx::parse("test.ptx", text);
  EXPECT_TRUE(m.diagnostics.items().empty()) << m.diagnostics.items()[0].message;
  return lint_module(m, options);
}

std::vector<Diagnostic> lint_body(const std::string& body, const std::string& attributes = {},
                                  LintOptions options = {}) {
  return lint_text(address_kernel(body, attributes), options);
}

struct Place {
  uint32_t line, column, end;
};

// One finding of this code, at this place of the recorded case.
Diagnostic only_finding(const char* file, const char* code, Place place) {
  Result<ptx::Module> m = ptx::parse_file(data_file(std::string("cases/") + file));
  EXPECT_TRUE(m.ok());
  std::vector<Diagnostic> found = lint_module(*m);
  EXPECT_EQ(found.size(), 1u) << listing(found);
  if (found.empty()) return {};
  EXPECT_EQ(found[0].code, code);
  Position begin = m->source->position(found[0].range.begin);
  Position end = m->source->position(found[0].range.end);
  EXPECT_EQ(begin.line, place.line);
  EXPECT_EQ(begin.column, place.column);
  EXPECT_EQ(end.column, place.end);
  EXPECT_FALSE(found[0].hint.empty());
  return found[0];
}

void expect_one(const std::vector<Diagnostic>& found, const char* code, Severity severity,
                const char* part) {
  ASSERT_EQ(found.size(), 1u) << listing(found);
  EXPECT_EQ(found[0].code, code);
  EXPECT_EQ(found[0].severity, severity) << found[0].message;
  EXPECT_NE(found[0].message.find(part), std::string::npos) << found[0].message;
}

void expect_none(const std::vector<Diagnostic>& found) {
  EXPECT_TRUE(found.empty()) << listing(found);
}

std::vector<std::string> ptx_files(const std::string& directory) {
  Result<std::vector<std::string>> files = list_files(directory, {".ptx"});
  EXPECT_TRUE(files.ok());
  return files.ok() ? files.value() : std::vector<std::string>{};
}

TEST(LintCases, WidenedHalfLoad) {
  Diagnostic d =
      only_finding("16-misaligned-widened-half-load.ptx", "misaligned-access", {11, 21, 29});
  EXPECT_EQ(d.severity, Severity::kError);
  EXPECT_EQ(d.message,
            "'ld.global.b32' accesses 4 bytes at src + 2: src is aligned to 16, so the address is "
            "2 more than a multiple of 4");
}

TEST(LintCases, BarrierUnderDivergence) {
  Diagnostic d =
      only_finding("18-barrier-in-divergent-branch.ptx", "barrier-divergent", {19, 2, 10});
  EXPECT_EQ(d.severity, Severity::kError);
  EXPECT_EQ(d.message,
            "'bar.sync' is reached by 16 of the 32 lanes of warp 0 (0x55555555), in a block of "
            "32×1×1 threads: the branch on %p1 at line 14 differs between lanes");
}

TEST(LintCases, WrongMemberMask) {
  Diagnostic d = only_finding("20-shfl-sync-wrong-membermask.ptx", "membermask", {12, 39, 44});
  EXPECT_EQ(d.severity, Severity::kError);
  EXPECT_NE(d.message.find("lanes 16–31 of warp 0, which the member mask 0x0000ffff leaves out"),
            std::string::npos)
      << d.message;
}

TEST(LintCases, SharedSymbolUsedGenerically) {
  Diagnostic d =
      only_finding("33-generic-store-to-shared-symbol.ptx", "window-generic", {13, 9, 17});
  EXPECT_EQ(d.severity, Severity::kError);
  EXPECT_EQ(d.hint, "use st.shared, or convert the address with cvta.shared");
}

TEST(LintCases, TheOthersAreSilent) {
  size_t files = 0;
  for (const std::string& path : ptx_files(data_file("cases"))) {
    std::string name = path.substr(path.rfind('/') + 1);
    std::string number = name.substr(0, 2);
    if (number == "16" || number == "18" || number == "20" || number == "33") continue;
    Result<ptx::Module> m = ptx::parse_file(path);
    ASSERT_TRUE(m.ok());
    std::vector<Diagnostic> found = lint_module(*m);
    EXPECT_TRUE(found.empty()) << name << ": " << listing(found);
    ++files;
  }
  EXPECT_GT(files, 20u);
}

// Correct compiler output must not be accused.
void expect_silence(const std::string& directory, size_t least) {
  size_t files = 0;
  for (const std::string& path : ptx_files(directory)) {
    Result<ptx::Module> m = ptx::parse_file(path);
    ASSERT_TRUE(m.ok());
    std::vector<Diagnostic> found = lint_module(*m);
    EXPECT_TRUE(found.empty()) << path << ": " << listing(found);
    ++files;
  }
  EXPECT_GE(files, least);
}

TEST(LintSilence, Corpus) { expect_silence(data_file("corpus"), 20); }
TEST(LintSilence, OwnKernels) { expect_silence(std::string(PITOT_SOURCE_DIR) + "/kernels", 100); }

TEST(LintAlignment, EachKindOfAccess) {
  const char* head = "ld.param.u64 %d1, [a];\nmov.u32 %r9, %tid.x;\n";
  for (const char* access :
       {"ld.global.u16 %h1, [%d1+1];", "ld.global.v2.f32 {%f1, %f2}, [%d1+4];",
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1+8];", "st.global.u64 [%d1+12], %d1;",
        "atom.global.add.u32 %r1, [%d1+6], 1;", "red.global.add.u32 [%d1+2], 1;",
        "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [tile+4];", "ld.const.u32 %r1, [constants+2];",
        "ld.global.u64 %d2, [table+4];"}) {
    std::vector<Diagnostic> found = lint_body(std::string(head) + access + "\nret;");
    ASSERT_EQ(found.size(), 1u) << access << "\n" << listing(found);
    EXPECT_EQ(found[0].code, "misaligned-access") << access;
    EXPECT_EQ(found[0].severity, Severity::kError) << access;
  }
}

TEST(LintAlignment, BulkCopies) {
  const std::string head =
      "ld.param.u64 %d1, [a];\nmov.u32 %r1, tile;\nmov.u32 %r3, tile;\nadd.u32 %r3, %r3, 64;\n";
  auto copy = [&](const char* source) {
    std::string text = address_kernel(
        head + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [" +
            source + "], 64, [%r3];\nret;",
        "", "sm_90");
    return lint_text(text);
  };
  expect_one(copy("%d1+8"), "misaligned-access", Severity::kError,
             "multiples of 16 only, not a + 8");
  expect_none(copy("%d1+32"));
}

TEST(LintAlignment, WhatIsNotKnownIsNotReported) {
  expect_none(lint_body(R"(
    ld.param.u64 %d1, [c];
    ld.global.u32 %r1, [%d1+2];
    ld.param.u32 %r2, [n];
    ld.param.u64 %d2, [a];
    cvt.u64.u32 %d3, %r2;
    add.u64 %d4, %d2, %d3;
    ld.global.u32 %r3, [%d4];
    ld.shared.v2.f32 {%f1, %f2}, [tile+8];
    ret;)"));
}

TEST(LintAlignment, StridesThatBreakIt) {
  const char* body = R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 2;
    add.u64 %d3, %d1, %d2;
    ld.global.b32 %r2, [%d3];
    ret;)";
  expect_one(lint_body(body, ".reqntid 64"), "misaligned-access", Severity::kError,
             "in thread 1 (in a block of 64×1×1 threads) the address is 2 more than a multiple");
  expect_one(lint_body(body), "misaligned-access", Severity::kWarning, "thread 1");
  expect_none(lint_body(body, ".reqntid 1"));
}

TEST(LintAlignment, GuardsThatKeepTheOddLanesAway) {
  const std::string head = R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 2;
    add.u64 %d3, %d1, %d2;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    )";
  expect_none(lint_body(head + "@%p1 ld.global.b32 %r3, [%d3];\nret;", ".reqntid 64"));
  expect_none(
      lint_body(head + "@!%p1 bra END;\nld.global.b32 %r3, [%d3];\nEND:\nret;", ".reqntid 64"));
  EXPECT_EQ(lint_body(head + "@!%p1 ld.global.b32 %r3, [%d3];\nret;", ".reqntid 64").size(), 1u);
}

TEST(LintAlignment, BoundsChecksDoNotHideIt) {
  expect_one(lint_body(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 2;
    add.u64 %d3, %d1, %d2;
    setp.ge.u32 %p1, %r1, %r9;
    @%p1 bra END;
    ld.global.b32 %r3, [%d3];
END:
    ret;)",
                       ".reqntid 64"),
             "misaligned-access", Severity::kWarning, "whenever it takes part");
}

TEST(LintAlignment, PedanticNamesWhatIsUnproved) {
  LintOptions pedantic;
  pedantic.pedantic = true;
  const char* body = "ld.param.u64 %d1, [c];\nld.global.v2.f32 {%f1, %f2}, [%d1];\nret;";
  expect_none(lint_body(body));
  expect_one(lint_body(body, "", pedantic), "alignment-unproved", Severity::kNote,
             "needs an address that is a multiple of 8; the PTX proves 1");
}

TEST(LintSpaces, EachWindow) {
  struct Case {
    const char *body, *part;
  };
  for (Case c : {Case{"mov.u64 %d1, tile;\nld.u32 %r1, [%d1];", ".shared window"},
                 Case{"mov.u64 %d1, constants;\nld.u32 %r1, [%d1];", ".const window"},
                 Case{"mov.u32 %r2, tile;\ncvt.u64.u32 %d1, %r2;\nadd.u64 %d1, %d1, 8;\n"
                      "atom.add.u32 %r1, [%d1], 1;",
                      ".shared window"}}) {
    std::vector<Diagnostic> found = lint_body(std::string(c.body) + "\nret;");
    expect_one(found, "window-generic", Severity::kError, c.part);
  }
  expect_none(lint_body(R"(
    mov.u64 %d1, tile;
    cvta.shared.u64 %d2, %d1;
    ld.u32 %r1, [%d2];
    ld.shared.u32 %r2, [%d1];
    mov.u64 %d3, table;
    cvta.global.u64 %d4, %d3;
    ld.u32 %r3, [%d4];
    cvta.to.shared.u64 %d5, %d2;
    st.shared.u32 [%d5], %r3;
    ret;)"));
}

TEST(LintSpaces, Mismatches) {
  expect_one(lint_body("mov.u64 %d1, tile;\nld.global.u32 %r1, [%d1];\nret;"), "space-mismatch",
             Severity::kError, "tile is a .shared variable");
  expect_one(lint_body("ld.param.u64 %d1, [a];\nld.shared.u32 %r1, [%d1];\nret;"), "space-mismatch",
             Severity::kError, "a is declared .ptr .global");
  expect_one(
      lint_body("mov.u64 %d1, tile;\ncvta.shared.u64 %d2, %d1;\nld.shared.u32 %r1, [%d2];\nret;"),
      "space-mismatch", Severity::kError, "made generic by cvta.shared");
  expect_none(lint_body("ld.param.u64 %d1, [c];\nld.shared.u32 %r1, [%d1];\nret;"));
  std::vector<Diagnostic> pointer = lint_text(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .shared .align 4 s)
{
  .reg .b64 %d<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %d1, [s];
  ld.global.u32 %r1, [%d1];
  ret;
})");
  expect_one(pointer, "space-mismatch", Severity::kError, "s is declared .ptr .shared");
}

TEST(LintSpaces, NonCoherentLoadsOfWhatIsWritten) {
  const std::string head = "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n";
  expect_one(lint_body(head + R"(
    ld.global.nc.u32 %r1, [%d1];
    st.global.u32 [%d1], %r1;
    ret;)"),
             "nc-of-written", Severity::kWarning, "(the same bytes)");
  expect_one(lint_body(head + R"(
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d3, %r2, 4;
    add.u64 %d4, %d1, %d3;
    ld.global.nc.u32 %r1, [%d4];
    atom.global.add.u32 %r3, [%d1+64], %r1;
    ret;)"),
             "nc-of-written", Severity::kWarning, "reads through a, which the kernel writes");
  expect_none(lint_body(head + R"(
    ld.global.nc.u32 %r1, [%d1];
    st.global.u32 [%d2], %r1;
    st.global.u32 [%d1+4], %r1;
    ret;)"));
}

TEST(LintConvergence, BarriersOfEveryKind) {
  for (const char* barrier : {"bar.sync 0;", "barrier.sync.aligned 0;", "bar.arrive 0, 64;",
                              "bar.red.popc.u32 %r5, 0, %p1;"}) {
    std::vector<Diagnostic> found = lint_body(std::string(R"(
    mov.u32 %r1, %laneid;
    setp.gt.u32 %p1, %r1, 7;
    @%p1 bra END;
    )") + barrier + "\nEND:\nret;",
                                              ".reqntid 64");
    expect_one(found, "barrier-divergent", Severity::kError, "8 of the 32 lanes of warp 0");
  }
  // Without .aligned the barrier may diverge.
  expect_none(lint_body(R"(
    mov.u32 %r1, %laneid;
    setp.gt.u32 %p1, %r1, 7;
    @%p1 bra END;
    barrier.sync 0;
END:
    ret;)",
                        ".reqntid 64"));
}

TEST(LintConvergence, GuardedBarrierAndEarlyExit) {
  expect_one(lint_body(R"(
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bar.sync 0;
    ret;)",
                       ".reqntid 64"),
             "barrier-divergent", Severity::kError, "its guard differs between lanes");
  expect_one(lint_body(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 39;
    @%p1 exit;
    bar.sync 0;
    ret;)",
                       ".reqntid 64"),
             "barrier-divergent", Severity::kError, "8 of the 32 lanes of warp 1");
}

TEST(LintConvergence, WholeWarpsMayTakeABranch) {
  const char* body = R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 bra END;
    bar.sync 1, 32;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
END:
    ret;)";
  expect_none(lint_body(body, ".reqntid 64"));
  expect_none(lint_body(body));
}

TEST(LintConvergence, BarriersUnderDataAreNotAccused) {
  const char* body = R"(
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r9;
    @%p1 bra END;
    bar.sync 0;
END:
    ret;)";
  expect_none(lint_body(body, ".reqntid 32"));
  LintOptions pedantic;
  pedantic.pedantic = true;
  expect_one(lint_body(body, ".reqntid 32", pedantic), "barrier-unproved", Severity::kNote,
             "not proved to be the same");
}

TEST(LintConvergence, UnknownBlockGivesAWarning) {
  const char* body = R"(
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra END;
    bar.sync 0;
END:
    ret;)";
  expect_one(lint_body(body), "barrier-divergent", Severity::kWarning, "in a block of 32×1×1");
  LintOptions given;
  given.block = {{2, 1, 1}};
  expect_one(lint_body(body, "", given), "barrier-divergent", Severity::kError, "1 of the 2 lanes");
  given.block = {{1, 1, 1}};
  expect_none(lint_body(body, "", given));
}

TEST(LintConvergence, OtherAlignedInstructions) {
  expect_one(lint_body(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra END;
    mov.u32 %r2, tile;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];
END:
    ret;)",
                       ".reqntid 32"),
             "aligned-divergent", Severity::kError, "16 of the 32 lanes");
}

TEST(LintConvergence, MemberMasks) {
  const std::string guarded = R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 7;
    @%p1 bra JOIN;
    )",
                    rest = "\nJOIN:\nadd.u32 %r8, %r1, 1;\nst.shared.u32 [tile], %r8;\nret;";
  expect_none(
      lint_body(guarded + "shfl.sync.down.b32 %r2, %r1, 4, 31, 255;" + rest, ".reqntid 32"));
  expect_one(lint_body(guarded + "shfl.sync.down.b32 %r2, %r1, 4, 31, -1;" + rest, ".reqntid 32"),
             "membermask", Severity::kError, "waits for lanes 8–31 of warp 0");
  expect_one(lint_body(guarded + "vote.sync.ballot.b32 %r2, %p1, 15;" + rest, ".reqntid 32"),
             "membermask", Severity::kError, "lanes 4–7 of warp 0");
  expect_one(lint_body(guarded + "bar.warp.sync 65280;" + rest, ".reqntid 32"), "membermask",
             Severity::kError, "lanes 0–7 of warp 0");
  // The mask of the half that a lane is in.
  expect_none(lint_body(R"(
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 16;
    mov.u32 %r3, 65535;
    shl.b32 %r4, %r3, %r2;
    shfl.sync.bfly.b32 %r5, %r1, 1, 4127, %r4;
    ret;)",
                        ".reqntid 64"));
  // Both sides shuffle with the same mask: the instructions pair up.
  expect_none(lint_body(guarded + R"(
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    bra END;
JOIN:
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
END:
    ret;)",
                        ".reqntid 32"));
  // Lanes that have left the kernel are not waited for.
  expect_none(lint_body(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 7;
    @%p1 exit;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    ret;)",
                        ".reqntid 32"));
  // The last warp of a block may be short.
  expect_none(lint_body("mov.u32 %r1, %tid.x;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nret;",
                        ".reqntid 48"));
}

TEST(LintConvergence, MasksUnderDataAreReportedOnlyIfAllLanesAreWrong) {
  const std::string head = R"(
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r9;
    @%p1 bra END;
    )";
  expect_none(
      lint_body(head + "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 65535;\nEND:\nret;", ".reqntid 32"));
  expect_one(lint_body(head + "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0;\nEND:\nret;", ".reqntid 32"),
             "membermask", Severity::kError, "leaves out");
}

TEST(LintConvergence, ShuffleClamps) {
  const char* head = "mov.u32 %r1, %tid.x;\n";
  auto shuffle = [&](const char* text) {
    return lint_body(std::string(head) + text + "\nret;", ".reqntid 32");
  };
  expect_one(shuffle("shfl.sync.up.b32 %r2, %r1, 1, 31, -1;"), "shfl-clamp", Severity::kWarning,
             "moves nothing");
  expect_one(shuffle("shfl.sync.down.b32 %r2, %r1, 1, 0, -1;"), "shfl-clamp", Severity::kWarning,
             "moves nothing");
  expect_one(shuffle("shfl.sync.bfly.b32 %r2, %r1, 4, 3871, -1;"), "shfl-clamp", Severity::kWarning,
             "segment mask 15");
  for (const char* right :
       {"shfl.sync.up.b32 %r2, %r1, 1, 0, -1;", "shfl.sync.down.b32 %r2, %r1, 16, 31, -1;",
        "shfl.sync.bfly.b32 %r2, %r1, 4, 6175, -1;", "shfl.sync.up.b32 %r2, %r1, 4, 6144, -1;",
        "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", "shfl.sync.down.b32 %r2, %r1, 0, 31, -1;"})
    expect_none(shuffle(right));
}

TEST(LintConvergence, UniformBranches) {
  const char* body = R"(
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra.uni END;
    st.shared.u32 [tile], %r1;
END:
    ret;)";
  expect_one(lint_body(body, ".reqntid 32"), "uni-divergent", Severity::kError,
             "holds in 16 lanes (0xaaaaaaaa) of the 32");
  expect_none(lint_body(R"(
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 bra.uni END;
    bar.warp.sync -1;
END:
    ret;)",
                        ".reqntid 64"));
}

TEST(LintConvergence, ThreadCounts) {
  expect_one(lint_body("mov.u32 %r1, 48;\nbar.sync 1, %r1;\nret;"), "barrier-threads",
             Severity::kError, "48 threads; the count has to be a multiple");
  expect_one(lint_body("bar.sync 1, 128;\nret;", ".reqntid 64"), "barrier-threads",
             Severity::kError, "only 64 can arrive");
  expect_none(lint_body("mov.u32 %r1, 64;\nbar.sync 1, %r1;\nret;", ".reqntid 64"));
}

TEST(LintRaces, OneValueForAllIsNoRace) {
  const std::string head = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n",
                    tail = "ld.shared.u32 %r3, [tile];\nret;";
  expect_none(lint_body(head + "st.shared.u32 [tile], %r2;\n" + tail, ".reqntid 64"));
  EXPECT_EQ(lint_body(head + "st.shared.u32 [tile], %r1;\n" + tail, ".reqntid 64").size(), 1u);
}

TEST(LintRaces, OverwritingWhatOthersRead) {
  expect_one(lint_body(R"(
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    ld.shared.u32 %r5, [%r4+4];
    st.shared.u32 [%r4], %r5;
    ret;)",
                       ".reqntid 128"),
             "shared-race", Severity::kWarning, "overwrites what");
}

TEST(LintAsync, CopiesThatNothingWaitsFor) {
  const std::string copy = R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, tile;
    cp.async.ca.shared.global [%r1], [%d1], 16;
    cp.async.commit_group;
    )",
                    read = "bar.sync 0;\nld.shared.u32 %r2, [%r1];\nret;";
  expect_one(lint_body(copy + read), "async-no-wait", Severity::kWarning,
             "never waits for its copies");
  expect_none(lint_body(copy + "cp.async.wait_group 0;\n" + read));
  expect_none(lint_body(copy + "cp.async.wait_all;\n" + read));
  expect_none(lint_body(copy + "ret;"));
}

TEST(LintUndefined, DefiniteReads) {
  expect_one(lint_body("add.u32 %r2, %r1, 1;\nst.shared.u32 [tile], %r2;\nret;"), "undefined-read",
             Severity::kWarning, "%r1 is read here, but nothing writes it");
  expect_none(lint_body(R"(
    mov.u32 %r3, %tid.x;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 mov.u32 %r1, 5;
    @%p1 st.shared.u32 [tile], %r1;
    ret;)"));
}

TEST(Lint, SeveralFunctionsAndOrder) {
  std::string text = address_kernel("ld.param.u64 %d1, [a];\nld.global.u32 %r1, [%d1+2];\nret;");
  text +=
      ".func f(.param .u64 x)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n.shared .align 8 .b8 "
      "s[64];\nmov.u64 %d1, s;\nld.u64 %d2, [%d1];\nret;\n}\n";
  std::vector<Diagnostic> found = lint_text(text);
  ASSERT_EQ(found.size(), 2u) << listing(found);
  EXPECT_EQ(found[0].code, "misaligned-access");
  EXPECT_EQ(found[1].code, "window-generic");
}

TEST(Lint, BrokenInputDoesNotMatter) {
  for (const char* text : {"", ".version", ".version 8.0\n.target sm_80\n.entry k(){",
                           ".version 8.0\n.target sm_80\n.entry k(){ ld.global.u32 %r1, [%r2+; }",
                           ".version 8.0\n.target sm_80\n.entry k(){ bar.sync; shfl.sync; bra x; "
                           "@%p bra.uni; ld; st.shared; atom [0], 1; cp.async.ca; }"}) {
    ptx::Module m = ptx::parse("broken.ptx", text);
    Diagnostics out;
    lint(m, {}, out);
  }
}

}  // namespace
}  // namespace pitot::analysis
