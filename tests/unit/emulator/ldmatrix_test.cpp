// ldmatrix, stmatrix and movmatrix against the layout of the PTX ISA: row r of matrix i is the 16
// bytes at the address of thread 8i + r, and thread t holds elements 2(t%4), 2(t%4)+1 of row t/4.
#include <algorithm>
#include <numeric>

#include "tensor_test_util.h"

namespace pitot::emulator::test {
namespace {

std::vector<uint32_t> random_shared(unsigned seed, size_t words = 512) {
  std::mt19937 rng(seed);
  std::vector<uint32_t> s(words);
  for (uint32_t& w : s) w = rng();
  return s;
}

// Addresses that are not in order: rows need not be neighbours.
std::vector<uint32_t> scattered_rows(unsigned seed) {
  std::vector<uint32_t> rows(128);
  std::iota(rows.begin(), rows.end(), 0u);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
  rows.resize(32);
  for (uint32_t& r : rows) r *= 16;
  return rows;
}

uint16_t half_at(const std::vector<uint32_t>& words, uint32_t byte) {
  return static_cast<uint16_t>(words[byte / 4] >> (8 * (byte % 4)));
}

TEST(Ldmatrix, EveryCountAndTransposition) {
  for (unsigned count : {1u, 2u, 4u})
    for (bool trans : {false, true})
      for (const char* space : {".shared", ".shared::cta", ""}) {
        const auto shared = random_shared(count), rows = scattered_rows(count + 7);
        TensorProgram p;
        p.outputs = count;
        const bool generic = *space == 0;
        p.body = std::string("add.u32 %t2, %s, %i0;\n") +
                 (generic ? "cvt.u64.u32 %g3, %t2;\ncvta.shared.u64 %g3, %g3;\n" : "") +
                 "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (trans ? ".trans" : "") +
                 space + ".b16 " + list_of("%o", 0, count) + ", [" + (generic ? "%g3" : "%t2") +
                 "];";
        const TensorRun r = run_tensor(p, {rows}, shared);
        ASSERT_EQ(r.faults(), "") << p.body;
        for (unsigned m = 0; m < count; ++m)
          for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned h = 0; h < 2; ++h) {
              const unsigned row = lane / 4, column = lane % 4 * 2 + h;
              const unsigned from = trans ? column : row, at = trans ? row : column;
              EXPECT_EQ((r.out[m][lane] >> (16 * h)) & 0xffff,
                        half_at(shared, rows[8 * m + from] + 2 * at))
                  << p.body << " matrix " << m << " lane " << lane;
            }
      }
}

TEST(Ldmatrix, OnlyTheAddressesOfItsMatricesCount) {
  std::vector<uint32_t> rows = scattered_rows(3);
  for (unsigned lane = 8; lane < 32; ++lane) rows[lane] = 0xffff0000u;  // far outside
  TensorProgram p;
  p.outputs = 1;
  p.body = "add.u32 %t2, %s, %i0;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%o0}, [%t2];";
  EXPECT_EQ(run_tensor(p, {rows}, random_shared(1)).faults(), "");
  rows[5] = 2048;
  TensorRun r = run_tensor(p, {rows}, random_shared(1));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(r.outcome.faults[0].thread[0], 5u);
  rows[5] = 8;
  r = run_tensor(p, {rows}, random_shared(1));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMisaligned);
}

TEST(Ldmatrix, GenericAddressesMustBeShared) {
  TensorProgram p;
  p.outputs = 1;
  p.body = "and.b64 %g4, %g0, -256;\nldmatrix.sync.aligned.m8n8.x1.b16 {%o0}, [%g4];";
  const TensorRun r = run_tensor(p, {scattered_rows(1)}, random_shared(1));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal);
}

