// Memory accesses: alignment, patterns, sectors, bank passes, vector groups.
#include "analysis/access.h"

#include <functional>

#include "address_helpers.h"

namespace pitot::analysis {
namespace {

Addressed case_file(const char* name, std::optional<std::array<uint32_t, 3>> block = {}) {
  Result<ptx::Module> m = ptx::parse_file(data_file(std::string("cases/") + name));
  EXPECT_TRUE(m.ok());
  return Addressed(std::move(m.value()), block);
}

TEST(Access, LostVectorisation) {
  auto k = case_file("50a-scalar-strided-loads.ptx");
  ASSERT_EQ(k.table.accesses.size(), 8u);
  for (const MemoryRequest& a : k.table.accesses) {
    EXPECT_EQ(a.pattern, LanePattern::kStrided);
    EXPECT_EQ(a.stride, 16);
    EXPECT_EQ(a.sectors, 16);
    EXPECT_EQ(a.efficiency(), 0.25);
    EXPECT_EQ(a.bytes, 4);
  }
  EXPECT_EQ(k.access(0).alignment, 16);
  EXPECT_EQ(k.access(1).alignment, 4);
  EXPECT_EQ(k.access(1).residue, 4);
  EXPECT_EQ(k.access(1).residue_modulus, 16);
  auto groups = k.table.vector_groups(k.flow, k.forms);
  ASSERT_EQ(groups.size(), 2u);
  for (const VectorGroup& g : groups) {
    EXPECT_EQ(g.accesses.size(), 4u);
    EXPECT_EQ(g.bytes, 16u);
    EXPECT_TRUE(g.legal) << g.reason;
  }
}

// .r .g .b .a name the same components as .x .y .z .w; the fourth is always zero.
TEST(Access, ComponentsUnderTheirOtherNames) {
  auto body = [](const char* x, const char* y, const char* w) {
    return std::string("ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.") + x + "; mov.u32 %r2, %tid." +
           y + "; mov.u32 %r3, %tid." + w + "; mov.u32 %r4, %ntid." + x +
           "; mad.lo.u32 %r5, %r2, %r4, %r1;"
           "add.u32 %r5, %r5, %r3; mul.wide.u32 %d2, %r5, 8; add.s64 %d3, %d1, %d2;"
           "ld.global.u32 %r6, [%d3]; st.global.u32 [%d3+4], %r6; ret;";
  };
  for (auto block : {std::array<uint32_t, 3>{64, 1, 1}, std::array<uint32_t, 3>{16, 8, 1}}) {
    Addressed plain(ptx::parse("k", address_kernel(body("x", "y", "w"))), block);
    Addressed other(ptx::parse("k", address_kernel(body("r", "g", "a"))), block);
    ASSERT_EQ(plain.table.accesses.size(), 2u);
    ASSERT_EQ(other.table.accesses.size(), 2u);
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(plain.access(k).pattern, LanePattern::kStrided);
      EXPECT_EQ(plain.access(k).stride, 8);
      EXPECT_EQ(plain.access(k).sectors, 8);
      EXPECT_EQ(other.access(k).pattern, plain.access(k).pattern);
      EXPECT_EQ(other.access(k).stride, plain.access(k).stride);
      EXPECT_EQ(other.access(k).sectors, plain.access(k).sectors);
      EXPECT_EQ(other.form(k), plain.form(k));
    }
  }
}

TEST(Access, Vectorised) {
  auto k = case_file("50b-vectorised.ptx");
  ASSERT_EQ(k.table.accesses.size(), 2u);
  for (const MemoryRequest& a : k.table.accesses) {
    EXPECT_EQ(a.pattern, LanePattern::kContiguous);
    EXPECT_EQ(a.vector, 4);
    EXPECT_EQ(a.bytes, 16);
    EXPECT_EQ(a.sectors, 16);
    EXPECT_EQ(a.efficiency(), 1.0);
    EXPECT_EQ(a.alignment, 16);
  }
  EXPECT_TRUE(k.table.vector_groups(k.flow, k.forms).empty());
}

TEST(Access, VectorisingNeedsTheBaseAligned) {
  Result<std::string> text = read_file(data_file("cases/50a-scalar-strided-loads.ptx"));
  ASSERT_TRUE(text.ok());
  std::string weak = text.value();
  for (size_t at = 0; (at = weak.find(".align 16", at)) != std::string::npos;)
    weak.replace(at, 9, ".align 4");
  Addressed k(ptx::parse("weak.ptx", weak), {});
  auto groups = k.table.vector_groups(k.flow, k.forms);
  ASSERT_EQ(groups.size(), 2u);
  for (const VectorGroup& g : groups) {
    EXPECT_FALSE(g.legal);
    EXPECT_NE(g.reason.find("multiple of 4, 16 are needed"), std::string::npos) << g.reason;
  }
}

TEST(Access, VectorGroupsStopAtWhatMayTouchTheSameBytes) {
  const std::string loads = R"(
    ld.param.u64 %d1, [a];
    ld.param.u64 %d2, [b];
    ld.global.f32 %f1, [%d1];
    )",
                    between = "st.global.f32 [%d2], %f1;\n", rest = R"(
    ld.global.f32 %f2, [%d1+4];
    ret;)";
  auto stopped = addressed(loads + between + rest);
  auto groups = stopped.table.vector_groups(stopped.flow, stopped.forms);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_FALSE(groups[0].legal);
  auto free = addressed(loads + rest);
  groups = free.table.vector_groups(free.flow, free.forms);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups[0].legal);
}

