// Reaching definitions: shapes by hand, and against what executions of random programs do.
#include "analysis/reaching.h"

#include <gtest/gtest.h>

#include <set>

#include "random_program.h"

namespace pitot::analysis {
namespace {

// Instructions whose write may reach the read of `reg` by instruction i; -1 stands for entry.
std::set<int> writers(const Analysed& a, uint32_t i, std::string_view reg) {
  std::vector<ValueId> values;
  a.facts.values.reaching_definitions(
      a.facts.cfg, a.facts.values.value_read(a.facts.accesses, i, a.reg(reg)), values);
  std::set<int> out;
  for (ValueId v : values)
    out.insert(a.facts.values.values[v].kind == ValueKind::kWrite
                   ? static_cast<int>(a.facts.values.instruction_of(a.facts.accesses, v))
                   : -1);
  return out;
}

TEST(Reaching, StraightLineTakesTheLastWrite) {
  auto a = analyse("mov.u32 %r1, 1;\nmov.u32 %r1, 2;\nadd.u32 %r2, %r1, %r1;\nret;");
  EXPECT_EQ(writers(a, 2, "%r1"), (std::set<int>{1}));
  EXPECT_EQ(a.facts.values.uses_of(a.facts.values.value_read(a.facts.accesses, 2, 0)).size(), 2u);
}

TEST(Reaching, PhiAtTheJoin) {
  auto a = analyse(R"(
    @%p1 bra ELSE;
    mov.u32 %r1, 1;
    bra JOIN;
ELSE:
    mov.u32 %r1, 2;
JOIN:
    st.global.u32 [%rd1], %r1;
    ret;)");
  EXPECT_EQ(writers(a, 4, "%r1"), (std::set<int>{1, 3}));
  const ValueId v = a.facts.values.value_read(a.facts.accesses, 4, a.reg("%r1"));
  EXPECT_EQ(a.facts.values.values[v].kind, ValueKind::kPhi);
  EXPECT_EQ(a.facts.values.values[v].where, a.block("JOIN"));
  EXPECT_EQ(a.facts.values.operands_of_phi(a.facts.cfg, v).size(), 2u);
}

TEST(Reaching, LoopHeaderMeetsEntryAndLatch) {
  auto a = analyse(R"(
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 9;
    @%p1 bra LOOP;
    ret;)");
  EXPECT_EQ(writers(a, 1, "%r1"), (std::set<int>{0, 1}));
  EXPECT_EQ(writers(a, 2, "%r1"), (std::set<int>{1}));
}

TEST(Reaching, LoopToTheFirstInstructionSeesTheEntryValue) {
  auto a = analyse(R"(
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 9;
    @%p1 bra LOOP;
    ret;)");
  EXPECT_EQ(writers(a, 0, "%r1"), (std::set<int>{-1, 0}));
}

TEST(Reaching, GuardedWriteMayLeaveTheOldValue) {
  auto a = analyse("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nst.global.u32 [%rd1], %r1;\nret;");
  EXPECT_EQ(writers(a, 2, "%r1"), (std::set<int>{0, 1}));
}

TEST(Reaching, PairsVectorsAndReadWriteOperands) {
  auto a = analyse(R"(
    setp.lt.u32 %p1|%p2, %r1, 5;
    ld.global.v2.u32 {%r2, %r3}, [%rd1+8];
    mov.b64 %rd2, {%r2, %r3};
    mov.b64 {%r4, %r5}, %rd2;
    @%p2 st.global.u32 [%rd1], %r5;
    ret;)");
  EXPECT_EQ(writers(a, 4, "%p2"), (std::set<int>{0}));
  EXPECT_EQ(writers(a, 2, "%r3"), (std::set<int>{1}));
  EXPECT_EQ(writers(a, 3, "%rd2"), (std::set<int>{2}));
  EXPECT_EQ(writers(a, 4, "%r5"), (std::set<int>{3}));
  EXPECT_EQ(writers(a, 4, "%rd1"), (std::set<int>{-1}));
}

TEST(Reaching, CarryRunsFromWriterToReader) {
  auto a = analyse(R"(
    mad.lo.cc.u32 %r4, %r1, %r2, %r3;
    madc.hi.u32 %r5, %r1, %r2, 0;
    add.cc.u32 %r6, %r4, %r5;
    addc.u32 %r7, 0, 0;
    ret;)");
  const RegId carry = carry_register(*a.facts.function);
  auto writer = [&](uint32_t i) {
    const ValueId v = a.facts.values.value_read(a.facts.accesses, i, carry);
    return v == kNone ? kNone : a.facts.values.instruction_of(a.facts.accesses, v);
  };
  EXPECT_EQ(writer(1), 0u);
  EXPECT_EQ(writer(3), 2u);
}

TEST(Reaching, CallResultsAndArguments) {
  Analysed a(R"(.version 8.5
.target sm_90
.address_size 64
.func (.reg .b32 %o) f(.reg .b32 %a)
{
  mov.b32 %o, %a;
  ret;
}
.visible .entry k()
{
  .reg .b32 %r<5>;
  mov.b32 %r1, 3;
  call (%r2), f, (%r1);
  mov.b32 %r3, %r2;
  ret;
}
)");
  EXPECT_EQ(writers(a, 1, "%r1"), (std::set<int>{0}));
  EXPECT_EQ(writers(a, 2, "%r2"), (std::set<int>{1}));
}

// Without guarded writes the sets are exact: compare with the classic bit-vector equations, done on
// sets of instructions.
TEST(Reaching, RandomProgramsAgainstDataflow) {
  std::mt19937 rng(5);
  size_t checked = 0;
  for (int round = 0; round < 300; ++round) {
    RandomProgram shape;
    shape.predicated = false;
    auto a = analyse(shape.body(rng));
    const Cfg& cfg = a.facts.cfg;
    for (RegId r = 0; r < a.facts.function->registers.size(); ++r) {
      std::vector<std::set<int>> in(cfg.size()), end(cfg.size());
      auto walk = [&](BlockId b, auto&& on_read) {
        std::set<int> now = in[b];
        for (uint32_t i = cfg.blocks[b].first; i < cfg.blocks[b].last; ++i)
          for (const RegAccess& access : a.facts.accesses.of(i)) {
            if (access.reg != r) continue;
            if (access.write)
              now = {static_cast<int>(i)};
            else
              on_read(i, now);
          }
        return now;
      };
      in[0] = {-1};
      for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b : cfg.order) {
          auto out = walk(b, [](uint32_t, const std::set<int>&) {});
          for (BlockId s : cfg.successors(b)) {
            const size_t before = in[s].size();
            in[s].insert(out.begin(), out.end());
            changed = changed || in[s].size() != before;
          }
        }
      }
      for (BlockId b : cfg.order)
        walk(b, [&](uint32_t i, const std::set<int>& expected) {
          ASSERT_EQ(writers(a, i, a.facts.function->registers[r].name), expected)
              << a.module.text() << "\ninstruction " << i;
          ++checked;
        });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(checked, 3000u);
}

// With guarded writes: whatever an execution does must be among the reaching definitions.
TEST(Reaching, RandomExecutionsStayInside) {
  std::mt19937 rng(6);
  size_t reads = 0;
  for (int round = 0; round < 300; ++round) {
    auto a = analyse(RandomProgram{}.body(rng));
    const DefUse& values = a.facts.values;
    for (int run = 0; run < 20; ++run) {
      execute(a, rng, 200, [&](uint32_t item, uint32_t writer, bool) {
        std::vector<ValueId> reaching;
        values.reaching_definitions(a.facts.cfg, values.value_of[item], reaching);
        bool found = false;
        for (ValueId v : reaching)
          found = found ||
                  (values.values[v].kind == ValueKind::kWrite ? values.values[v].where == writer
                                                              : writer == kNeverWritten);
        EXPECT_TRUE(found) << a.module.text() << "\ninstruction "
                           << a.facts.accesses.instruction_of[item];
        ++reads;
      });
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(reads, 20000u);
}

}  // namespace
}  // namespace pitot::analysis
