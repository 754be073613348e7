// Liveness with predicated writes, on small kernels and against path enumeration.
#include "analysis/liveness.h"

#include <gtest/gtest.h>

#include <set>

#include "random_program.h"

namespace pitot::analysis {
namespace {

TEST(Liveness, LoopCarriedAndInvariant) {
  auto a = analyse(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 5;
LOOP:
    add.u32 %r1, %r1, %r2;
    mov.u32 %r3, %r1;
    setp.lt.u32 %p1, %r3, 100;
    @%p1 bra LOOP;
    st.global.u32 [%rd1], %r1;
    ret;)");
  const BlockId loop = a.block("LOOP");
  EXPECT_TRUE(a.facts.liveness.is_live_in(loop, a.reg("%r1")));
  EXPECT_TRUE(a.facts.liveness.is_live_in(loop, a.reg("%r2")));
  EXPECT_FALSE(a.facts.liveness.is_live_in(loop, a.reg("%r3")));
  EXPECT_FALSE(a.facts.liveness.is_live_in(loop + 1, a.reg("%r2")));
  EXPECT_TRUE(a.facts.liveness.live_in(0).empty());
  std::vector<RegId> out;
  a.facts.liveness.live_out(a.facts.cfg, loop, out);
  EXPECT_EQ(out, (std::vector<RegId>{a.reg("%r1"), a.reg("%r2")}));
}

TEST(Liveness, PredicatedWriteKeepsTheOldValue) {
  auto a = analyse(R"(
    mov.u32 %r1, 1;
    bra NEXT;
NEXT:
    @%p1 mov.u32 %r1, 2;
    st.global.u32 [%rd1], %r1;
    ret;)");
  EXPECT_TRUE(a.facts.liveness.is_live_in(1, a.reg("%r1")));
}

// A masked load that is used under the same mask only does not need what was there before.
TEST(Liveness, SameGuardCoversTheRead) {
  const char* text = R"(
    mov.u32 %r1, 1;
    bra NEXT;
NEXT:
    @%p1 ld.global.u32 %r1, [%rd1];
    CHANGE
    @%p1 st.global.u32 [%rd1], %r1;
    ret;)";
  auto with = [&](const std::string& change) {
    std::string s = text;
    s.replace(s.find("CHANGE"), 6, change);
    auto a = analyse(s);
    return a.facts.liveness.is_live_in(1, a.reg("%r1"));
  };
  EXPECT_FALSE(with(""));
  EXPECT_TRUE(with("setp.eq.u32 %p1, %r2, 0;"));          // not the same guard any more
  EXPECT_TRUE(with("@!%p1 st.global.u32 [%rd1], %r1;"));  // a read on the other lanes
  EXPECT_FALSE(with("@!%p1 mov.u32 %r1, 3;"));            // the other lanes are written too
}

TEST(Liveness, BothPolaritiesAreAFullWrite) {
  auto a = analyse(R"(
    mov.u32 %r1, 1;
    bra NEXT;
NEXT:
    @%p1 mov.u32 %r1, 2;
    @!%p1 mov.u32 %r1, 3;
    st.global.u32 [%rd1], %r1;
    ret;)");
  EXPECT_FALSE(a.facts.liveness.is_live_in(1, a.reg("%r1")));
}

TEST(Liveness, NeverWrittenOnAPathOccupiesNothingThere) {
  auto a = analyse(R"(
    @%p1 bra SKIP;
    mov.u32 %r1, 1;
SKIP:
    st.global.u32 [%rd1], %r1;
    ret;)");
  EXPECT_FALSE(a.facts.liveness.is_live_in(0, a.reg("%r1")));
  EXPECT_FALSE(a.facts.liveness.is_live_in(1, a.reg("%r1")));
  EXPECT_TRUE(a.facts.liveness.is_live_in(2, a.reg("%r1")));
  EXPECT_EQ(list(a.facts.liveness.unwritten(a.reg("%r1"))), (std::vector<BlockId>{0}));
}

TEST(Liveness, CarryFlag) {
  auto a = analyse(R"(
    add.cc.u32 %r1, %r2, %r3;
    bra NEXT;
NEXT:
    addc.u32 %r4, %r5, 0;
    ret;)");
  EXPECT_TRUE(a.facts.liveness.is_live_in(1, carry_register(*a.facts.function)));
}

TEST(Liveness, RegisterReturnsAreReadByRet) {
  Analysed a(R"(.version 8.5
.target sm_90
.address_size 64
.func (.reg .b32 %res) k(.reg .b32 %arg)
{
  mov.b32 %res, 1;
  bra L;
L:
  add.u32 %res, %res, %arg;
  ret;
}
)");
  EXPECT_TRUE(a.facts.liveness.is_live_in(1, a.reg("%res")));
  EXPECT_TRUE(a.facts.liveness.is_live_in(0, a.reg("%arg")));
  EXPECT_EQ(a.facts.liveness.starts.size(), a.facts.accesses.items.size());
}

// Whether r may be read from the start of block b before it is written, by trying every outcome of
// every guard value of the block.
bool needed(const Analysed& a, BlockId b, RegId r, bool live_out) {
  const FlowFacts& facts = a.facts;
  const Block& block = facts.cfg.blocks[b];
  std::vector<std::pair<RegId, uint32_t>> values;  // guard register and version
  std::vector<size_t> value_of(block.size(), 0);
  std::map<RegId, uint32_t> version;
  for (uint32_t i = block.first; i < block.last; ++i) {
    const RegId g = facts.instruction(i).guard;
    if (g != kNoId) {
      auto at = std::find(values.begin(), values.end(), std::pair{g, version[g]});
      value_of[i - block.first] = static_cast<size_t>(at - values.begin());
      if (at == values.end()) values.emplace_back(g, version[g]);
    }
    for (const RegAccess& access : facts.accesses.of(i))
      if (access.write) ++version[access.reg];
  }
  for (uint32_t choice = 0; choice < 1u << values.size(); ++choice) {
    bool alive = true, read = false;
    for (uint32_t i = block.first; i < block.last && alive; ++i) {
      const ptx::Instruction& instruction = facts.instruction(i);
      const bool runs = instruction.guard == kNoId ||
                        ((choice >> value_of[i - block.first]) & 1) != instruction.guard_negated;
      for (const RegAccess& access : facts.accesses.of(i)) {
        if (access.reg != r || (!runs && access.role != Role::kGuard)) continue;
        if (access.write)
          alive = false;
        else
          read = read || alive;
      }
    }
    if (read || (alive && live_out)) return true;
  }
  return false;
}

TEST(Liveness, RandomProgramsAgainstEnumeration) {
  std::mt19937 rng(4);
  size_t live = 0, unwritten = 0;
  for (int round = 0; round < 400; ++round) {
    RandomProgram shape;
    shape.predicated = round % 4 != 0;
    auto a = analyse(shape.body(rng));
    const Cfg& cfg = a.facts.cfg;
    for (RegId r = 0; r < register_slots(*a.facts.function); ++r) {
      std::vector<bool> need(cfg.size(), false), reached(cfg.size(), false);
      for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b = 0; b < cfg.size(); ++b) {
          if (need[b] || !cfg.blocks[b].reachable) continue;
          bool live_out = false;
          for (BlockId s : cfg.successors(b)) live_out = live_out || need[s];
          if (needed(a, b, r, live_out)) need[b] = changed = true;
        }
      }
      for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b = 0; b < cfg.size(); ++b) {
          bool source = reached[b];
          for (uint32_t i = cfg.blocks[b].first; i < cfg.blocks[b].last; ++i)
            for (const RegAccess& access : a.facts.accesses.of(i))
              source = source || (access.write && access.reg == r);
          if (!source || !cfg.blocks[b].reachable) continue;
          for (BlockId s : cfg.successors(b)) {
            if (!need[s] || reached[s]) continue;
            reached[s] = changed = true;
          }
        }
      }
      const auto none = a.facts.liveness.unwritten(r);
      for (BlockId b = 0; b < cfg.size(); ++b) {
        ASSERT_EQ(a.facts.liveness.is_live_in(b, r), need[b] && reached[b])
            << a.module.text() << "\nblock " << b << " register "
            << a.facts.function->registers[r].name;
        ASSERT_EQ(std::find(none.begin(), none.end(), b) != none.end(), need[b] && !reached[b]);
        live += need[b] && reached[b];
        unwritten += need[b] && !reached[b];
      }
    }
  }
  EXPECT_GT(live, 1000u);
  EXPECT_GT(unwritten, 1000u);
}

}  // namespace
}  // namespace pitot::analysis