TEST(Access, VectorGroupsStartWhereTheyAreAligned) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.global.f32 %f1, [%d1+4];
    ld.global.f32 %f2, [%d1+8];
    ld.global.f32 %f3, [%d1+12];
    ret;)");
  auto groups = k.table.vector_groups(k.flow, k.forms);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups[0].legal);
  EXPECT_EQ(groups[0].accesses, (std::vector<uint32_t>{1, 2}));
}

TEST(Access, MisalignedHalves) {
  auto k = case_file("16-misaligned-widened-half-load.ptx");
  EXPECT_TRUE(k.access(0).misaligned);
  EXPECT_EQ(k.access(0).residue, 2);
  EXPECT_EQ(k.access(0).residue_modulus, 16);
  EXPECT_EQ(k.forms.to_string(k.access(0).base), "src");
  EXPECT_FALSE(k.access(1).misaligned);
}

// Sectors for a stride in bytes, of lanes that access `bytes` each.
SectorCount strided(int64_t stride, uint32_t bytes, LaneMask active = ~0u, int64_t first = 0) {
  LaneAddresses l;
  l.known = true;
  for (size_t lane = 0; lane < 32; ++lane) {
    l.offset[lane] = first + stride * static_cast<int64_t>(lane);
  }
  return count_sectors(l, active, bytes);
}

TEST(Access, Sectors) {
  EXPECT_EQ(strided(4, 4).sectors, 4u);
  EXPECT_EQ(strided(4, 4).efficiency(), 1.0);
  EXPECT_EQ(strided(4, 4, ~0u, 4).sectors, 5u);  // shifted by one word
  EXPECT_EQ(strided(2, 2).sectors, 2u);
  EXPECT_EQ(strided(8, 8).sectors, 8u);
  EXPECT_EQ(strided(16, 16).sectors, 16u);
  EXPECT_EQ(strided(32, 32).sectors, 32u);
  EXPECT_EQ(strided(8, 4).sectors, 8u);
  EXPECT_EQ(strided(32, 4).sectors, 32u);
  EXPECT_EQ(strided(4096, 4).sectors, 32u);
  EXPECT_EQ(strided(4096, 4).efficiency(), 0.125);
  EXPECT_EQ(strided(0, 4).sectors, 1u);
  EXPECT_EQ(strided(0, 4).useful_bytes, 4u);
  EXPECT_EQ(strided(-4, 4).sectors, 5u);  // from byte 4 down to −124
  EXPECT_EQ(strided(4, 4, 0xff).sectors, 1u);
  EXPECT_EQ(strided(4, 4, 0).sectors, 0u);
}

BankCount banks(const std::function<int64_t(int64_t)>& offset, uint32_t bytes,
                LaneMask active = ~0u) {
  LaneAddresses l;
  l.known = true;
  for (size_t lane = 0; lane < 32; ++lane) {
    l.offset[lane] = offset(static_cast<int64_t>(lane));
  }
  return count_bank_passes(l, active, bytes);
}

