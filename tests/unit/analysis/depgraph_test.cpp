// Dependences inside blocks: by hand, and by running reorderings that the graph allows.
#include "analysis/depgraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

// "0>2f4": instruction 2 waits 4 cycles for 0 by flow (a anti, o output, m memory).
std::string edges(const std::string& body) {
  auto a = analyse(body);
  DepGraph g;
  g.build(a.facts, a.workspace);
  std::string out;
  for (uint32_t i = 0; i < a.facts.instruction_count(); ++i) {
    std::vector<std::string> in;
    for (const Dependence& d : g.of(i))
      in.push_back(std::to_string(d.from) + ">" + std::to_string(i) +
                   "faom"[static_cast<int>(d.kind)] + std::to_string(d.latency));
    std::sort(in.begin(), in.end());
    for (const std::string& s : in) out += (out.empty() ? "" : " ") + s;
  }
  return out;
}

uint32_t latency_of(const std::string& instruction) {
  auto a = analyse(instruction);
  return a.facts.instruction(0).opcode->latency;
}

TEST(DepGraph, Registers) {
  EXPECT_EQ(edges("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.u32 %r3, %r1, %r2;"), "0>2f4 1>2f4");
  EXPECT_EQ(edges("add.u32 %r2, %r1, 1;\nmov.u32 %r1, 2;"), "0>1a0");
  EXPECT_EQ(edges("mov.u32 %r1, 1;\nmov.u32 %r1, 2;"), "0>1o1");
  EXPECT_EQ(edges("add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;"), "0>1f4 0>1o1");
  EXPECT_EQ(edges("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;"), "0>1f4");
}

TEST(DepGraph, GuardedWriteMayKeepTheOldValue) {
  EXPECT_EQ(edges("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nst.global.u32 [%rd1], %r1;"),
            "0>1f4 0>1o1 1>2f4");
}

TEST(DepGraph, CarryFlag) {
  EXPECT_EQ(edges("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;\n"
                  "add.cc.u32 %r7, %r8, %r9;\naddc.u32 %r10, 0, 0;"),
            "0>1f4 0>2o1 1>2a0 2>3f4");
}

TEST(DepGraph, MemoryOfOneSpace) {
  // Loads do not order each other; a store waits for both unless it cannot overlap.
  EXPECT_EQ(edges("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\n"
                  "st.global.u32 [%rd1], %r3;"),
            "0>2m1 1>2m1");
  EXPECT_EQ(edges("st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+4], %r3;\n"
                  "ld.global.u32 %r1, [%rd1+2];"),
            "0>2m1 1>2m1");
  EXPECT_EQ(edges("add.u64 %rd2, %rd1, 8;\nst.global.u64 [%rd1], %rd3;\n"
                  "st.global.u64 [%rd2], %rd3;\nst.global.u64 [%rd2+-4], %rd3;"),
            "0>2f4 0>3f4 1>3m1 2>3m1");
  EXPECT_EQ(edges("st.global.v4.u32 [%rd1], {%r1,%r2,%r3,%r4};\nld.global.u32 %r5, [%rd1+12];\n"
                  "ld.global.u32 %r6, [%rd1+16];"),
            "0>1m1");
}

TEST(DepGraph, SpacesAndSymbols) {
  EXPECT_EQ(edges("st.global.u32 [%rd1], %r1;\nst.shared.u32 [%r2], %r1;\n"
                  "ld.local.u32 %r3, [%rd2];"),
            "");
  EXPECT_EQ(edges("st.u32 [%rd1], %r1;\nld.shared.u32 %r3, [%r2];"), "0>1m1");
  EXPECT_EQ(edges(".shared .b32 a[8];\n.shared .b32 b[8];\nst.shared.u32 [a], %r1;\n"
                  "ld.shared.u32 %r3, [b];\nld.shared.u32 %r4, [a];"),
            "0>2m1");
  EXPECT_EQ(edges("ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], %r1;\n"
                  "ld.param.u32 %r2, [n];"),
            "0>1f30");
}

