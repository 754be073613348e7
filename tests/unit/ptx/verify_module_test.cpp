// Header, declarations, functions, calls and limits. Every verdict was tried with ptxas 13.0.
#include <gtest/gtest.h>

#include <tuple>

#include "ptx/printer.h"
#include "verify_test_util.h"

namespace pitot::ptx::test {
namespace {

const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

struct Text {
  const char* text;
  const char* code;  // of the one error; null: none
};

void check(const Text& t, const std::string& header = kHeader) {
  auto found = verify_text(header + t.text);
  if (t.code == nullptr) {
    EXPECT_EQ(errors(found), 0u) << t.text << "\n" << show(found);
    return;
  }
  ASSERT_GE(errors(found), 1u) << t.text;
  for (const Found& f : found)
    if (f.severity == Severity::kError) {
      EXPECT_EQ(f.code, t.code) << t.text << "\n" << show(found);
      break;
    }
}

// ptxas reads .version, any number of .target of which the last architecture counts, then at most
// one .address_size.
TEST(VerifyHeader, OrderAndRepetition) {
  const std::string v = ".version 8.0\n", t = ".target sm_80\n", a = ".address_size 64\n";
  const std::string kernel = ".visible .entry k() { ret; }\n";
  const std::pair<std::string, const char*> texts[] = {
      {v + t + kernel, nullptr},
      {v + t + t + a + kernel, nullptr},
      {v + ".target sm_80\n.target texmode_independent\n" + a + kernel, nullptr},
      {v + t + a + a + kernel, "redefined-directive"},
      {v + t + a + t + kernel, "redefined-directive"},
      {v + t + kernel + a, "misplaced-directive"},
      {v + t + a + kernel + t, "misplaced-directive"},
      {v + t + ".file 1 \"a.cu\"\n" + a + kernel, "misplaced-directive"},
      {v + t + ".global .b32 x;\n" + a + kernel, "misplaced-directive"},
  };
  for (const auto& [text, code] : texts) {
    SCOPED_TRACE(text);
    check({text.c_str(), code}, "");
  }
  EXPECT_EQ(parse("t", v + ".target sm_90\n.target sm_80\n" + kernel).target.sm, 80);
  EXPECT_EQ(parse("t", v + ".target sm_90, sm_80\n" + kernel).target.sm, 90);
}

TEST(VerifyDeclarations, Variables) {
  const Text texts[] = {
      {".visible .global .u32 g = 5;", nullptr},
      {".global .u32 g[] = {1,2,3};", nullptr},
      {".extern .shared .u32 g[];", nullptr},
      {".global .align 65536 .u32 g;", nullptr},
      {".global .v4 .u32 g;", nullptr},
      {".global .b128 g;", nullptr},
      {".entry k() { .global .u32 g; .param .u32 p; ret; }", nullptr},
      {".extern .global .u32 g; .visible .global .u32 g;", nullptr},
      {".extern .global .u32 g = 5;", "initialiser"},
      {".global .u32 g[];", "incomplete-type"},
      {".shared .u32 g[];", "incomplete-type"},
      {".global .u32 g[0];", "incomplete-type"},
      {".shared .u32 g = 5;", "initialiser"},
      {".global .pred g;", "declaration-type"},
      {".global .v4 .u64 g;", "vector-too-large"},
      {".global .align 3 .u32 g;", "bad-alignment"},
      {".param .u32 g;", "declaration-space"},
      {".local .u32 g;", "declaration-space"},
      {".common .shared .u32 g;", "declaration-linkage"},
      {".shared .texref t;", "declaration-space"},
      {".entry k() { .global .texref t; ret; }", "declaration-space"},
      {".global .samplerref t;", "texture-mode"},
      {".entry k() { .reg .e4m3 h; ret; }", "declaration-type"},
      {".entry k() { .reg .v4 .u64 h; ret; }", "vector-too-large"},
      {".entry k() { .visible .shared .u32 h; ret; }", "declaration-linkage"},
      {".extern .global .u32 g; .global .u32 g;", "redeclaration"},
      {".extern .global .u32 g; .visible .global .f32 g;", "redeclaration"},
      {".global .u32 g; .global .u32 g;", "redefined-name"},
  };
  for (const Text& t : texts) check(t);
}

TEST(VerifyDeclarations, Initialisers) {
  const Text texts[] = {
      {".global .u32 g[4] = {1,2,3};", nullptr},
      {".global .u32 g[2][2] = {{1,2},{3,4}};", nullptr},
      {".global .v2 .u32 g = {1,2};", nullptr},
      {".global .u8 g[2] = {-129, 1000};", nullptr},
      {".global .f32 g = 0f3F800000;", nullptr},
      {".global .f32 g[3] = {1.0, -1.5e3, 0d3FF0000000000000};", nullptr},
      {".global .b32 g = 1.5;", nullptr},
      {".global .u32 h; .global .u64 g = generic(h)+4;", nullptr},
      {".global .u32 h; .global .u32 g[3] = {h, h+4, 5};", nullptr},
      {".global .u32 h; .global .u8 g[2] = {0xFF(h), 0xFF00(h)};", nullptr},
      {".global .u32 g[2] = {1,2,3};", "initialiser"},
      {".global .u32 g[2][2] = {1,2,3,4};", "initialiser"},
      {".global .u32 g[2] = {{1},{2}};", "initialiser"},
      {".global .u32 g = {1};", "initialiser"},
      {".global .u32 g[1] = 1;", "initialiser"},
      {".global .u32 g[2] = {1,2.5};", "initialiser"},
      {".global .f32 g = 1;", "initialiser"},
      {".global .f16 g = 1.5;", "initialiser"},
      {".global .u32 g[3] = {1 2};", "initialiser"},
      {".global .u32 g[3] = {1,};", "initialiser"},
      {".global .u64 g = h; .global .u32 h;", "initialiser"},
      {".shared .u32 h; .global .u64 g = h;", "initialiser"},
      {".global .u32 h; .global .f32 g = h;", "initialiser"},
      {".global .u32 h; .global .s64 g = h;", "initialiser"},
  };
  for (const Text& t : texts) check(t);
}

TEST(VerifyDeclarations, Parameters) {
  const Text texts[] = {
      {".entry k(.param .f16 a, .param .align 256 .b8 b[4]) { ret; }", nullptr},
      {".func f(.param .u32 x, .param .b8 a[]) { ret; }", nullptr},
      {".entry k(.param .u64 .ptr .global .align 8 a) { ret; }", nullptr},
      {".entry k(.param .texref t) { ret; }", nullptr},
      {".entry k(.param .pred a) { ret; }", "declaration-type"},
      {".entry k(.param .b8 a[]) { ret; }", "incomplete-type"},
      {".func f(.param .b8 a[], .param .u32 x) { ret; }", "incomplete-type"},
      {".entry k(.reg .u32 a) { ret; }", "declaration-space"},
      {".entry k(.shared .u32 a) { ret; }", "declaration-space"},
      {".func f(.param .u64 .ptr .global a) { ret; }", "parameter-attribute"},
      {".entry k(.param .v4 .f32 a) { ret; }", "declaration-type"},
      {".func (.param .u32 r, .param .u32 s) f() { ret; }", "return-count"},
      {".entry k(.param .u32 a, .param .u32 a) { ret; }", "redefined-name"},
      {".func f(.param .u32 a) { .reg .u32 r; st.param.u32 [a], r; ret; }", "read-only"},
      {".func (.param .u32 r) f() { .reg .u32 a; ld.param.u32 a, [r]; ret; }", "write-only"},
  };
  for (const Text& t : texts) check(t);
}

// Found by fuzzing: a register parameter without a name.
TEST(VerifyDeclarations, BrokenRegisterParameters) {
  for (const char* text : {".entry k(.reg .u32 ) { ret; }",
                           ".func f(.reg .u32 , .param .b32 a) { ret; } "
                           ".entry k() { .reg .u32 r; call f, (r, r); ret; }"})
    EXPECT_GE(errors(verify_text(kHeader + text)), 1u) << text;
}

// Found by fuzzing: findings beyond the end of a text that stops in the middle.
TEST(VerifyDeclarations, FindingsOfCutTextsLieInThem) {
  const std::string whole =
      std::string(kHeader) +
      ".global .align 4 .b8 t[8] = {1, 2, (3 + 4), mask(k), 5};\n.global .f32 "
      "f = 0f3F800000;\n.entry k(.param .u64 p) { .reg .b32 %r<3>; L: add.s32 "
      "%r1, %r2, 1; @%p bra L; ld.global.v2.u32 {%r1, %r2}, [p+4]; ret; }";
  for (size_t n = 0; n < whole.size(); ++n)
    for (const char* tail : {"", " ", "\n", ","}) {
      const std::string text = whole.substr(0, n) + tail;
      const Module m = parse("cut", text);
      Diagnostics found;
      verify(m, {}, found);
      for (const Diagnostics* list : {&m.diagnostics, static_cast<const Diagnostics*>(&found)})
        for (const Diagnostic& d : list->items()) {
          EXPECT_LE(d.range.begin, d.range.end) << d.message << "\n" << text;
          EXPECT_LE(d.range.end, text.size()) << d.message << "\n" << text;
        }
    }
}

// Found by fuzzing: every bad spelling searched all legal ones for the nearest.
TEST(VerifyDeclarations, ThousandsOfBadSpellingsAreEachReported) {
  std::string text = std::string(kHeader) + ".entry k() {\n.reg .b32 %r<3>;\n";
  for (int i = 0; i < 3000; ++i)
    text += "mma.sync.row.z" + std::to_string(i) + " %r1, %r2;\nfoo" + std::to_string(i) +
            ".u32 %r1;\n";
  const Module m = parse("bad", text + "ret; }\n");
  EXPECT_EQ(m.diagnostics.errors(), 6000u);
  const Diagnostic& last = m.diagnostics.items().back();
  EXPECT_EQ(last.code, "unknown-instruction");
  EXPECT_EQ(text.substr(last.range.begin, last.range.end - last.range.begin), "foo2999");
  const Diagnostic& before = m.diagnostics.items()[m.diagnostics.items().size() - 2];
  EXPECT_EQ(before.code, "unknown-modifier");
  EXPECT_EQ(text.substr(before.range.begin, before.range.end - before.range.begin), "z2999");
}

// Verdicts of ptxas 13.0.
TEST(VerifyDeclarations, SelectorsOfSimdVideoOperands) {
  const std::pair<const char*, bool> lines[] = {
      {"vadd2.u32.u32.u32 %r1.h10, %r2.h32, %r3.h10, %r4;", true},
      {"vadd2.u32.u32.u32 %r1.h1, %r2, %r3, %r4;", true},
      {"vadd2.u32.u32.u32 %r1, %r2.h33, %r3.h01, %r4;", true},
      {"vset2.u32.u32.eq.add %r1.h10, %r2.h10, %r3.h32, %r4;", true},
      {"vadd4.u32.u32.u32 %r1.b3210, %r2.b0123, %r3.b7654, %r4;", true},
      {"vadd4.u32.u32.u32 %r1.b20, %r2.b7777, %r3.b0000, %r4;", true},
      {"vadd4.u32.u32.u32 %r1.b210, %r2, %r3, %r4;", true},
      {"vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;", false},
      {"vadd2.u32.u32.u32 %r1.h11, %r2, %r3, %r4;", false},
      {"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4;", false},
      {"vadd2.u32.u32.u32 %r1, %r2, %r3, %r4.h10;", false},
      {"vadd4.u32.u32.u32 %r1.b02, %r2, %r3, %r4;", false},
      {"vadd4.u32.u32.u32 %r1, %r2.b10, %r3, %r4;", false},
      {"vadd4.u32.u32.u32 %r1, %r2.b8000, %r3, %r4;", false},
      {"add.u32 %r1, %r2.h10, %r3;", false},
      {"vadd.s32.s32.s32 %r1, %r2.h0, %r3.b2;", true},
      {"vadd.s32.s32.s32 %r1.h0, %r2, %r3, %r4;", true},
      {"vadd.s32.s32.s32 %r1, %r2.h10, %r3;", false},
      {"vadd.s32.s32.s32 %r1.h10, %r2, %r3, %r4;", false},
      {"vadd2.s32.s32.s32 %r1.h0, %r2, %r3, %r4;", true},
      {"vadd2.s32.s32.s32 %r1, %r2.h0, %r3, %r4;", false},
      {"vadd2.s32.s32.s32 %r1, %r2.b0, %r3, %r4;", false},
      {"vadd4.s32.s32.s32 %r1.b0, %r2, %r3, %r4;", true},
      {"vadd4.s32.s32.s32 %r1, %r2.b0, %r3, %r4;", false},
      {"vadd4.s32.s32.s32 %r1.h0, %r2, %r3, %r4;", false},
  };
  for (const auto& [line, good] : lines) {
    const std::string text =
        std::string(kHeader) + ".entry k() {\n.reg .b32 %r<9>;\n" + line + "\nret; }\n";
    EXPECT_EQ(errors(verify_text(text)) == 0, good) << line;
    if (!good) continue;
    const Module m = parse("v", text);
    EXPECT_EQ(print(m), text);
    // The normal form keeps every digit.
    const std::string selectors = print_canonical(m);
    for (const char* part :
         {".h10", ".h32", ".h33", ".h01", ".b3210", ".b0123", ".b7777", ".b0000"})
      if (std::string_view(line).find(part) != std::string_view::npos) {
        EXPECT_NE(selectors.find(part), std::string::npos) << selectors;
      }
  }
}

// Verdicts of ptxas 13.0.
TEST(VerifyDeclarations, BulkStores) {
  const std::tuple<const char*, const char*, bool> lines[] = {
      {"st.bulk [%rd1], %rd2, 0;", "8.6 sm_100", true},
      {"st.bulk.weak.shared::cta [%rd1], 64, 0;", "8.6 sm_100", true},
      {"st.bulk.shared::cta.weak [%rd1], %rd2, 0;", "8.7 sm_120", true},
      {"st.bulk.shared [%rd1], %rd2, 0;", "8.6 sm_100", false},
      {"st.bulk.global [%rd1], %rd2, 0;", "8.6 sm_100", false},
      {"st.bulk [%rd1], %r2, 0;", "8.6 sm_100", false},
      {"st.bulk [%rd1], %rd2, 1;", "8.6 sm_100", false},
      {"st.bulk [%rd1], 12, 0;", "8.6 sm_100", false},
      {"st.bulk [%rd1], %rd2;", "8.6 sm_100", false},
      {"st.bulk [%rd1], %rd2, 0;", "8.6 sm_90", false},
      {"st.bulk [%rd1], %rd2, 0;", "8.5 sm_100", false},
  };
  for (const auto& [line, where, good] : lines) {
    const std::string text =
        ".version " + std::string(where).substr(0, 3) + "\n.target " +
        std::string(where).substr(4) +
        "\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" + line +
        "\nret; }\n";
    EXPECT_EQ(errors(verify_text(text)) == 0, good) << line << " " << where;
  }
}

TEST(VerifyFunctions, Names) {
  const Text texts[] = {
      {".entry k() { A: { A: ret; } ret; }", nullptr},
      {".entry k() { bra A; { bra A; } A: ret; }", nullptr},
      {".entry k() { .reg .u32 a; { .reg .f32 a; mov.f32 a, 1.0; } mov.u32 a, 1; ret; }", nullptr},
      {".global .u32 g; .entry f() { .reg .u32 g; mov.u32 g, 1; ret; }", nullptr},
      {".func f(.param .u32 x); .func f(.param .u32 y) { ret; }", nullptr},
      {".extern .func f(.param .u32 x);", nullptr},
      {".entry k() { .reg .u32 a; a: ret; }", "redefined-name"},
      {".entry k() { t: .branchtargets L; t: ret; L: ret; }", "redefined-name"},
      {".entry f(.param .u32 r) { r: ret; }", "redefined-name"},
      {".func f(.param .u32 x); .func f(.param .f32 y) { ret; }", "prototype-mismatch"},
      {".func f(.param .u32 x); .func f(.param .b32 y) { ret; }", "prototype-mismatch"},
      {".func f(.param .u32 x); .func f() { ret; }", "prototype-mismatch"},
      {".extern .func f(); .visible .func f() { ret; }", "prototype-mismatch"},
      {".extern .func f() { ret; }", "declaration-linkage"},
      {".func f();", "undefined-function"},
  };
  for (const Text& t : texts) check(t);
}

TEST(VerifyFunctions, LaunchBounds) {
  const Text texts[] = {
      {".entry k() .maxntid 32,32,2 .minnctapersm 2 .maxnreg 64 { ret; }", nullptr},
      {".entry k() .blocksareclusters .reqntid 32 .reqnctapercluster 2 { ret; }", nullptr},
      {".func f() .noreturn { exit; }", nullptr},
      {".entry k() .maxntid 0 { ret; }", "launch-bounds"},
      {".entry k() .maxnreg 0 .maxnreg 32 { ret; }", "launch-bounds"},
      {".entry k() .reqntid 32 .maxntid 64 { ret; }", "launch-bounds"},
      {".entry k() .maxclusterrank 8 .reqnctapercluster 2 { ret; }", "launch-bounds"},
      {".entry k() .blocksareclusters { ret; }", "launch-bounds"},
      {".entry k() .maxnctapersm 3 .maxntid 128 { ret; }", "removed-instruction"},
      {".func f() .maxntid 32 { ret; }", "directive-placement"},
      {".entry k() .noreturn { ret; }", "directive-placement"},
      {".func (.reg .u32 a) f() .noreturn { exit; }", "directive-placement"},
  };
  for (const Text& t : texts) check(t);
  auto warned = verify_text(kHeader + ".entry k() .minnctapersm 2 .maxnreg 300 { ret; }");
  EXPECT_EQ(errors(warned), 0u);
  EXPECT_EQ(warned.size(), 2u) << show(warned);
}

TEST(VerifyCalls, Signatures) {
  const std::string reg =
      ".func (.reg .u32 r) f(.reg .u32 x) { ret; } .entry k() { .reg .u32 a; .reg .f32 b; ";
  const std::string par =
      ".func (.param .u32 r) f(.param .align 8 .b8 x[8]) { ret; } .entry k(.param .b64 kp) { .reg "
      ".u32 a; "
      ".param .b32 pr; .param .align 8 .b8 p8[8]; .param .align 4 .b8 p4[8]; .param .align 8 .b8 "
      "p16[16]; "
      ".param .b64 pb; ";
  const std::string ind =
      ".entry k() { .reg .u64 a; .reg .f64 d; p: .callprototype (.param .b32 _) _ (.param .b64 _); "
      ".param .b32 r; .param .b64 x; ";
  const std::pair<std::string, const char*> texts[] = {
      {reg + "call (a), f, (a); ret; }", nullptr},
      {reg + "call (_), f, (5); ret; }", nullptr},
      {reg + "call f, (a); ret; }", "argument-count"},
      {reg + "call (a), f; ret; }", "argument-count"},
      {reg + "call (a), f, (a, a); ret; }", "argument-count"},
      {reg + "call (a), f, (b); ret; }", "argument-type"},
      {reg + "call (b), f, (a); ret; }", "argument-type"},
      {reg + "call (a), f, (1.5); ret; }", "argument-type"},
      {reg + "call (a), k, (a); ret; }", "call-target"},
      {reg + "call (a), b, (a); ret; }", "call-target"},
      {reg + "call (a), a, (a); ret; }", "call-prototype"},
      {reg + "call (a), f, (a), (a); ret; }", "operand-count"},
      {par + "call (pr), f, (p8); ret; }", nullptr},
      {par + "call (pr), f, (p16); ret; }", "argument-type"},
      {par + "call (pr), f, (pb); ret; }", "argument-type"},
      {par + "call (pr), f, (kp); ret; }", "argument-type"},
      {par + "call (pr), f, (p4); ret; }", "argument-alignment"},
      {ind + "call (r), a, (x), p; ret; }", nullptr},
      {ind + "call (r), d, (x), p; ret; }", "call-target"},
      {ind + "call (x), a, (x), p; ret; }", "argument-type"},
      {ind + "call (r), a, (x, x), p; ret; }", "argument-count"},
  };
  for (const auto& [text, code] : texts) check({text.c_str(), code});
}

TEST(VerifyCalls, ArgumentsAreNotGuarded) {
  check({".entry k() { .reg .pred p; .reg .b32 a; .param .b32 x; @p st.param.b32 [x], a; ret; }",
         "guarded-argument"});
}

TEST(VerifyHeader, VersionsAndTargets) {
  auto code = [](const std::string& text) {
    auto found = verify_text(text);
    return found.empty() ? std::string() : found[0].code;
  };
  const std::string body = ".entry k() { ret; }\n";
  EXPECT_EQ(code(".version 9.0\n.target sm_90, texmode_independent\n" + body), "");
  EXPECT_EQ(code(".version 7.8\n.target sm_90\n" + body), "");
  EXPECT_EQ(code(".version 7.7\n.target sm_90\n" + body), "version-too-low");
  EXPECT_EQ(code(".version 7.8\n.target sm_90a\n" + body), "version-too-low");
  EXPECT_EQ(code(".version 8.7\n.target sm_100f\n" + body), "version-too-low");
  EXPECT_EQ(code(".version 7.9\n.target sm_80\n" + body), "unknown-version");
  EXPECT_EQ(code(".version 9.1\n.target sm_80\n" + body), "newer-version");
  EXPECT_EQ(code(".version 9.0\n.target sm_91\n" + body), "unknown-target");
  EXPECT_EQ(code(".version 9.0\n.target debug\n" + body), "missing-target");
  EXPECT_EQ(code(".version 9.0\n.target sm_90, texmode_unified, texmode_independent\n" + body),
            "target-option");
  EXPECT_EQ(code(".version 9.0\n.target sm_90, map_f64_to_f32\n" + body), "target-option");
}

TEST(VerifyHeader, RetargetingSpecificCode) {
  const std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { ret; }\n";
  VerifyOptions same, higher;
  same.target = Target{90, 'a'};
  higher.target = Target{100, 0};
  EXPECT_EQ(errors(verify_text(text, same)), 0u);
  auto found = verify_text(text, higher);
  ASSERT_EQ(errors(found), 1u);
  EXPECT_EQ(found[0].code, "target-mismatch");
}

TEST(VerifyLimits, Parameters) {
  auto with = [](const char* version, const char* target, const char* parameters) {
    return verify_text(std::string(".version ") + version + "\n.target " + target +
                       "\n.address_size 64\n.entry k(" + parameters + ") { ret; }\n");
  };
  EXPECT_EQ(errors(with("8.0", "sm_90", ".param .b8 a[4352]")), 0u);
  EXPECT_EQ(errors(with("8.0", "sm_90", ".param .b8 a[4353]")), 1u);
  EXPECT_EQ(errors(with("8.1", "sm_90", ".param .b8 a[32764]")), 0u);
  EXPECT_EQ(errors(with("8.1", "sm_90", ".param .b8 a[32765]")), 1u);
  EXPECT_EQ(errors(with("8.1", "sm_61", ".param .b8 a[4356]")), 1u);
  EXPECT_EQ(errors(with("9.0", "sm_90", ".param .b8 x, .param .align 8 .b8 a[32756]")), 0u);
  EXPECT_EQ(errors(with("9.0", "sm_90", ".param .b8 x, .param .align 8 .b8 a[32757]")), 1u);
}

TEST(VerifyLimits, SharedMemory) {
  const Text texts[] = {
      {".entry k() { .shared .b8 s[49152]; ret; }", nullptr},
      {".shared .b8 s[49153]; .entry k() { ret; }", nullptr},
      {".shared .b8 s[49153]; .func f() { .reg .u32 r; st.shared.u32 [s], r; ret; } .entry k() { "
       "ret; }",
       nullptr},
      {".shared .b8 s[40000]; .shared .b8 t[40000]; .entry k() { .reg .u32 r; st.shared.u32 [s], "
       "r; ret; } "
       ".entry k2() { .reg .u32 r; st.shared.u32 [t], r; ret; }",
       nullptr},
      {".entry k() { .shared .b8 s[49153]; ret; }", "shared-space"},
      {".shared .b8 s[49153]; .entry k() { .reg .u32 r; mov.u32 r, s; ret; }", "shared-space"},
      {".shared .b8 s[49153]; .func f() { .reg .u32 r; st.shared.u32 [s], r; ret; } .entry k() { "
       "call f; ret; }",
       "shared-space"},
      {".func f() { .shared .b8 s[49153]; ret; } .entry k() { call f; ret; }", "shared-space"},
      {".shared .b8 s[40000]; .shared .b8 t[40000]; .entry k() { .reg .u32 r; st.shared.u32 [s], "
       "r; "
       "st.shared.u32 [t], r; ret; }",
       "shared-space"},
  };
  for (const Text& t : texts) check(t);
  // Architecture-specific targets may fill what a launch can opt in to.
  const std::string specific = ".version 9.0\n.target sm_90a\n.address_size 64\n";
  check({".entry k() { .shared .b8 s[232448]; ret; }", nullptr}, specific);
  check({".entry k() { .shared .b8 s[232449]; ret; }", "shared-space"}, specific);
}

TEST(VerifyLimits, ConstantMemory) {
  check({".const .b8 c[65536];", nullptr});
  check({".const .b8 c[65537];", "constant-space"});
  check({".const .b8 c[40000]; .const .b8 d[40000];", "constant-space"});
}

}  // namespace
}  // namespace pitot::ptx::test