// Wavefronts and conflicts that Nsight Compute counted on an H200 for one ld.shared of one warp
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld,
// l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld).
TEST(Access, BankPassesAsTheHardwareCountsThem) {
  constexpr int64_t kIdle = -1;
  struct Measured {
    uint32_t bytes;
    int64_t (*offset)(int64_t lane);
    uint32_t wavefronts, conflicts;
  };
  const Measured measured[] = {
      {4, [](int64_t l) { return l * 4; }, 1, 0},
      {4, [](int64_t l) { return l * 8; }, 2, 1},
      {4, [](int64_t l) { return l * 128; }, 32, 31},
      {4, [](int64_t) { return int64_t{0}; }, 1, 0},
      {4, [](int64_t l) { return l * 132; }, 1, 0},
      {8, [](int64_t l) { return l * 8; }, 2, 0},
      {8, [](int64_t l) { return l * 16; }, 4, 2},
      {8, [](int64_t l) { return l * 32; }, 8, 6},
      {8, [](int64_t) { return int64_t{0}; }, 1, 0},
      {8, [](int64_t l) { return l * 128; }, 32, 30},
      {8, [](int64_t l) { return (l & 15) * 8; }, 2, 0},
      {8, [](int64_t l) { return (l >> 1) * 8; }, 1, 0},
      {8, [](int64_t l) { return (l & 15) * 8 + (l >> 4) * 256; }, 2, 0},
      {8, [](int64_t l) { return (l >> 1) * 8 + (l & 1) * 128; }, 4, 2},
      {8, [](int64_t l) { return (l >> 1) * 8 + (l & 1) * 192; }, 2, 0},
      {8, [](int64_t l) { return l < 16 ? l * 8 : kIdle; }, 1, 0},
      {8, [](int64_t l) { return (l & 1) != 0 ? kIdle : l * 8; }, 2, 1},
      {8, [](int64_t l) { return (l & 1) != 0 ? kIdle : l * 4; }, 1, 0},
      {16, [](int64_t l) { return l * 16; }, 4, 0},
      {16, [](int64_t l) { return l * 32; }, 8, 4},
      {16, [](int64_t l) { return l * 128; }, 32, 28},
      {16, [](int64_t) { return int64_t{0}; }, 2, 0},
      {16, [](int64_t l) { return (l & 7) * 16; }, 4, 0},
      {16, [](int64_t l) { return (l >> 2) * 16; }, 2, 0},
      {16, [](int64_t l) { return (l >> 1) * 16; }, 2, 0},
      {16, [](int64_t l) { return (l & 15) * 16; }, 4, 0},
      {16, [](int64_t l) { return (l & 3) * 16 + (l >> 2) * 64; }, 4, 0},
      {16, [](int64_t l) { return (l & 7) * 128 + ((l >> 3) ^ (l & 7)) * 16; }, 4, 0},
      {16, [](int64_t l) { return (l & 7) * 128 + (l >> 3) * 16; }, 32, 28},
      {16, [](int64_t l) { return l < 8 ? l * 16 : kIdle; }, 1, 0},
      {16, [](int64_t l) { return (l & 3) != 0 ? kIdle : l * 4; }, 2, 0},
      {16, [](int64_t l) { return (l & 1) * 128 + (l >> 1) * 16; }, 8, 4},
      {16, [](int64_t l) { return (l >> 3) * 16; }, 2, 0},
      {16, [](int64_t l) { return ((l & 1) * 8 + (l >> 2 & 7)) * 16; }, 4, 2},
  };
  for (const Measured& m : measured) {
    LaneMask active = 0;
    for (int64_t lane = 0; lane < 32; ++lane)
      if (m.offset(lane) != kIdle) active |= 1u << lane;
    BankCount c = banks(m.offset, m.bytes, active);
    EXPECT_TRUE(c.known);
    EXPECT_EQ(c.wavefronts, m.wavefronts) << &m - measured;
    EXPECT_EQ(c.extra(), m.conflicts) << &m - measured;
  }
}

TEST(Access, BankPassesOfNarrowAccesses) {
  auto stride = [](int64_t s) { return [s](int64_t lane) { return s * lane; }; };
  EXPECT_EQ(banks(stride(2), 2).wavefronts, 1u);  // two lanes share a word
  EXPECT_EQ(banks(stride(1), 1).wavefronts, 1u);
  EXPECT_EQ(banks(stride(128), 4, 0x3).wavefronts, 2u);
  EXPECT_EQ(banks(stride(4), 4, 0).wavefronts, 0u);
}

TEST(Access, SharedConflictsOfColumns) {
  const char* body = R"(
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, 128;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    ld.shared.f32 %f1, [%r4];
    ret;)";
  auto k = addressed(body, ".reqntid 32");
  EXPECT_EQ(k.access(0).wavefronts, 32);
  EXPECT_EQ(k.access(0).ideal_wavefronts, 1);
  EXPECT_EQ(k.access(0).sectors, 0);
}