TEST(Stmatrix, EveryCountAndTransposition) {
  for (unsigned count : {1u, 2u, 4u})
    for (bool trans : {false, true}) {
      auto shared = random_shared(count);
      const auto rows = scattered_rows(count + 7), values = random_shared(count + 50);
      Registers in{rows};
      for (unsigned m = 0; m < count; ++m)
        in.emplace_back(values.begin() + 32 * m, values.begin() + 32 * (m + 1));
      TensorProgram p;
      p.body = "add.u32 %t2, %s, %i0;\nstmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
               (trans ? ".trans" : "") + ".shared.b16 [%t2], " + list_of("%i", 1, count) + ";";
      const TensorRun r = run_tensor(p, in, shared);
      ASSERT_EQ(r.faults(), "") << p.body;
      for (unsigned m = 0; m < count; ++m)
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned h = 0; h < 2; ++h) {
            const unsigned row = lane / 4, column = lane % 4 * 2 + h;
            const uint32_t byte = rows[8 * m + (trans ? column : row)] + 2 * (trans ? row : column);
            uint32_t& w = shared[byte / 4];
            const unsigned shift = 8 * (byte % 4);
            w = (w & ~(0xffffu << shift)) | ((in[1 + m][lane] >> (16 * h)) & 0xffff) << shift;
          }
      EXPECT_EQ(r.shared, shared) << p.body;
    }
}

TEST(Movmatrix, Transposes) {
  const auto in = random_shared(9, 32);
  TensorProgram p;
  p.outputs = 1;
  p.body = "movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;";
  const TensorRun r = run_tensor(p, {in});
  ASSERT_EQ(r.faults(), "");
  uint16_t m[8][8];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned h = 0; h < 2; ++h)
      m[lane / 4][lane % 4 * 2 + h] = static_cast<uint16_t>(in[lane] >> (16 * h));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned h = 0; h < 2; ++h)
      EXPECT_EQ((r.out[0][lane] >> (16 * h)) & 0xffff, m[lane % 4 * 2 + h][lane / 4]);
}

TEST(Ldmatrix, UndefinedRowsReachOnlyTheirLanes) {
  // Row 2 of the matrix is never written; lanes 8 … 11 hold it.
  for (unsigned lane : {8u, 11u, 7u, 12u}) {
    Options o;
    o.checks.uninitialised = true;
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".shared .align 16 .b8 m[128];\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, m;\n"
        "shl.b32 %r2, %r0, 2;\nadd.u32 %r2, %r2, %r1;\nshr.u32 %r3, %r0, 2;\n"
        "setp.ne.u32 %p0, %r3, 2;\n@%p0 st.shared.b32 [%r2], %r0;\nbar.sync 0;\n"
        "and.b32 %r4, %r0, 7;\nshl.b32 %r4, %r4, 4;\nadd.u32 %r4, %r4, %r1;\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n"
        "setp.eq.u32 %p1, %r0, " +
        std::to_string(lane) +
        ";\n@!%p1 ret;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra END;\nst.global.u32 [%d0], %r0;\nEND:\n"
        "ret;\n}\n";
    const Ran r = run_text(text, 4, threads(32), {}, o);
    const bool reported =
        !r.outcome.faults.empty() && r.outcome.faults[0].kind == FaultKind::kUninitialised;
    EXPECT_EQ(reported, lane / 4 == 2) << "lane " << lane << ": " << r.faults();
  }
}

// Triton keeps a row of statistics this way: lanes 4 to 7 give the rows of lanes 0 to 3 again.
TEST(Stmatrix, RowsThatLieOverEachOtherRaceOnlyWithOtherValues) {
  Options o;
  o.checks.races = true;
  for (const char* trans : {"", ".trans"})
    for (bool same : {true, false}) {
      // Row g is held by lanes 4g … 4g+3, transposed column g.
      const std::string value = !same ? "%r0" : std::string(trans) == "" ? "%r4" : "%r5";
      const std::string text =
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
          ".shared .align 16 .b8 m[128];\n.reg .b32 %r<9>;\n.reg .b64 %d<2>;\n"
          "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, m;\n"
          "and.b32 %r2, %r0, 3;\nshl.b32 %r2, %r2, 4;\nadd.u32 %r2, %r2, %r1;\n"
          "and.b32 %r4, %r0, 15;\n"  // rows g and g + 4 alike
          "and.b32 %r5, %r0, 29;\n"  // columns 2t, 2t + 1 alike for t and t + 2
          "stmatrix.sync.aligned.m8n8.x1" +
          std::string(trans) + ".shared.b16 [%r2], {" + value + "};\nret;\n}\n";
      const Ran r = run_text(text, 4, threads(32), {}, o);
      const bool reported =
          !r.outcome.faults.empty() && r.outcome.faults[0].kind == FaultKind::kRace;
      EXPECT_EQ(reported, !same) << trans << r.faults();
    }
}

