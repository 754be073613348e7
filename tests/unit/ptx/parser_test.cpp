// Parser: every construct in, nothing lost, errors located, and parsing goes on after them.
#include "ptx/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/printer.h"
#include "support/file.h"

namespace pitot::ptx::parser_test {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module kernel(const std::string& body) {
  return parse("test.ptx",
               kHead + ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" + body + "\n}\n");
}

std::vector<std::string> problems(const Module& m) {
  std::vector<std::string> out;
  for (const auto& d : m.diagnostics.items()) {
    Position p = m.source->position(d.range.begin);
    out.push_back(std::to_string(p.line) + ":" + std::to_string(p.column) + " " + d.code);
  }
  return out;
}

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Parser, ReadsHeaderAndKernel) {
  Module m = kernel(
      "  .reg .pred %p<2>;\n  .reg .b32 %r<5>;\n  .reg .b64 %rd<3>;\n"
      "  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [n];\n"
      "  setp.ge.s32 %p1, %r1, 10;\n  @%p1 bra $done;\n"
      "  st.global.u32 [%rd1+4], %r1;\n$done:\n  ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  EXPECT_EQ(m.version, 80);
  EXPECT_EQ(m.target, (Target{80, 0}));
  ASSERT_EQ(m.functions.size(), 1u);
  const Function& f = m.functions[0];
  EXPECT_TRUE(f.is_entry);
  EXPECT_EQ(f.name, "k");
  EXPECT_EQ(f.parameters.size(), 2u);
  ASSERT_EQ(m.body(f).size(), 6u);
  const Instruction& branch = m.body(f)[3];
  EXPECT_EQ(f.registers[branch.guard].name, "%p1");
  ASSERT_EQ(branch.operand_count, 1u);
  EXPECT_EQ(m.operands_of(branch)[0].kind, OperandKind::kLabel);
  EXPECT_EQ(f.labels[0].instruction, 5u);
  EXPECT_EQ(f.labels[0].uses, 1u);
  const Operand& address = m.operands_of(m.body(f)[4])[0];
  EXPECT_EQ(address.kind, OperandKind::kAddress);
  EXPECT_EQ(address.value, 4);
  EXPECT_EQ(f.registers[address.id].name, "%rd1");
}

TEST(Parser, ShadowedRegistersOfInnerScopesAreOthers) {
  Module m = kernel(
      ".reg .b32 %r<3>;\n.reg .b32 t;\n mov.u32 t, 1;\n{ .reg .f32 t;\n .reg .b64 %r1;\n"
      " mov.f32 t, 0f00000000;\n mov.u64 %r1, 5;\n}\n mov.u32 %r1, t;\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function& f = m.functions[0];
  auto type_of_first = [&](size_t i) {
    return f.registers[m.operands_of(m.body(f)[i])[0].id].type;
  };
  EXPECT_EQ(type_of_first(0), Type::kB32);
  EXPECT_EQ(type_of_first(1), Type::kF32);
  EXPECT_EQ(type_of_first(2), Type::kB64);
  EXPECT_EQ(type_of_first(3), Type::kB32);
  EXPECT_EQ(m.operands_of(m.body(f)[3])[1].id, m.operands_of(m.body(f)[0])[0].id);
}

TEST(Parser, InnerRangeShadowsOuterRange) {
  Module m =
      kernel(".reg .b32 %r<8>;\n{ .reg .b64 %r<4>;\n mov.u64 %r3, 1;\n mov.u32 %r5, 1; }\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function& f = m.functions[0];
  EXPECT_EQ(f.registers[m.operands_of(m.body(f)[0])[0].id].type, Type::kB64);
  EXPECT_EQ(f.registers[m.operands_of(m.body(f)[1])[0].id].type, Type::kB32);
}

TEST(Parser, NamesBeyondTheRangeAreUndeclared) {
  Module m = kernel(".reg .b32 %r<3>;\n mov.u32 %r3, 1;\n mov.u32 %r01, 1;\n ret;");
  EXPECT_THAT(problems(m), ElementsAre("7:10 undeclared-name", "8:10 undeclared-name"));
}

TEST(Parser, HugeRangeCostsNothing) {
  Module m = kernel(
      ".reg .b32 %r<2000000000>;\n mov.u32 %r1999999999, 1;\n mov.u32 %r7, %r1999999999;\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  EXPECT_EQ(m.functions[0].registers.size(), 2u);
}

TEST(Parser, VectorsElementsPairsAndSinks) {
  Module m = kernel(
      ".reg .b32 %r<9>;\n.reg .pred p1, q;\n.reg .v4 .f32 v;\n.reg .b64 %rd;\n"
      " ld.global.v4.u32 {%r1, %r2, _, %r4}, [%rd];\n setp.lt.and.s32 p1|q, %r1, %r2, !p1;\n"
      " mov.f32 v.x, 0f3F800000;\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function& f = m.functions[0];
  auto ops = m.operands_of(m.body(f)[0]);
  ASSERT_EQ(ops[0].kind, OperandKind::kVector);
  ASSERT_EQ(ops[0].child_count, 4u);
  EXPECT_EQ(m.children_of(ops[0])[2].kind, OperandKind::kSink);
  ops = m.operands_of(m.body(f)[1]);
  EXPECT_EQ(ops[0].kind, OperandKind::kPair);
  EXPECT_TRUE(ops[3].negated);
  EXPECT_EQ(m.operands_of(m.body(f)[2])[0].selector, Selector::kX);
}

TEST(Parser, Constants) {
  struct {
    const char* text;
    OperandKind kind;
    uint64_t bits;
  } cases[] = {
      {"42", OperandKind::kInteger, 42},
      {"-1", OperandKind::kInteger, ~0ull},
      {"0x7fU", OperandKind::kInteger, 127},
      {"017", OperandKind::kInteger, 15},
      {"0b101", OperandKind::kInteger, 5},
      {"(1<<4)+3*2", OperandKind::kInteger, 22},
      {"~0", OperandKind::kInteger, ~0ull},
      {"7/2", OperandKind::kInteger, 3},
      {"-7%4", OperandKind::kInteger, static_cast<uint64_t>(-3)},
      {"3>2?10:20", OperandKind::kInteger, 10},
      {"!5", OperandKind::kInteger, 0},
      {"WARP_SZ", OperandKind::kInteger, 32},
      {"WARP_SZ-1", OperandKind::kInteger, 31},
      {"(.u64)-1>>1", OperandKind::kInteger, 0x7fffffffffffffffull},
      {"0f3F800000", OperandKind::kFloat32, 0x3f800000},
      {"-0f3F800000", OperandKind::kFloat32, 0xbf800000},
      {"0d3FF0000000000000", OperandKind::kFloat64, 0x3ff0000000000000ull},
      {"1.5", OperandKind::kFloat64, 0x3ff8000000000000ull},
      {"1e3", OperandKind::kFloat64, 0x408f400000000000ull},
      {"-0.0", OperandKind::kFloat64, 0x8000000000000000ull},
  };
  for (const auto& c : cases) {
    Module m = kernel(std::string(".reg .b64 %rd;\n mov.b64 %rd, ") + c.text + ";\n ret;");
    EXPECT_THAT(problems(m), IsEmpty()) << c.text;
    const Operand& o = m.operands_of(m.body(m.functions[0])[0])[1];
    EXPECT_EQ(o.kind, c.kind) << c.text;
    EXPECT_EQ(static_cast<uint64_t>(o.value), c.bits) << c.text;
  }
}

TEST(Parser, BadConstantsAreLocated) {
  for (const char* text : {"0f3F80", "0d1", "0xg", "99999999999999999999", "1/0", "12abc"}) {
    Module m = kernel(std::string(".reg .b64 %rd;\n mov.b64 %rd, ") + text + ";\n ret;");
    ASSERT_EQ(m.diagnostics.errors(), 1u) << text;
    EXPECT_EQ(m.diagnostics.items()[0].code, "bad-literal") << text;
    EXPECT_EQ(m.source->position(m.diagnostics.items()[0].range.begin).column, 15u) << text;
  }
}

TEST(Parser, CallsOverSeveralLinesAreOneStatement) {
  Module m = parse("t", kHead +
                            ".func (.param .b32 r) f(.param .b32 a, .param .b32 b);\n"
                            ".entry k() {\n .reg .b32 %r<3>;\n { .param .b32 x; .param .b32 y;\n"
                            " call.uni (x), // result\n f,\n (\n y, /* both */ y\n );\n"
                            " ld.param.b32 %r1, [x]; }\n ret;\n}\n"
                            ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function* k = m.find_function("k");
  ASSERT_NE(k, nullptr);
  auto ops = m.operands_of(m.body(*k)[0]);
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].kind, OperandKind::kList);
  EXPECT_EQ(ops[1].kind, OperandKind::kSymbol);
  EXPECT_TRUE(m.functions[m.symbols[ops[1].id].function].has_body);
  EXPECT_EQ(ops[2].child_count, 2u);
}

TEST(Parser, BranchTablesAndPrototypes) {
  Module m = kernel(
      ".reg .b32 %r;\n.reg .b64 %rd;\nts: .branchtargets A, B;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      " brx.idx %r, ts;\nA: ret;\nB:\n"
      " { .param .b32 a; .param .b32 b;\n call (a), %rd, (b), proto; }\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function& f = m.functions[0];
  EXPECT_EQ(f.labels.size(), 2u);
  const Operand& table = m.operands_of(m.body(f)[0])[1];
  ASSERT_EQ(table.kind, OperandKind::kSymbol);
  const Symbol& s = m.symbols[table.id];
  ASSERT_EQ(s.target_count, 2u);
  EXPECT_EQ(m.children[s.first_target + 1].kind, OperandKind::kLabel);
  EXPECT_EQ(f.labels[1].uses, 1u);
  auto call = m.operands_of(m.body(f)[2]);
  ASSERT_EQ(call.size(), 4u);
  EXPECT_EQ(m.symbols[call[3].id].kind, SymbolKind::kPrototype);
}

TEST(Parser, VariablesOfEverySpace) {
  Module m = parse("t", kHead +
                            ".global .align 16 .b8 a[32];\n.extern .shared .align 4 .b8 dyn[];\n"
                            ".const .f32 c[2][3] = {{1.0,2.0,3.0},{4.0,5.0,6.0}};\n"
                            ".visible .global .u32 x = 5, y = 6;\n"
                            ".global .b8 s[] = {1, 2, 3};\n.global .u64 ptr = generic(a)+4;\n"
                            ".global .texref tex;\n"
                            ".global .v4 .f32 v;\n.weak .global .attribute(.managed) .s32 w;\n");
  EXPECT_THAT(problems(m), IsEmpty());
  ASSERT_EQ(m.symbols.size(), 10u);
  EXPECT_EQ(m.symbols[0].size, 32u);
  EXPECT_EQ(m.symbols[0].alignment, 16u);
  EXPECT_TRUE(m.symbols[1].unsized);
  EXPECT_EQ(m.symbols[1].linkage, Linkage::kExtern);
  EXPECT_EQ(m.symbols[2].size, 24u);
  EXPECT_EQ(m.slice(m.symbols[3].initialiser), "5");
  EXPECT_EQ(m.symbols[4].name, "y");
  EXPECT_EQ(m.symbols[5].size, 3u);
  EXPECT_EQ(m.symbols[8].alignment, 16u);
}

TEST(Parser, ParametersWithPointerAttributes) {
  Module m = parse("t", kHead +
                            ".entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 "
                            "s[24], .param .u64 .ptr b)\n"
                            ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 40\n{ ret; }\n");
  EXPECT_THAT(problems(m), IsEmpty());
  const Function& f = m.functions[0];
  const Symbol& a = m.symbols[f.parameters[0]];
  EXPECT_TRUE(a.is_pointer);
  EXPECT_EQ(a.pointer_space, Space::kGlobal);
  EXPECT_EQ(a.pointer_alignment, 16u);
  EXPECT_EQ(m.symbols[f.parameters[1]].size, 24u);
  EXPECT_EQ(f.bounds.threads(), 256u);
  EXPECT_EQ(f.bounds.minnctapersm, 3u);
  EXPECT_EQ(f.bounds.maxnreg, 40u);
}

TEST(Parser, DebugSectionsOldAndNew) {
  Module m = parse("t", kHead +
                            ".entry k() {\n.loc 1 2 3\n$L__f0:\n"
                            ".loc 1 2 3, function_name $L__info+5, inlined_at 1 9 1\n ret;\n}\n"
                            ".file 1 \"a.cu\", 123, 456\n"
                            ".section .debug_abbrev\n{\n.b8 1 // { a brace\n.b8 34 // \"\n}\n"
                            "@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 1, 2\n"
                            ".section .debug_str { $L__info: .b8 1 }\n");
  EXPECT_THAT(problems(m), IsEmpty());
  EXPECT_EQ(m.functions[0].line_marks.size(), 2u);
  EXPECT_EQ(m.functions[0].labels[0].uses, 0u);
  EXPECT_EQ(m.others.size(), 5u);
}

TEST(Parser, LineEndingsBomAndPreamble) {
  std::string text = kHead + ".entry k() {\n // c\n ret;\n}\n";
  auto with = [&](std::string ending) {
    std::string out;
    for (char c : text)
      if (c == '\n')
        out += ending;
      else
        out += c;
    return out;
  };
  for (const std::string& t :
       {with("\r\n"), with("\r"), "\xEF\xBB\xBF" + text,
        "Fatbin ptx code:\n================\narch = sm_80\ncode version = [8,0]\ncompressed\n\n" +
            text}) {
    Module m = parse("t", t);
    EXPECT_THAT(problems(m), IsEmpty()) << t;
    EXPECT_EQ(m.instructions.size(), 1u);
    EXPECT_EQ(print(m), t);
  }
}

TEST(Parser, ModifiersMayStandApart) {
  Module m = kernel(".reg .b32 %r<3>;\n add .u32 %r1, %r1, %r2;\n ret;");
  EXPECT_THAT(problems(m), IsEmpty());
  EXPECT_EQ(m.body(m.functions[0])[0].opcode->text, "add.u32");
}

TEST(Parser, GoesOnAfterErrors) {
  Module m = kernel(
      ".reg .b32 %r<3>;\n add.u32 %r1, %r1 %r2;\n foo.u32 %r1, %r2;\n foo.u32 %r2, %r2;\n"
      " add.u32 %r1, , 2;\n bra nowhere;\n mul.lo.u32 %r1, %r2, 3\n ret;");
  EXPECT_THAT(problems(m), ElementsAre("7:19 syntax", "8:2 unknown-instruction", "10:15 syntax",
                                       "11:6 undeclared-label", "13:2 syntax"));
  EXPECT_EQ(m.diagnostics.items()[1].count, 2u);
  EXPECT_EQ(m.body(m.functions[0]).back().opcode->text, "ret");
}

TEST(Parser, ABrokenKernelDoesNotHideTheNext) {
  Module m = parse("t", kHead +
                            ".entry a( { oops }\n.entry b() { ret; }\n.entr c() { ret; }\n"
                            ".entry d() { ret; }\n");
  EXPECT_GE(m.diagnostics.errors(), 2u);
  EXPECT_NE(m.find_function("b"), nullptr);
  EXPECT_NE(m.find_function("d"), nullptr);
}

TEST(Parser, SuggestsTheNearestName) {
  Module m = kernel(".reg .b32 %r<3>;\n.reg .b64 %rd;\n ld.gobal.u32 %r1, [%rd];\n ret;");
  ASSERT_EQ(m.diagnostics.items().size(), 1u);
  EXPECT_EQ(m.diagnostics.items()[0].hint, "did you mean 'ld.global.u32'?");
  EXPECT_EQ(m.source->position(m.diagnostics.items()[0].range.begin).column, 5u);
}

TEST(Parser, RedefinitionsAreErrors) {
  Module m =
      kernel(".reg .b32 %r<3>;\n.reg .b32 %r<4>;\n.reg .b32 a, a;\n.reg .b32 %r2;\nL: L: ret;");
  EXPECT_THAT(problems(m), ElementsAre("7:11 redefined-name", "8:14 redefined-name",
                                       "9:11 redefined-name", "10:4 redefined-name"));
}

TEST(Parser, ARangeOverASingleRegister) {
  EXPECT_THAT(problems(kernel(".reg .b32 %r2;\n.reg .b32 %r<3>;\nret;")),
              ElementsAre("7:11 redefined-name"));
  EXPECT_THAT(problems(kernel(".reg .b32 %r2;\n.reg .b32 %r<2>;\n{\n.reg .b32 %r<3>;\n}\nret;")),
              ElementsAre());
}

TEST(Parser, ThreeHundredKernelsAndALongLine) {
  std::string text = kHead;
  for (int i = 0; i < 300; ++i)
    text += ".entry k" + std::to_string(i) + "() { .reg .b32 %r<2>; mov.u32 %r1, " +
            std::to_string(i) + "; ret; }\n";
  std::string line = ".entry long() { .reg .b32 %r<2>; ";
  while (line.size() < 600000) line += "add.u32 %r1, %r1, 1; ";
  text += line + "ret; }\n";
  Module m = parse("t", text);
  EXPECT_THAT(problems(m), IsEmpty());
  EXPECT_EQ(m.functions.size(), 301u);
  EXPECT_EQ(print(m), text);
}

// What ptxas 13.0 says of each: strings span lines and have no escapes.
TEST(Parser, PragmasAreQuotedAndEndInASemicolon) {
  EXPECT_THAT(problems(kernel(".pragma \"nounroll\", \"a\nb\";\nret;")), IsEmpty());
  EXPECT_THAT(problems(kernel(".pragma \"nounroll\"\nret;")), ElementsAre("7:1 syntax"));
  EXPECT_THAT(problems(kernel(".pragma ;\nret;")), ElementsAre("6:9 syntax"));
  EXPECT_THAT(problems(kernel(".pragma \"a\\\"b\";\nret;")), Contains("6:13 syntax"));
  EXPECT_THAT(problems(kernel(".pragma \"nounroll;\nret;")), ElementsAre("6:9 unterminated"));
  EXPECT_THAT(problems(parse("t", kHead + ".pragma \"a\"\n.entry k() { ret; }")),
              ElementsAre("5:1 syntax"));
  EXPECT_THAT(problems(parse("t", kHead + ".entry k() .pragma \"a\" { ret; }")),
              ElementsAre("4:24 syntax"));
}

TEST(Parser, NeverAccessesOutsideOnTruncatedInput) {
  auto text = read_file(PITOT_SOURCE_DIR "/tests/data/cases/31-multiline-call.ptx");
  ASSERT_TRUE(text.ok());
  for (size_t n = 0; n < text->size(); ++n) {
    Module m = parse("t", text->substr(0, n));
    EXPECT_EQ(m.source->text().size(), n);
  }
}

}  // namespace
}  // namespace pitot::ptx::parser_test