TEST(Access, LocalMemoryIsInterleaved) {
  auto k = Addressed(ptx::parse("local.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 i)
{
  .local .align 16 .b8 __local_depot0[64];
  .reg .b64 %SP, %d<4>;
  .reg .b32 %r<4>;
  mov.u64 %SP, __local_depot0;
  st.local.u32 [%SP+4], %r1;
  mov.u32 %r2, %tid.x;
  and.b32 %r3, %r2, 1;
  mul.wide.u32 %d1, %r3, 4;
  add.u64 %d2, %SP, %d1;
  ld.local.u32 %r1, [%d2];
  ret;
})"),
                     {});
  EXPECT_EQ(k.access(0).sectors, 4);
  EXPECT_EQ(k.access(0).efficiency(), 1.0);
  EXPECT_EQ(k.access(1).sectors, 8);  // lanes alternate between two words
}

TEST(Access, GuardsAndBranchesOnLanesAreFollowed) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 ld.global.f32 %f1, [%d3];
    @!%p1 bra END;
    ld.global.f32 %f2, [%d3];
END:
    ret;)",
                     ".reqntid 64");
  for (size_t n : {0, 1}) {
    EXPECT_EQ(k.access(n).active_lanes, 8);
    EXPECT_EQ(k.access(n).sectors, 1);
    EXPECT_TRUE(k.access(n).guard_followed);
  }
}

TEST(Access, LanesThatExitInALoopAreMissedLater) {
  // The inner branch may be taken first in a turn that half of the lanes no longer see.
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    mov.u32 %r3, 0;
LOOP:
    setp.eq.u32 %p2, %r3, %r9;
    @!%p2 bra NEXT;
    ld.global.f32 %f1, [%d1];
NEXT:
    @%p1 exit;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 9;
    @%p3 bra LOOP;
    ret;)",
                     ".reqntid 32");
  EXPECT_FALSE(k.access(0).guard_followed);
}

TEST(Access, UnknownGuardsCountAllLanes) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    setp.lt.u32 %p1, %r1, %r9;
    @%p1 ld.global.f32 %f1, [%d3];
    ret;)",
                     ".reqntid 64");
  EXPECT_EQ(k.access(0).active_lanes, 32);
  EXPECT_EQ(k.access(0).sectors, 4);
  EXPECT_FALSE(k.access(0).guard_followed);
}

TEST(Access, AsyncCopiesHaveTwoSides) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    mul.wide.u32 %d2, %r1, 16;
    add.s64 %d3, %d1, %d2;
    cp.async.cg.shared.global [%r4], [%d3], 16;
    cp.async.wait_all;
    ret;)",
                     ".reqntid 64");
  ASSERT_EQ(k.table.accesses.size(), 2u);
  EXPECT_EQ(k.access(0).kind, AccessKind::kAsyncWrite);
  EXPECT_EQ(k.access(0).wavefronts, 4);
  EXPECT_EQ(k.access(1).kind, AccessKind::kAsyncRead);
  EXPECT_EQ(k.access(1).sectors, 16);
}

TEST(Access, MatrixLoadsUseTheLanesThatName) {
  auto k = addressed(R"(
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r4];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];
    ret;)",
                     ".reqntid 32");
  EXPECT_EQ(k.access(0).active_lanes, 8);
  EXPECT_EQ(k.access(0).wavefronts, 8);  // eight rows in the same banks
  EXPECT_EQ(k.access(0).ideal_wavefronts, 1);
  EXPECT_EQ(k.access(1).wavefronts, 32);
  EXPECT_EQ(k.access(1).ideal_wavefronts, 4);
}

TEST(Access, UniformAddresses) {
  auto k = addressed(R"(
    ld.param.u64 %d1, [a];
    ld.global.f32 %f1, [%d1+16];
    ld.shared.f32 %f2, [tile+8];
    ld.const.f32 %f3, [constants];
    ret;)");
  EXPECT_EQ(k.access(0).pattern, LanePattern::kUniform);
  EXPECT_EQ(k.access(0).level, Scope::kGrid);
  EXPECT_EQ(k.access(0).sectors, 1);
  EXPECT_EQ(k.access(1).wavefronts, 1);
  EXPECT_EQ(k.access(2).space, ptx::Space::kConst);
}

TEST(Access, Description) {
  auto k = case_file("50a-scalar-strided-loads.ptx");
  EXPECT_EQ(k.table.describe(k.access(1), k.forms),
            "src + 16*tid.x + 16*ctaid.x*ntid.x + 4: aligned to 4, strided, stride 16, 16 sectors "
            "a request, 25 % used");
}

}  // namespace
}  // namespace pitot::analysis
