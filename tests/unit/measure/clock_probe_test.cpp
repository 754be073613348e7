// The clock reads: where they go, what they leave alone, and what is refused.
#include "measure/clock_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ptx/parser.h"
#include "ptx/verify.h"
#include "support/file.h"

namespace pitot::measure::clock_probe_test {
namespace {

std::string root() { return std::string(PITOT_SOURCE_DIR) + "/"; }

std::string kernel(const std::string& body, const std::string& parameters = "(.param .u64 out)",
                   const std::string& before = {}) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before + ".visible .entry k" +
         parameters + "\n{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<4>;\n" + body + "}\n";
}

size_t count(const std::string& text, const std::string& piece) {
  size_t n = 0;
  for (size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

std::multiset<std::string> findings(const ptx::Module& m) {
  Diagnostics found;
  ptx::verify(m, {}, found);
  std::multiset<std::string> out;
  for (const Diagnostics* all : {&m.diagnostics, static_cast<const Diagnostics*>(&found)})
    for (const auto& d : all->items()) out.insert(std::string(d.code) + d.message);
  return out;
}

// The original plus the insertions, nothing else; and what was inserted writes to nothing but its
// own registers and the records.
void expect_only_clock_reads(const ptx::Module& original, const ClockProbe& probe) {
  std::string text;
  uint32_t at = 0;
  for (const auto& i : probe.insertions) {
    text += original.text().substr(at, i.offset - at);
    text += i.text;
    at = i.offset;
  }
  text += original.text().substr(at);
  ASSERT_EQ(text, probe.text);
  EXPECT_EQ(original.text().find(probe.prefix), std::string_view::npos);

  const ptx::Module probed = ptx::parse("probed.ptx", probe.text);
  ASSERT_EQ(probed.functions.size(), original.functions.size());
  EXPECT_EQ(findings(probed), findings(original));
  for (size_t f = 0; f < probed.functions.size(); ++f) {
    const ptx::Function &now = probed.functions[f], &then = original.functions[f];
    const auto before = original.body(then);
    size_t kept = 0;
    for (const ptx::Instruction& i : probed.body(now)) {
      const std::string_view statement = probed.slice(i.range);
      if (statement.find(probe.prefix) == std::string_view::npos) {
        ASSERT_LT(kept, before.size());
        ASSERT_EQ(statement, original.slice(before[kept].range));
        ++kept;
        continue;
      }
      const auto operands = probed.operands_of(i);
      ASSERT_FALSE(operands.empty());
      if (i.opcode->has(ptx::kRed)) {
        ASSERT_EQ(operands[0].base_kind, ptx::OperandKind::kRegister) << statement;
      } else {
        ASSERT_EQ(operands[0].kind, ptx::OperandKind::kRegister) << statement;
      }
      const std::string_view written = now.registers[operands[0].id].name;
      EXPECT_EQ(written.substr(0, 1 + probe.prefix.size()), "%" + probe.prefix) << statement;
      EXPECT_FALSE(i.opcode->has(ptx::kBranch) || i.opcode->has(ptx::kStore)) << statement;
    }
    EXPECT_EQ(kept, before.size());
    const bool timed = now.is_entry && now.parameters.size() != then.parameters.size();
    EXPECT_EQ(now.parameters.size(), then.parameters.size() + (timed ? 1 : 0));
    for (size_t p = 0; p < then.parameters.size(); ++p)
      EXPECT_EQ(probed.symbols[now.parameters[p]].name, original.symbols[then.parameters[p]].name);
  }
}

ClockProbe expect_probed(const std::string& text, const std::string& entry = {}) {
  const ptx::Module m = ptx::parse("test.ptx", text);
  auto probe = insert_clock_probe(m, entry);
  if (!probe) {
    ADD_FAILURE() << probe.error().message;
    return {};
  }
  expect_only_clock_reads(m, *probe);
  return *probe;
}

std::string refusal(const std::string& text, const std::string& entry = {}) {
  const ptx::Module m = ptx::parse("test.ptx", text);
  auto probe = insert_clock_probe(m, entry);
  if (probe) return "";
  EXPECT_EQ(probe.error().kind, ErrorKind::kInput);
  return probe.error().message;
}

TEST(ClockProbe, OneReadAtTheStartAndOneBeforeEachExit) {
  const ClockProbe p =
      expect_probed(kernel("\tmov.u32 %r1, %tid.x;\n\tsetp.gt.u32 %p1, %r1, 3;\n\t@%p1 ret;\n"
                           "\tsetp.gt.u32 %p2, %r1, 2;\n\t@!%p2 exit;\n\tret;\n"));
  EXPECT_EQ(count(p.text, "%clock64"), 4u);
  EXPECT_EQ(count(p.text, "red.global.min.u64"), 1u);
  EXPECT_EQ(count(p.text, "red.global.max.u64"), 3u);
  EXPECT_NE(p.text.find("setp.eq.and.u32 %pitot_clock_p, %pitot_clock_r1, 0, %p1;"), p.text.npos);
  EXPECT_NE(p.text.find("setp.eq.and.u32 %pitot_clock_p, %pitot_clock_r1, 0, !%p2;"), p.text.npos);
  // The guarded exit itself is as it was.
  EXPECT_NE(p.text.find("\t@%p1 ret;\n"), p.text.npos);
}

TEST(ClockProbe, TheParameterIsTheLast) {
  for (const char* parameters : {"", "()", "( )", "(.param .u64 out)",
                                 "(.param .u8 a,\n .param .align 4 .b8 b[12] // two\n)"}) {
    const ClockProbe p = expect_probed(kernel("\tret;\n", parameters));
    const ptx::Module m = ptx::parse("p.ptx", p.text);
    const auto& list = m.functions[0].parameters;
    ASSERT_FALSE(list.empty()) << parameters;
    EXPECT_EQ(m.symbols[list.back()].name, "pitot_clock_records") << parameters;
    EXPECT_EQ(m.symbols[list.back()].type, ptx::Type::kU64);
  }
}

TEST(ClockProbe, AnEntryThatRunsOffItsEnd) {
  EXPECT_EQ(count(expect_probed(kernel("\tmov.u32 %r1, 0;\n")).text, "red.global.max.u64"), 1u);
  EXPECT_EQ(count(expect_probed(kernel("")).text, "red.global.max.u64"), 1u);
  EXPECT_EQ(
      count(
          expect_probed(kernel("\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra END;\n\tret;\nEND:\n")).text,
          "red.global.max.u64"),
      2u);
  EXPECT_EQ(count(expect_probed(kernel("L:\n\tbra L;\n")).text, "red.global.max.u64"), 0u);
}

TEST(ClockProbe, NamesThatAreTaken) {
  const ClockProbe p =
      expect_probed(kernel("\t.reg .b64 %pitot_clock_d<9>;\n\t.reg .pred %pitot_clock1;\n\tmov.u64 "
                           "%pitot_clock_d1, 7;\n\tret;\n"));
  EXPECT_EQ(p.prefix, "pitot_clock2");
}

TEST(ClockProbe, OnlyTheNamedEntryChanges) {
  const std::string text =
      kernel("\tret;\n") + ".visible .entry other(.param .u64 x)\n{\n\tret;\n}\n";
  EXPECT_NE(refusal(text).find("several entries"), std::string::npos);
  EXPECT_NE(refusal(text, "third").find("no entry third"), std::string::npos);
  const ClockProbe p = expect_probed(text, "other");
  EXPECT_EQ(p.text.substr(0, kernel("\tret;\n").size()), kernel("\tret;\n"));
  EXPECT_EQ(count(p.text, "%clock64"), 2u);
}

TEST(ClockProbe, ADeclarationGetsTheParameterToo) {
  const ClockProbe p = expect_probed(
      kernel("\tret;\n", "(.param .u64 out)", ".visible .entry k(.param .u64 out);\n"));
  EXPECT_EQ(count(p.text, ".param .u64 pitot_clock_records"), 2u);
}

TEST(ClockProbe, CallsAreFineUnlessThreadsEndInThem) {
  const std::string helper = ".func f()\n{\n\tret;\n}\n", ends = ".func f()\n{\n\texit;\n}\n";
  EXPECT_EQ(count(expect_probed(kernel("\tcall f;\n\tret;\n", "()", helper)).text, "%clock64"), 2u);
  EXPECT_NE(
      refusal(kernel("\tcall f;\n\tret;\n", "()", ends)).find("inside the function f (line 6)"),
      std::string::npos);
  EXPECT_EQ(count(expect_probed(kernel("\tret;\n", "()", ends)).text, "%clock64"), 2u);
  auto given = read_file(root() + "tests/data/cases/29-exit-in-func.ptx");
  ASSERT_TRUE(given.ok());
  EXPECT_NE(refusal(*given).find("threads may end inside the function guard"), std::string::npos);
}

TEST(ClockProbe, OldTargetsAndBrokenTextAreRefused) {
  auto with = [](const std::string& head) { return head + ".entry k()\n{\n\tret;\n}\n"; };
  EXPECT_NE(refusal(with(".version 6.1\n.target sm_60\n.address_size 64\n")).find("activemask"),
            std::string::npos);
  EXPECT_NE(refusal(with(".version 6.2\n.target sm_20\n.address_size 64\n")).find("newer .version"),
            std::string::npos);
  EXPECT_EQ(refusal(with(".version 6.2\n.target sm_60\n.address_size 64\n")), "");
  EXPECT_NE(refusal(with(".version 8.0\n.target sm_80\n.address_size 32\n")).find("32 bits"),
            std::string::npos);
  EXPECT_NE(refusal(kernel("\tmov.u32 %r1 %r2;\n\tret;\n")).find("has errors"), std::string::npos);
}

TEST(ClockProbe, EveryEntryOfTheRepository) {
  unsigned probed = 0, refused = 0;
  for (const char* directory : {"kernels", "tests/data/corpus"}) {
    auto files = list_files(root() + directory, {".ptx"});
    ASSERT_TRUE(files.ok());
    for (const std::string& file : *files) {
      SCOPED_TRACE(file);
      auto m = ptx::parse_file(file);
      ASSERT_TRUE(m.ok());
      for (const ptx::Function& f : m->functions) {
        if (!f.is_entry || !f.has_body) continue;
        auto probe = insert_clock_probe(*m, f.name);
        if (!probe) {
          ++refused;
          EXPECT_NE(probe.error().message.find("threads may end inside"), std::string::npos)
              << probe.error().message;
          continue;
        }
        ++probed;
        expect_only_clock_reads(*m, *probe);
      }
    }
  }
  EXPECT_GE(probed, 500u);
  EXPECT_LE(refused, 10u) << probed;
  RecordProperty("probed", static_cast<int>(probed));
}

ClockRecord record(uint64_t start, uint64_t end, uint32_t sm) {
  ClockRecord r;
  r.start = start;
  r.end = end;
  r.sm = sm;
  return r;
}

TEST(ClockSpan, TheSlowestSmCounts) {
  // SM 3: 100…900 with a gap; SM 7, whose clock reads otherwise: 5000…5400.
  auto span =
      clock_span(std::vector{record(5000, 5400, 7), record(100, 300, 3), record(600, 900, 3)});
  ASSERT_TRUE(span.ok());
  EXPECT_EQ(span->cycles, 800u);
  EXPECT_EQ(span->slowest_sm, 3u);
  EXPECT_EQ(span->sms, 2u);
  EXPECT_EQ(span->mean_cycles, 600);
  EXPECT_EQ(span->block_cycles, 300);
}

TEST(ClockSpan, BlocksThatDidNotRunAreNamed) {
  auto message = [](std::vector<ClockRecord> records) {
    auto span = clock_span(records);
    return span ? std::string() : span.error().message;
  };
  EXPECT_NE(message({}), "");
  EXPECT_NE(message({record(1, 2, 0), ClockRecord{}}).find("block 1 of 2 did not start"),
            std::string::npos);
  EXPECT_NE(message({record(1, 0, 0)}).find("block 0 of 1 did not end"), std::string::npos);
  EXPECT_NE(message({record(9, 2, 0)}).find("ended 7 cycles before"), std::string::npos);
  EXPECT_EQ(message({record(9, 9, 0)}), "");
}

}  // namespace
}  // namespace pitot::measure::clock_probe_test