TEST(Stmatrix, UndefinedRegistersReachOnlyTheirElements) {
  // Lane 9 alone stores what nothing wrote: row 2, columns 2 and 3; transposed column 2, rows 2 and
  // 3.
  for (bool trans : {false, true})
    for (unsigned byte = 0; byte < 128; byte += 2) {
      Options o;
      o.checks.uninitialised = true;
      const std::string text =
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
          ".shared .align 16 .b8 m[128];\n.reg .b32 %r<9>;\n.reg .b16 %h0;\n.reg .pred %p<3>;\n"
          ".reg .b64 %d<2>;\nld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, m;\n"
          "setp.ne.u32 %p0, %r0, 9;\n@%p0 mov.u32 %r5, %r0;\n"
          "and.b32 %r2, %r0, 7;\nshl.b32 %r2, %r2, 4;\nadd.u32 %r2, %r2, %r1;\n"
          "stmatrix.sync.aligned.m8n8.x1" +
          std::string(trans ? ".trans" : "") + ".shared.b16 [%r2], {%r5};\nld.shared.b16 %h0, [m+" +
          std::to_string(byte) +
          "];\nsetp.eq.u16 %p2, %h0, 99;\n@%p2 bra END;\nst.global.u32 [%d0], "
          "%r0;\nEND:\nret;\n}\n";
      const Ran r = run_text(text, 4, threads(32), {}, o);
      const bool reported =
          !r.outcome.faults.empty() && r.outcome.faults[0].kind == FaultKind::kUninitialised;
      const unsigned row = byte / 16, column = byte % 16 / 2;
      EXPECT_EQ(reported, trans ? column == 2 && row / 2 == 1 : row == 2 && column / 2 == 1)
          << "byte " << byte << ": " << r.faults();
    }
}

// Where the elements of a lane's register come from, written out from the figures of the ISA:
// register `reg`, byte e → row (of the addresses) and element of the row.
struct Source {
  unsigned row, element;
};
Source source_of(bool wide, unsigned lane, unsigned reg, unsigned e) {
  const unsigned fragment_row = lane / 4, fragment_column = lane % 4 * 4 + e;
  if (!wide) return {reg * 8 + fragment_row, fragment_column};
  // Transposed: rows of the fragment are elements of a row in memory.
  return {reg / 2 * 16 + fragment_column, fragment_row + reg % 2 * 8};
}

const std::string kBlackwell = ".version 8.8\n.target sm_100a\n.address_size 64\n";

TEST(Ldmatrix, ElementsOfEightBitsAndLess) {
  for (bool wide : {false, true})
    for (unsigned bits : {8u, 6u, 4u})
      for (unsigned count : {1u, 2u, 4u}) {
        if ((!wide && bits == 8) || (wide && count == 4)) continue;
        const unsigned registers = wide ? 2 * count : count;
        const auto shared = random_shared(registers * 3 + bits);
        const auto rows = scattered_rows(registers + bits);
        TensorProgram p;
        p.header = kBlackwell;
        p.outputs = registers;
        const char* format = bits == 8   ? ".b8"
                             : bits == 6 ? ".b8x16.b6x16_p32"
                                         : ".b8x16.b4x16_p64";
        p.body = "add.u32 %t2, %s, %i0;\nldmatrix.sync.aligned." +
                 std::string(wide ? "m16n16" : "m8n16") + ".x" + std::to_string(count) +
                 (wide ? ".trans" : "") + ".shared" + format + " " + list_of("%o", 0, registers) +
                 ", [%t2];";
        const TensorRun r = run_tensor(p, {rows}, shared);
        ASSERT_EQ(r.faults(), "") << p.body;
        for (unsigned reg = 0; reg < registers; ++reg)
          for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned e = 0; e < 4; ++e) {
              const Source s = source_of(wide, lane, reg, e);
              uint32_t want = 0;
              for (unsigned b = 0; b < bits; ++b) {
                const uint32_t bit = rows[s.row] * 8 + s.element * bits + b;
                want |= (shared[bit / 32] >> (bit % 32) & 1) << b;
              }
              ASSERT_EQ(r.out[reg][lane] >> (8 * e) & 0xff, want)
                  << p.body << " register " << reg << " lane " << lane << " byte " << e;
            }
      }
}

