// Local memory told apart: spill-like slots, arrays, argument reduction, call frames.
#include "analysis/stack.h"

#include "address_helpers.h"

namespace pitot::analysis {
namespace {

std::string local_kernel(const std::string& body, int bytes, const std::string& more = {}) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + more +
         ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.local .align 8 .b8 "
         "__local_depot0[" +
         std::to_string(bytes) +
         "];\n.reg .b64 %SP, %SPL, %d<20>;\n.reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .pred "
         "%p<4>;\n"
         "mov.u64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\n" +
         body + "\nret;\n}\n";
}

StackUsage usage(const std::string& text) {
  Addressed k(ptx::parse("stack.ptx", text), {});
  return stack_usage(k.flow, k.forms, k.table);
}

TEST(Stack, FixedSlotsAreSpillLike) {
  StackUsage u = usage(local_kernel(R"(
    st.local.u32 [%SPL], %r1;
    st.u64 [%SP+8], %d1;
    ld.local.u32 %r2, [%SPL];
    ld.u64 %d2, [%SP+8];
    ld.local.u32 %r3, [%SPL];)",
                                    16));
  ASSERT_EQ(u.objects.size(), 1u);
  EXPECT_EQ(u.objects[0].use, StackUse::kSpillLike);
  EXPECT_EQ(u.spill_like_loads, 3u);
  EXPECT_EQ(u.spill_like_stores, 2u);
  EXPECT_EQ(u.spill_like_bytes, 12u);
  EXPECT_EQ(u.bytes, 16u);
}

TEST(Stack, IndexedArraysAreNot) {
  StackUsage u = usage(local_kernel(R"(
    ld.param.u32 %r1, [n];
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d2, %SPL, %d1;
    st.local.u32 [%SPL], %r1;
    st.local.u32 [%SPL+4], %r1;
    ld.local.u32 %r2, [%d2];)",
                                    64));
  EXPECT_EQ(u.objects[0].use, StackUse::kArray);
  EXPECT_EQ(u.loads, 1u);
  EXPECT_EQ(u.stores, 2u);
  EXPECT_EQ(u.spill_like_loads + u.spill_like_stores, 0u);
}

TEST(Stack, PartsOfASlotMakeAnArray) {
  EXPECT_EQ(usage(local_kernel("st.local.u64 [%SPL], %d1;\nld.local.u32 %r1, [%SPL+4];", 8))
                .objects[0]
                .use,
            StackUse::kArray);
}

TEST(Stack, ArgumentReduction) {
  const char* loop = R"(
    mul.f32 %f1, %f2, 0f3F22F983;
    mov.u64 %d1, %SPL;
    mov.u32 %r1, 0;
LOOP:
    st.local.u32 [%d1], %r1;
    add.s64 %d1, %d1, 4;
    add.s32 %r1, %r1, 1;
    setp.ne.s32 %p1, %r1, 6;
    @%p1 bra LOOP;
    ld.local.u32 %r2, [%SPL+24];)";
  EXPECT_EQ(usage(local_kernel(loop, 28)).objects[0].use, StackUse::kArgumentReduction);
  std::string plain = loop;
  plain.replace(plain.find("0f3F22F983"), 10, "0f3F800000");
  EXPECT_EQ(usage(local_kernel(plain, 28)).objects[0].use, StackUse::kArray);
  EXPECT_EQ(usage(local_kernel(loop, 256)).objects[0].use, StackUse::kArray);
}

TEST(Stack, AddressesHandedToCallsAndStored) {
  const std::string callee = ".extern .func f(.param .u64 p);\n";
  StackUsage call = usage(local_kernel(R"(
    add.u64 %d1, %SP, 0;
    { .param .b64 p0;
    st.param.b64 [p0], %d1;
    call.uni f, (p0); })",
                                       8, callee));
  EXPECT_EQ(call.objects[0].use, StackUse::kCallFrame);
  StackUsage stored = usage(local_kernel(R"(
    ld.param.u64 %d3, [out];
    st.global.u64 [%d3], %SP;)",
                                         8));
  EXPECT_EQ(stored.objects[0].use, StackUse::kEscapes);
}

TEST(Stack, Corpus) {
  Result<ptx::Module> m =
      ptx::parse_file(data_file("corpus/023_triton_poi_fused_add_cos_mul_roll_sin_0.ptx"));
  ASSERT_TRUE(m.ok());
  const ptx::Function& f = m->functions[0];
  Workspace ws;
  FlowFacts flow;
  flow.build(*m, f, ws);
  Uniformity u;
  u.build(flow, block_shape_of(f), ws);
  AffineForms forms;
  forms.build(flow, u);
  AccessTable table;
  table.build(flow, u, forms, block_shape_of(f));
  StackUsage s = stack_usage(flow, forms, table);
  ASSERT_EQ(s.objects.size(), 1u);
  EXPECT_EQ(s.objects[0].use, StackUse::kArgumentReduction);
  EXPECT_EQ(s.bytes, 28u);
  EXPECT_EQ(s.loads, 24u);
  EXPECT_EQ(s.stores, 16u);
  EXPECT_EQ(s.spill_like_loads, 0u);
}

TEST(Stack, NothingLocal) {
  Addressed k = addressed("ret;");
  StackUsage s = stack_usage(k.flow, k.forms, k.table);
  EXPECT_TRUE(s.objects.empty());
  EXPECT_EQ(s.loads + s.stores + s.allocas, 0u);
}

}  // namespace
}  // namespace pitot::analysis