TEST(DepGraph, OrderingOperations) {
  EXPECT_EQ(edges("ld.shared.u32 %r1, [%r2];\nbar.sync 0;\nst.shared.u32 [%r3], %r4;\n"
                  "mul.lo.u32 %r5, %r6, %r7;"),
            "0>1m1 1>2m20");
  EXPECT_EQ(edges("st.volatile.global.u32 [%rd1], %r1;\nld.volatile.shared.u32 %r2, [%r3];"),
            "0>1m1");
  EXPECT_EQ(edges("mov.u32 %r1, %clock;\nadd.u32 %r2, %r3, %r4;\nmov.u32 %r5, %clock;"), "0>2m1");
  EXPECT_EQ(edges("mov.u32 %r1, %tid.x;\nmov.u32 %r5, %tid.x;"), "");
  EXPECT_EQ(edges("cp.async.ca.shared.global [%r1], [%rd1], 4;\n"
                  "cp.async.ca.shared.global [%r1+4], [%rd1+4], 4;\n"
                  "ld.global.u32 %r2, [%rd2];\nld.shared.u32 %r3, [%r1];"),
            "0>3m1");
}

TEST(DepGraph, ImpliedMemoryEdgesAreLeftOut) {
  // All may overlap: each waits for the one before only.
  EXPECT_EQ(edges("st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r1;\n"
                  "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd4], %r1;"),
            "0>1m1 1>2m1 2>3m1");
  // The barrier waits for the copy as long as the copy takes, whatever comes in between.
  EXPECT_EQ(edges("cp.async.ca.shared.global [%r1], [%rd1], 4;\nst.shared.u32 [%r3], %r4;\n"
                  "bar.sync 0;"),
            "0>1m1 0>2m" +
                std::to_string(latency_of("cp.async.ca.shared.global [%r1], [%rd1], 4;")) +
                " 1>2m1");
}

TEST(DepGraph, OnlyTrueDependencesWhereTheyAreWanted) {
  auto a = analyse(
      "mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nmov.u32 %r1, 2;\n"
      "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r2;");
  DepGraph all, some;
  all.build(a.facts, a.workspace);
  some.build(a.facts, a.workspace, Wanted::kTrue);
  for (uint32_t i = 0; i < a.facts.instruction_count(); ++i) {
    std::vector<uint32_t> expected, got;
    for (const Dependence& d : all.of(i))
      if (d.is_true()) expected.push_back(d.from);
    for (const Dependence& d : some.of(i)) got.push_back(d.from);
    EXPECT_EQ(got, expected) << i;
  }
}

TEST(DepGraph, BlocksAreApart) {
  EXPECT_EQ(edges("mov.u32 %r1, 1;\n@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nL: ret;"), "");
}

// Concrete state of a straight-line kernel of the instructions below.
struct State {
  std::vector<uint64_t> registers;
  bool carry = false;
  std::map<uint64_t, uint8_t> memory;
  bool operator==(const State&) const = default;
};

void step(const Analysed& a, const ptx::Instruction& i, State& s) {
  const auto ops = a.module.operands_of(i);
  if (i.guard != kNoId && (s.registers[i.guard] != 0) == i.guard_negated) return;
  auto value = [&](size_t k) {
    return ops[k].is_register() ? s.registers[ops[k].id] : static_cast<uint64_t>(ops[k].value);
  };
  const std::string_view op = i.opcode->text;
  const bool wide = op.ends_with("64");
  auto set = [&](uint64_t v) { s.registers[ops[0].id] = wide ? v : v & 0xffffffff; };
  auto address = [&](size_t k) {
    return s.registers[ops[k].id] + static_cast<uint64_t>(ops[k].value);
  };
  if (op.starts_with("mov")) {
    set(value(1));
  } else if (op.starts_with("addc")) {
    set(value(1) + value(2) + (s.carry ? 1 : 0));
  } else if (op.starts_with("add")) {
    const uint64_t sum = value(1) + value(2);
    if (op.find(".cc") != op.npos) s.carry = sum >> 32 != 0;
    set(sum);
  } else if (op.starts_with("setp")) {
    s.registers[ops[0].id] = value(1) < value(2) ? 1 : 0;
  } else if (op.starts_with("st")) {
    for (uint64_t k = 0; k < 4; ++k)
      s.memory[address(0) + k] = static_cast<uint8_t>(value(1) >> (8 * k));
  } else if (op.starts_with("ld")) {
    uint64_t v = 0;
    for (uint64_t k = 0; k < 4; ++k) v |= uint64_t{s.memory[address(1) + k]} << (8 * k);
    set(v);
  } else {
    ADD_FAILURE() << op;
  }
}

