// Which registers an instruction reads and writes, operand shape by operand shape.
#include "analysis/access_roles.h"

#include <gtest/gtest.h>

#include "flow_helpers.h"
#include "support/file.h"

namespace pitot::analysis {
namespace {

// "r:%r1 w:%r2 w?:%r3": reads, writes and conditional writes of one instruction, in order.
std::string roles(const std::string& instruction) {
  auto a = analyse(".shared .align 16 .b8 buffer[64];\n" + instruction);
  std::string out;
  for (const RegAccess& x : a.facts.accesses.of(0)) {
    if (!out.empty()) out += " ";
    out += x.write ? "w" : "r";
    if (x.conditional) out += "?";
    if (x.partial) out += "/";
    out += ":";
    out += x.role == Role::kCarry ? "cc" : std::string(a.facts.function->registers[x.reg].name);
    if (x.role == Role::kGuard) out += "(guard)";
    if (x.role == Role::kAddress) out += "(address)";
  }
  return out;
}

TEST(AccessRoles, Shapes) {
  EXPECT_EQ(roles("add.s32 %r1, %r2, %r3;"), "r:%r2 r:%r3 w:%r1");
  EXPECT_EQ(roles("add.s32 %r1, %r1, 4;"), "r:%r1 w:%r1");
  EXPECT_EQ(roles("@!%p1 add.s32 %r1, %r2, %r3;"), "r:%p1(guard) r:%r2 r:%r3 w?:%r1");
  EXPECT_EQ(roles("setp.lt.s32 %p1|%p2, %r1, %r2;"), "r:%r1 r:%r2 w:%p1 w:%p2");
  EXPECT_EQ(roles("setp.lt.and.s32 %p1, %r1, %r2, !%p3;"), "r:%r1 r:%r2 r:%p3 w:%p1");
  EXPECT_EQ(roles("st.global.v2.u32 [%rd1+8], {%r1, %r2};"), "r:%rd1(address) r:%r1 r:%r2");
  EXPECT_EQ(roles("ld.shared.v2.u32 {%r1, %r2}, [buffer+8];"), "w:%r1 w:%r2");
  EXPECT_EQ(roles("ld.global.v2.u32 {%r1, _}, [%rd1];"), "r:%rd1(address) w:%r1");
  EXPECT_EQ(roles("mov.b64 %rd1, {%r1, %r2};"), "r:%r1 r:%r2 w:%rd1");
  EXPECT_EQ(roles("mov.b64 {%r1, %r2}, %rd1;"), "r:%rd1 w:%r1 w:%r2");
  EXPECT_EQ(roles("mov.u32 %r1, %tid.x;"), "w:%r1");
  EXPECT_EQ(roles("add.cc.u32 %r1, %r2, %r3;"), "r:%r2 r:%r3 w:%r1 w:cc");
  EXPECT_EQ(roles("madc.hi.u32 %r1, %r2, %r3, %r4;"), "r:cc r:%r2 r:%r3 r:%r4 w:%r1");
  EXPECT_EQ(roles("addc.cc.u32 %r1, %r2, 0;"), "r:cc r:%r2 w:%r1 w:cc");
  EXPECT_EQ(roles("atom.global.add.u32 %r1, [%rd1], %r2;"), "r:%rd1(address) r:%r2 w:%r1");
  EXPECT_EQ(roles("red.global.add.u32 [%rd1], %r2;"), "r:%rd1(address) r:%r2");
  EXPECT_EQ(roles("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;"), "r:%r2 w:%r1 w:%p1");
  EXPECT_EQ(roles("@%p1 bra L;\nL:"), "r:%p1(guard)");
  EXPECT_EQ(roles("bar.sync 0;"), "");
  EXPECT_EQ(roles("selp.b32 %r1, %r2, %r3, %p1;"), "r:%r2 r:%r3 r:%p1 w:%r1");
  EXPECT_EQ(roles("cvt.u64.u32 %rd1, %r1;"), "r:%r1 w:%rd1");
  EXPECT_EQ(roles("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;"),
            "r:%rd1(address) r:%rd2 w:%r1");
  EXPECT_EQ(roles("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, "
                  "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};"),
            "r:%r0 r:%r1 r:%r2 r:%r3 r:%r4 r:%r5 r:%f4 r:%f5 r:%f6 r:%f7 w:%f0 w:%f1 w:%f2 w:%f3");
  EXPECT_EQ(roles("cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;"),
            "r:%r1(address) r:%rd1(address) r:%r2");
  EXPECT_EQ(roles("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, "
                  "%rd2, %p1, 1, 1, 0, 0;"),
            "r:%f0 r:%f1 r:%f2 r:%f3 r:%rd1 r:%rd2 r:%p1 w:%f0 w:%f1 w:%f2 w:%f3");
  // A constant scale-d of 0: the old accumulator is not read.
  EXPECT_EQ(roles("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, "
                  "%rd2, 0, 1, 1, 0, 0;"),
            "r:%rd1 r:%rd2 w:%f0 w:%f1 w:%f2 w:%f3");
}

TEST(AccessRoles, VectorRegisterElementsAreWrittenInPart) {
  auto a = analyse(".reg .v4 .f32 v;\nmov.f32 v.x, %f1;\nmov.f32 %f2, v.y;");
  const auto write = a.facts.accesses.of(0).back();
  EXPECT_TRUE(write.write);
  EXPECT_TRUE(write.partial);
  EXPECT_FALSE(write.kills());
  EXPECT_FALSE(a.facts.accesses.of(1).front().write);
}

TEST(AccessRoles, ByRegisterListsFollowTheText) {
  auto a = analyse("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nadd.u32 %r1, %r2, 1;");
  const auto items = a.facts.accesses.of_register(a.reg("%r1"));
  ASSERT_EQ(items.size(), 4u);
  std::vector<uint32_t> at;
  for (uint32_t k : items) at.push_back(a.facts.accesses.instruction_of[k]);
  EXPECT_EQ(at, (std::vector<uint32_t>{0, 1, 1, 2}));
}

// Every instruction of compiler output has known roles, and every register in use is written
// somewhere.
TEST(AccessRoles, CorpusIsCovered) {
  auto files = list_files(PITOT_SOURCE_DIR "/tests/data/corpus", {".ptx"});
  ASSERT_TRUE(files.ok());
  ASSERT_GE(files->size(), 15u);
  for (const std::string& path : *files) {
    auto m = ptx::parse_file(path);
    ASSERT_TRUE(m.ok());
    for (const ptx::Function& f : m->functions) {
      Accesses accesses;
      accesses.build(*m, f);
      for (const ptx::Instruction& i : m->body(f))
        EXPECT_TRUE(roles_known(i)) << path << ": " << m->slice(i.range);
      for (RegId r = 0; r < f.registers.size(); ++r) {
        bool written = accesses.of_register(r).empty();  // declared only
        for (uint32_t k : accesses.of_register(r)) written = written || accesses.items[k].write;
        EXPECT_TRUE(written) << path << ": " << f.registers[r].name;
      }
    }
  }
}

}  // namespace
}  // namespace pitot::analysis
