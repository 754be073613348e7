// Register pressure: widths, places, and against liveness computed the long way.
#include "analysis/pressure.h"

#include <gtest/gtest.h>

#include <set>

#include "random_program.h"
#include "support/file.h"

namespace pitot::analysis {
namespace {

Pressure pressure_of(Analysed& a) {
  Pressure p;
  p.build(a.facts, a.workspace);
  return p;
}

TEST(Pressure, UnitsByWidth) {
  auto units = [](ptx::Type t, uint8_t vector) {
    ptx::Register r;
    r.type = t;
    r.vector = vector;
    return register_units(r);
  };
  EXPECT_EQ(units(ptx::Type::kPred, 1), 0u);
  EXPECT_EQ(units(ptx::Type::kB16, 1), 1u);
  EXPECT_EQ(units(ptx::Type::kF32, 1), 1u);
  EXPECT_EQ(units(ptx::Type::kF64, 1), 2u);
  EXPECT_EQ(units(ptx::Type::kB128, 1), 4u);
  EXPECT_EQ(units(ptx::Type::kF32, 4), 4u);
}

TEST(Pressure, CountsEachWidthWhereItIsHighest) {
  auto a = analyse(R"(
    mov.u64 %rd1, 5;
    mov.u32 %r1, 1;
    mov.u16 %rs1, 2;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.global.u16 [%rd1], %rs1;
    st.global.u32 [%rd1+8], %r1;
    ret;)");
  const Pressure p = pressure_of(a);
  EXPECT_EQ(p.max, 4u);
  LiveRegisters at;
  at.twice = at.single = at.narrow = 1;
  at.predicates = p.at_max.predicates;
  EXPECT_EQ(p.at_max, at);
  EXPECT_EQ(p.max_predicates, 1u);
  EXPECT_EQ(p.profile, (std::vector<uint32_t>{2, 3, 4, 4, 4, 3, 0}));
  EXPECT_DOUBLE_EQ(p.mean, 20.0 / 7);
}

TEST(Pressure, ResultThatNobodyReadsNeedsAPlace) {
  auto a = analyse("mov.u32 %r1, 1;\nret;");
  EXPECT_EQ(pressure_of(a).max, 1u);
}

TEST(Pressure, SourcesAndResultsMayShare) {
  auto a = analyse("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nst.shared.u32 [%r2], %r2;\nret;");
  EXPECT_EQ(pressure_of(a).max, 1u);
}

TEST(Pressure, MaskedLoadsStartWhereTheyAreWritten) {
  // Two masked loads, one after the other: their registers are not live from the start.
  auto a = analyse(R"(
    ld.param.u64 %rd1, [out];
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 ld.global.u32 %r1, [%rd1];
    @%p1 st.global.u32 [%rd1], %r1;
    @%p1 ld.global.u32 %r2, [%rd1+4];
    @%p1 st.global.u32 [%rd1], %r2;
    ret;)");
  EXPECT_EQ(pressure_of(a).max, 3u);
}

TEST(Pressure, OtherArmsValueDoesNotCount) {
  auto a = analyse(R"(
    @%p1 bra ELSE;
    mov.u32 %r1, 1;
    mov.u32 %r2, 2;
    add.u32 %r3, %r1, %r2;
    bra JOIN;
ELSE:
    mov.u32 %r3, 7;
JOIN:
    st.shared.u32 [%r3], %r3;
    ret;)");
  EXPECT_EQ(pressure_of(a).max, 2u);
}

// By walking forward from every write: a register is live at a point when some path leads from a
// write of it to the point, and from there to a read without a full write between. Programs without
// guarded moves and with all registers written first, so that this is the whole truth.
TEST(Pressure, RandomProgramsAgainstPaths) {
  std::mt19937 rng(10);
  uint32_t highest = 0;
  for (int round = 0; round < 150; ++round) {
    RandomProgram shape;
    shape.predicated = false;
    std::string start = "mov.u64 %rd1, 0;\n";
    for (uint32_t k = 0; k < shape.registers; ++k)
      start += "mov.u32 %r" + std::to_string(k) + ", 1;\n";
    for (uint32_t k = 0; k < shape.predicates; ++k)
      start += "setp.eq.u32 %p" + std::to_string(k) + ", %r0, 2;\n";
    auto a = analyse(start + shape.body(rng));
    const Cfg& cfg = a.facts.cfg;
    const uint32_t n = a.facts.instruction_count();
    const auto& registers = a.facts.function->registers;
    auto after = [&](uint32_t i) {
      std::vector<uint32_t> out;
      const Block& b = cfg.blocks[cfg.block_of[i]];
      if (i + 1 < b.last) return std::vector<uint32_t>{i + 1};
      for (BlockId s : cfg.successors(cfg.block_of[i])) out.push_back(cfg.blocks[s].first);
      return out;
    };
    auto touches = [&](uint32_t i, RegId r, bool write) {
      for (const RegAccess& x : a.facts.accesses.of(i))
        if (x.reg == r && x.write == write) return true;
      return false;
    };
    std::vector<uint32_t> expected(n, 0), before(n, 0), behind(n, 0);
    for (RegId r = 0; r < registers.size(); ++r) {
      std::vector<bool> needed(n, false), written(n, false);  // at the start of the instruction
      for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; ++i) {
          if (!cfg.blocks[cfg.block_of[i]].reachable) continue;
          bool out = false;
          for (uint32_t s : after(i)) out = out || needed[s];
          if (!needed[i] && (touches(i, r, false) || (out && !touches(i, r, true))))
            needed[i] = changed = true;
          if (!written[i] && !touches(i, r, true)) continue;
          for (uint32_t s : after(i))
            if (!written[s]) written[s] = changed = true;
        }
      }
      const uint32_t units = register_units(registers[r]);
      for (uint32_t i = 0; i < n; ++i) {
        if (!cfg.blocks[cfg.block_of[i]].reachable) continue;
        bool out = touches(i, r, true);
        for (uint32_t s : after(i)) out = out || (needed[s] && written[s]);
        behind[i] += out ? units : 0;
        before[i] += needed[i] && written[i] ? units : 0;
      }
    }
    const Pressure p = pressure_of(a);
    for (uint32_t i = 0; i < n; ++i) {
      ASSERT_EQ(p.profile[i], std::max(before[i], behind[i])) << a.module.text() << i;
      highest = std::max(highest, p.profile[i]);
    }
  }
  EXPECT_GT(highest, 3u);
}

// Compiler output never has more live than it declares.
TEST(Pressure, CorpusStaysBelowItsRegisters) {
  auto files = list_files(PITOT_SOURCE_DIR "/tests/data/corpus", {".ptx"});
  ASSERT_TRUE(files.ok());
  Workspace ws;
  for (const std::string& path : *files) {
    auto m = ptx::parse_file(path);
    ASSERT_TRUE(m.ok());
    for (const ptx::Function& f : m->functions) {
      FlowFacts facts;
      facts.build(*m, f, ws);
      Pressure p;
      p.build(facts, ws);
      uint32_t all = 0;
      for (const ptx::Register& r : f.registers) all += register_units(r);
      EXPECT_GT(p.max, 0u) << path;
      EXPECT_LE(p.max, all) << path;
      EXPECT_EQ(p.at_max.units(), p.max) << path;
      EXPECT_EQ(p.profile[p.max_instruction], p.max) << path;
    }
  }
}

}  // namespace
}  // namespace pitot::analysis