TEST(Stmatrix, Bytes) {
  for (unsigned count : {1u, 2u, 4u}) {
    auto shared = random_shared(count + 20);
    const auto rows = scattered_rows(count + 9), values = random_shared(count + 50);
    Registers in{rows};
    for (unsigned m = 0; m < count; ++m)
      in.emplace_back(values.begin() + 32 * m, values.begin() + 32 * (m + 1));
    TensorProgram p;
    p.header = kBlackwell;
    p.body = "add.u32 %t2, %s, %i0;\nstmatrix.sync.aligned.m16n8.x" + std::to_string(count) +
             ".trans.shared.b8 [%t2], " + list_of("%i", 1, count) + ";";
    const TensorRun r = run_tensor(p, in, shared);
    ASSERT_EQ(r.faults(), "") << p.body;
    // A lane holds an accumulator fragment of 16 rows and 8 columns; column j goes to address j.
    for (unsigned m = 0; m < count; ++m)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned e = 0; e < 4; ++e) {
          const unsigned row = lane / 4 + (e < 2 ? 0 : 8), column = lane % 4 * 2 + e % 2;
          const uint32_t byte = rows[8 * m + column] + row;
          uint32_t& w = shared[byte / 4];
          const unsigned shift = 8 * (byte % 4);
          w = (w & ~(0xffu << shift)) | (in[1 + m][lane] >> (8 * e) & 0xff) << shift;
        }
    EXPECT_EQ(r.shared, shared) << p.body;
  }
}

// Only bytes 0 … 7 of a row hold 4-bit elements: what lies behind may be undefined.
TEST(Ldmatrix, PaddingMayBeUndefined) {
  for (unsigned written : {8u, 7u})
    for (unsigned lane : {0u, 3u}) {
      Options o;
      o.checks.uninitialised = true;
      std::string text =
          kBlackwell +
          ".visible .entry k(.param .u64 out)\n{\n.shared .align 16 .b8 m[128];\n.reg .b32 "
          "%r<9>;\n.reg .pred %p<3>;\n.reg .b64 %d<2>;\nld.param.u64 %d0, [out];\n"
          "mov.u32 %r0, %tid.x;\nmov.u32 %r1, m;\nand.b32 %r2, %r0, 7;\nshl.b32 %r2, %r2, 4;\n"
          "add.u32 %r2, %r2, %r1;\n";
      for (unsigned b = 0; b < written; ++b)
        text += "st.shared.u8 [%r2+" + std::to_string(b) + "], %r0;\n";
      text +=
          "bar.sync 0;\nldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r5}, [%r2];\n"
          "setp.eq.u32 %p1, %r0, " +
          std::to_string(lane) +
          ";\n@!%p1 ret;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra END;\nst.global.u32 [%d0], %r0;\n"
          "END:\nret;\n}\n";
      const Ran r = run_text(text, 4, threads(32), {}, o);
      // The last byte's elements are the last lane's of a row.
      EXPECT_EQ(!r.outcome.ok(), written == 7 && lane == 3) << r.faults();
    }
}

}  // namespace
}  // namespace pitot::emulator::test
