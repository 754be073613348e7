// Rows of tensor, asynchronous and texture instructions: spellings of real kernels decode to the
// right operands, requirements and effects. That every row agrees with ptxas is the job of
// tests/tools/probe_tensor.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/isa.h"
#include "ptx/parser.h"

namespace pitot::ptx::isa_tensor_test {
namespace {

bool legal(std::string_view spelling, uint16_t ptx, std::string_view target) {
  Opcode opcode = decode(spelling);
  return opcode.form != nullptr && support(opcode, ptx, target_from_name(target)) == Support::kYes;
}

// Element counts of the operands of the first form, 0 for one that is not a braced vector.
std::vector<int> counts(const Form& form) {
  std::vector<int> result;
  for (const OperandSpec& o : form.operands) result.push_back(o.braced ? o.count_max : 0);
  return result;
}

TEST(TensorRows, WhatTritonEmits) {
  for (std::string_view spelling : {
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
           "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
           "cp.async.cg.shared.global",
           "cp.async.commit_group",
           "cp.async.wait_group",
       })
    EXPECT_TRUE(legal(spelling, 84, "sm_80")) << spelling;
  for (std::string_view spelling : {
           "wgmma.fence.sync.aligned",
           "wgmma.commit_group.sync.aligned",
           "wgmma.wait_group.sync.aligned",
           "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
           "mbarrier.init.shared::cta.b64",
           "mbarrier.try_wait.parity.shared.b64",
           "stmatrix.sync.aligned.m8n8.x4.shared.b16",
           "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
       })
    EXPECT_TRUE(legal(spelling, 84, "sm_90a")) << spelling;
  for (std::string_view spelling : {
           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
           "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
           "tcgen05.mma.cta_group::1.kind::f16",
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64",
           "tcgen05.ld.sync.aligned.16x32bx2.x32.b32",
           "tcgen05.st.sync.aligned.32x32b.x128.b32",
           "tcgen05.wait::ld.sync.aligned",
           "tcgen05.dealloc.cta_group::1.sync.aligned.b32",
       })
    EXPECT_TRUE(legal(spelling, 86, "sm_100a")) << spelling;
}

TEST(TensorRows, FragmentSizes) {
  auto first = [](std::string_view spelling) { return counts(*decode(spelling).form); };
  EXPECT_EQ(first("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            (std::vector<int>{4, 4, 2, 4}));
  EXPECT_EQ(first("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"),
            (std::vector<int>{2, 4, 2, 2}));
  EXPECT_EQ(first("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"),
            (std::vector<int>{8, 2, 2, 8}));
  EXPECT_EQ(first("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"),
            (std::vector<int>{4, 4, 2, 4}));
  EXPECT_EQ(first("ldmatrix.sync.aligned.m8n8.x1.shared.b16"), (std::vector<int>{1, 0}));
  EXPECT_EQ(first("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8"), (std::vector<int>{4, 0}));
  EXPECT_EQ(first("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16")[0], 128);
  EXPECT_EQ(first("wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16")[0], 64);
  EXPECT_EQ(first("tcgen05.ld.sync.aligned.16x256b.x32.b32")[0], 128);
  EXPECT_EQ(first("wmma.load.a.sync.aligned.row.m16n16k16.global.f16")[0], 8);
  // Both the descriptor and the register form of A, told apart by their operands.
  EXPECT_EQ(decode("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16").candidates.size(), 2u);
}

TEST(TensorRows, TypesAreFilledFromLeftToRight) {
  EXPECT_NE(decode("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16").form, nullptr);
  EXPECT_EQ(decode("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32").form, nullptr);
  EXPECT_NE(decode("cp.async.cg.shared.global").form, nullptr);
  EXPECT_EQ(decode("cp.async.cg.global.shared").form, nullptr);
  EXPECT_EQ(decode("mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32").form, nullptr);
  EXPECT_NE(decode("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32").form, nullptr);
  EXPECT_NE(decode("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32").form, nullptr);
  // Other modifiers stand in any order, after the name of the operation.
  EXPECT_NE(decode("mma.f32.f16.f16.f32.m16n8k16.row.col.aligned.sync").form, nullptr);
  EXPECT_EQ(decode("wgmma.sync.mma_async.aligned.m64n8k16.f32.f16.f16").form, nullptr);
  EXPECT_EQ(decode("mbarrier.shared.init.b64").form, nullptr);
}

TEST(TensorRows, ArchitectureAndFamilyTargets) {
  // sm_90a only: neither the plain target nor a later one.
  const std::string_view wgmma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16";
  EXPECT_TRUE(legal(wgmma, 80, "sm_90a"));
  EXPECT_FALSE(legal(wgmma, 78, "sm_90a"));
  EXPECT_FALSE(legal(wgmma, 90, "sm_90"));
  EXPECT_FALSE(legal(wgmma, 90, "sm_100a"));
  // The sm_100 family, whose members are 100 and 103; sm_110 joined with 9.0; not sm_120.
  const std::string_view tcgen05 = "tcgen05.mma.cta_group::1.kind::f16";
  for (std::string_view target : {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f"})
    EXPECT_TRUE(legal(tcgen05, 90, target)) << target;
  for (std::string_view target : {"sm_90a", "sm_100", "sm_103", "sm_110", "sm_120a", "sm_121f"})
    EXPECT_FALSE(legal(tcgen05, 90, target)) << target;
  // Within one instruction an alternative may need another target.
  EXPECT_TRUE(legal("tcgen05.mma.cta_group::1.kind::i8", 90, "sm_110a"));
  EXPECT_FALSE(legal("tcgen05.mma.cta_group::1.kind::i8", 90, "sm_103a"));
  EXPECT_TRUE(legal("tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32", 90, "sm_103a"));
  EXPECT_FALSE(legal("tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32", 90, "sm_100a"));
  EXPECT_TRUE(
      legal("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0",
            87, "sm_120a"));
  EXPECT_FALSE(
      legal("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0",
            87, "sm_100a"));
}

TEST(TensorRows, VersionsOfAlternatives) {
  EXPECT_FALSE(legal("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 64, "sm_75"));
  EXPECT_TRUE(legal("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 65, "sm_75"));
  EXPECT_FALSE(legal("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16", 77, "sm_80"));
  EXPECT_TRUE(legal("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 70, "sm_75"));
  EXPECT_FALSE(legal("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 71, "sm_75"));
  EXPECT_TRUE(legal("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 71, "sm_80"));
  EXPECT_TRUE(legal("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite", 64, "sm_75"));
  EXPECT_FALSE(legal("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite", 65, "sm_75"));
  EXPECT_TRUE(legal("cp.async.cg.shared.global", 70, "sm_80"));
  EXPECT_FALSE(legal("cp.async.cg.shared.global.L2::128B", 73, "sm_80"));
  EXPECT_TRUE(legal("cp.async.cg.shared.global.L2::128B", 74, "sm_80"));
}

TEST(TensorRows, NewerThanPtxas) {
  EXPECT_FALSE(legal("multimem.cp.async.bulk.global.shared::cta.bulk_group", 90, "sm_90"));
  EXPECT_TRUE(legal("multimem.cp.async.bulk.global.shared::cta.bulk_group", 91, "sm_90"));
  EXPECT_FALSE(legal("multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask", 91, "sm_90"));
  EXPECT_TRUE(legal("multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask", 91, "sm_100"));
  const std::string_view scaled =
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1."
      "f32";
  EXPECT_TRUE(legal(std::string(scaled) + ".ue4m3", 87, "sm_120a"));
  EXPECT_FALSE(legal(std::string(scaled) + ".ue8m0", 90, "sm_120a"));
  EXPECT_TRUE(legal(std::string(scaled) + ".ue8m0", 91, "sm_120a"));
  EXPECT_TRUE(legal("st.async.mbarrier::complete_tx::bytes.b128", 92, "sm_90"));
  EXPECT_EQ(decode("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob")
                .form->operands.size(),
            7u);
}

TEST(TensorRows, OperandsThatComeWithAModifier) {
  const Opcode plain =
      decode("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes");
  ASSERT_NE(plain.form, nullptr);
  ASSERT_EQ(plain.form->operands.size(), 5u);
  EXPECT_EQ(plain.form->operands[1].special, "tensor");
  EXPECT_EQ(plain.form->operands[1].count_max, 2);
  EXPECT_EQ(mod_name(plain.form->operands[3].when), "multicast::cluster");
  EXPECT_EQ(mod_name(plain.form->operands[4].when), "L2::cache_hint");
  const Opcode gather = decode(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes");
  ASSERT_NE(gather.form, nullptr);
  EXPECT_EQ(gather.form->operands[1].count_max, 5);
}

TEST(TensorRows, ConstantsAreLimited) {
  auto values = [](std::string_view spelling, size_t operand) {
    return std::string(decode(spelling).form->operands[operand].values);
  };
  EXPECT_TRUE(value_allowed(values("cp.async.ca.shared.global", 2), 8));
  EXPECT_FALSE(value_allowed(values("cp.async.cg.shared.global", 2), 8));
  EXPECT_TRUE(value_allowed(values("cp.async.cg.shared.global", 2), 16));
  EXPECT_FALSE(value_allowed(values("wgmma.wait_group.sync.aligned", 0), 8));
  EXPECT_TRUE(value_allowed(values("tcgen05.alloc.cta_group::1.sync.aligned.b32", 1), 512));
  EXPECT_FALSE(value_allowed(values("tcgen05.alloc.cta_group::1.sync.aligned.b32", 1), 96));
}

TEST(ValueAllowed, RangesStepsAndLists) {
  EXPECT_TRUE(value_allowed("", -7));
  EXPECT_TRUE(value_allowed("0..3", 0));
  EXPECT_TRUE(value_allowed("0..3", 3));
  EXPECT_FALSE(value_allowed("0..3", 4));
  EXPECT_FALSE(value_allowed("0..3", -1));
  EXPECT_TRUE(value_allowed("-1|1", -1));
  EXPECT_FALSE(value_allowed("-1|1", 0));
  EXPECT_TRUE(value_allowed("8..256/8", 248));
  EXPECT_FALSE(value_allowed("8..256/8", 12));
  EXPECT_TRUE(value_allowed("4|8|16..32/16", 32));
  EXPECT_FALSE(value_allowed("4|8|16..32/16", 24));
}

TEST(TensorRows, Effects) {
  const Opcode mma = decode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_TRUE(mma.has(kMma));
  EXPECT_TRUE(mma.has(kConvergent));
  EXPECT_FALSE(mma.has(kLoad));
  EXPECT_EQ(mma.group, Group::kTensor);
  EXPECT_EQ(mma.pipe, Pipe::kTensor);
  EXPECT_TRUE(decode("ldmatrix.sync.aligned.m8n8.x4.shared.b16").has(kLoad));
  EXPECT_TRUE(decode("stmatrix.sync.aligned.m8n8.x4.shared.b16").has(kStore));
  const Opcode copy = decode("cp.async.cg.shared.global");
  EXPECT_TRUE(copy.has(kLoad) && copy.has(kStore) && copy.has(kAsync));
  EXPECT_TRUE(decode("cp.async.wait_group").has(kBarrier));
  // Tensor memory is not reached by loads and stores.
  EXPECT_FALSE(decode("tcgen05.ld.sync.aligned.32x32b.x1.b32").has(kLoad));
  EXPECT_TRUE(decode("tcgen05.st.sync.aligned.32x32b.x1.b32").has(kVolatile));
  EXPECT_EQ(decode("tex.2d.v4.f32.f32").group, Group::kTexture);
  EXPECT_TRUE(decode("suld.b.2d.b32.trap").has(kLoad));
  EXPECT_TRUE(decode("sust.b.2d.b32.trap").has(kStore));
}

TEST(TextureRows, GeometriesAndResidency) {
  EXPECT_TRUE(legal("tex.3d.v4.f32.f32", 63, "sm_75"));
  EXPECT_TRUE(legal("tex.level.acube.v4.u32.f32", 63, "sm_75"));
  EXPECT_EQ(decode("tex.level.2dms.v4.f32.s32").form, nullptr);
  EXPECT_EQ(decode("tex.2d.v2.f32.f32").form, nullptr);
  EXPECT_NE(decode("tex.2d.v2.f16x2.f32").form, nullptr);
  EXPECT_EQ(decode("sured.b.add.a2d.u32.trap").form, nullptr);
  // d|p is a form of its own, and needs more.
  Opcode opcode = decode("tex.2d.v4.f32.f32");
  auto residency = std::find_if(opcode.candidates.begin(), opcode.candidates.end(),
                                [](const Form* f) { return f->operands[0].second_pred; });
  ASSERT_NE(residency, opcode.candidates.end());
  EXPECT_EQ(support(opcode, **residency, 70, target_from_name("sm_75")), Support::kNeedsMore);
  EXPECT_EQ(support(opcode, **residency, 71, target_from_name("sm_75")), Support::kYes);
}

TEST(TextureRows, ResidencyPredicateAfterAVectorIsParsedAndVerified) {
  const std::string text = R"(.version 7.1
.target sm_75
.address_size 64
.global .texref t;
.visible .entry k()
{
  .reg .pred %p<2>;
  .reg .f32 %f<6>;
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3} | %p1, [t, {%f4, %f5}];
  @%p1 ret;
  ret;
}
)";
  Module m = parse("tex.ptx", text);
  EXPECT_EQ(m.diagnostics.errors(), 0u);
  ASSERT_EQ(m.functions.size(), 1u);
  auto operands = m.operands_of(m.body(m.functions[0])[0]);
  ASSERT_EQ(operands.size(), 2u);
  ASSERT_EQ(operands[0].kind, OperandKind::kPair);
  auto parts = m.children_of(operands[0]);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].kind, OperandKind::kVector);
  EXPECT_EQ(parts[0].child_count, 4u);
  EXPECT_EQ(parts[1].kind, OperandKind::kRegister);
}

}  // namespace
}  // namespace pitot::ptx::isa_tensor_test