TEST(DepGraph, AllowedReorderingsComputeTheSame) {
  std::mt19937 rng(8);
  size_t moved = 0;
  for (int round = 0; round < 400; ++round) {
    auto pick = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
    auto r = [&] { return "%r" + std::to_string(pick(4)); };
    auto rd = [&] { return "%rd" + std::to_string(1 + pick(3)); };
    auto p = [&] { return "%p" + std::to_string(pick(2)); };
    std::string body;
    for (int k = 0; k < 14; ++k) {
      const uint32_t g = pick(6);
      if (g < 2) body += (g == 0 ? "@" : "@!") + p() + " ";
      const std::string offset = "+" + std::to_string(pick(3) * 3);
      switch (pick(9)) {
        case 0:
          body += "mov.u32 " + r() + ", " + std::to_string(pick(100));
          break;
        case 1:
          body += "add.u32 " + r() + ", " + r() + ", " + r();
          break;
        case 2:
          body += "setp.lt.u32 " + p() + ", " + r() + ", " + r();
          break;
        case 3:
          body += "st.global.u32 [" + rd() + offset + "], " + r();
          break;
        case 4:
          body += "ld.global.u32 " + r() + ", [" + rd() + offset + "]";
          break;
        case 5:
          body += "add.cc.u32 " + r() + ", " + r() + ", -1";
          break;
        case 6:
          body += "addc.u32 " + r() + ", " + r() + ", 0";
          break;
        case 7:
          body += "mov.u64 " + rd() + ", " + rd();
          break;
        default:
          body += "add.u64 " + rd() + ", " + rd() + ", " + std::to_string(pick(3) * 4);
          break;
      }
      body += ";\n";
    }
    auto a = analyse(body);
    DepGraph g;
    g.build(a.facts, a.workspace);
    State start;
    for (size_t k = 0; k < a.facts.function->registers.size(); ++k)
      start.registers.push_back(a.facts.function->registers[k].type == ptx::Type::kPred ? pick(2)
                                                                                        : pick(5));
    auto run = [&](const std::vector<uint32_t>& order) {
      State s = start;
      for (uint32_t i : order) step(a, a.facts.instruction(i), s);
      return s;
    };
    const uint32_t n = a.facts.instruction_count();
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; ++i) order[i] = i;
    const State expected = run(order);
    for (int trial = 0; trial < 10; ++trial) {
      // A random order that the edges allow.
      std::vector<uint32_t> next;
      std::vector<bool> done(n, false);
      while (next.size() < n) {
        std::vector<uint32_t> ready;
        for (uint32_t i = 0; i < n; ++i) {
          const auto in = g.of(i);
          if (!done[i] &&
              std::all_of(in.begin(), in.end(), [&](const Dependence& d) { return done[d.from]; }))
            ready.push_back(i);
        }
        next.push_back(ready[pick(static_cast<uint32_t>(ready.size()))]);
        done[next.back()] = true;
      }
      moved += next != order;
      ASSERT_EQ(run(next), expected) << body;
    }
  }
  EXPECT_GT(moved, 3000u);
}

// Many accesses between two barriers: the number of edges stays in proportion.
TEST(DepGraph, LongBlocksStayLinear) {
  std::string body;
  for (int k = 0; k < 4000; ++k) {
    const std::string at = std::to_string(k * 8);
    body += "ld.global.u32 %r1, [%rd1+" + at + "];\n";
    body += "st.global.u32 [%rd" + std::to_string(2 + k % 2) + "+" + at + "], %r1;\n";
  }
  auto a = analyse(body);
  DepGraph g;
  g.build(a.facts, a.workspace);
  EXPECT_TRUE(g.folded);
  EXPECT_LT(g.items.size(), size_t{8000} * 260);
}

}  // namespace
}  // namespace pitot::analysis
