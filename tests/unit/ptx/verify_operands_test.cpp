// Operands: what ptxas 13.0 accepts and rejects, statement by statement (each verdict was tried
// there).
#include <gtest/gtest.h>

#include "verify_test_util.h"

namespace pitot::ptx::test::verify_operands_test {
namespace {

class Accepts : public testing::TestWithParam<const char*> {};
class Rejects : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Accepts, NoError) {
  auto found = verify_text(in_kernel(GetParam()));
  EXPECT_EQ(errors(found), 0u) << GetParam() << "\n" << show(found);
}

TEST_P(Rejects, OneErrorOnTheLine) {
  auto [statement, code] = GetParam();
  auto found = verify_text(in_kernel(statement));
  ASSERT_EQ(errors(found), 1u) << statement << "\n" << show(found);
  EXPECT_EQ(found[0].code, code) << statement << "\n" << show(found);
  EXPECT_EQ(found[0].line, kStatementLine);
}

constexpr const char* kAccepted[] = {
    // register classes
    "add.u32 %r0,%r1,%r2;",
    "add.s32 %u0,%s1,%r2;",
    "add.f32 %r0,%f1,%f2;",
    "and.b32 %f0,%f1,%r2;",
    "add.u32 %hx0,%r1,%r2;",
    "add.f16 %h0,%hf1,%h2;",
    "fma.rn.f16x2 %r0,%hx1,%r2,%r0;",
    "fma.rn.bf16x2 %r0,%r1,%r2,%r3;",
    "setp.lt.f32 %p0,%r1,%f2;",
    "shl.b64 %rd0,%rd1,%s2;",
    "popc.b64 %u0,%rd1;",
    "mul.wide.u32 %rd0,%r1,%r2;",
    "mad.wide.s32 %sd0,%r1,%r2,%ud3;",
    // wider registers in memory and conversion instructions
    "ld.global.u8 %r0,[%rd1];",
    "ld.global.u8 %rd0,[%rd1];",
    "ld.global.b32 %fd0,[%rd1];",
    "ld.global.f32 %rd0,[%rd1];",
    "st.global.u16 [%rd1],%r2;",
    "cvt.u32.u8 %r0,%rd1;",
    "cvt.rn.f32.u32 %rd0,%r1;",
    "cvt.f32.f16 %f0,%r1;",
    // constants
    "add.u32 %r0,%r1,-5;",
    "add.u32 %r0,%r1,5000000000000;",
    "add.f32 %f0,%f1,1.5;",
    "add.f32 %f0,%f1,0d3FF0000000000000;",
    "and.b32 %r0,%r1,0f3F800000;",
    "mov.b64 %rd0,1.5;",
    "selp.b32 %r0,1,2,1;",
    "mov.u16 %h0,70000;",
    "st.global.u8 [%rd1],300;",
    "add.u32 %r0,%r1,WARP_SZ;",
    // special registers
    "mov.u32 %r0,%tid.x;",
    "mov.u16 %h0,%tid.x;",
    "cvt.u64.u32 %rd0,%tid.x;",
    "mov.u64 %rd0,%clock64;",
    "mov.b32 %f0,%tid.x;",
    // addresses and names
    "ld.shared.u32 %r0,[%r1+4];",
    "ld.shared.u32 %r0,[%h1];",
    "ld.u32 %r0,[sh];",
    "ld.u32 %r0,[lo];",
    "ld.local.u32 %r0,[16];",
    "ld.global.u32 %r0,[g+1];",
    "ld.global.u32 %r0,[%rd1+-4];",
    "mov.u32 %r0,sh;",
    "mov.u64 %rd0,g;",
    "mov.u64 %rd0,p;",
    "mov.u64 %rd0,fn;",
    "cvta.shared.u64 %rd0,sh;",
    "add.u32 %r0,%r1,sh+4;",
    // vectors
    "ld.global.v2.u32 {%r0,_},[g];",
    "ld.global.v2.u32 {%r0,%f1},[g];",
    "ld.global.v4.b32 %v,[g];",
    "ld.global.v2.f32 %vf,[g];",
    "ld.global.u32 {%r0},[g];",
    "st.global.v2.u32 [g],{%r0,5};",
    "st.global.v2.u32 [g],{5,5};",
    "ld.global.v2.b32 {%rd0,%rd1},[g];",
    "mov.b64 {%r0,_},%rd0;",
    "mov.b64 %rd0,{%f0,%f1};",
    "mov.b32 %r0,{%c0,%c1,%c2,%c3};",
    "mov.b64 %rd0,{%h0,%h1,%h2,%h3};",
    "mov.u32 %v.x,%r0;",
    "mov.b128 %q0,{%rd0,%rd1};",
    // predicates
    "@!%p1 bra L0;",
    "setp.lt.and.u32 %p0|%p1,%r0,%r1,!%p2;",
    "setp.lt.u32 _|%p1,%r0,%r1;",
    "and.pred %p0,!%p1,%p2;",
    "selp.b32 %r0,%r1,%r2,!%p0;",
    "shfl.sync.bfly.b32 %f0|%p1,%f1,1,31,-1;",
    "mov.pred %p0,1;",
    // sinks
    "atom.global.add.u32 _,[g],1;",
    "bar.sync 15;",
    "bar.sync 0,64;",
    "brev.b32 %f0,%f1;",
    "isspacep.shared %p0,%rd0;",
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
     "{%f0,%f1,%f2,%r3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,0.0};"),
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%f0},[sh];",
};
INSTANTIATE_TEST_SUITE_P(Statements, Accepts, testing::ValuesIn(kAccepted));

using Pair = std::pair<const char*, const char*>;
constexpr Pair kRejected[] = {
    // register classes
    {"add.u32 %r0,%r1,%f2;", "type-mismatch"},
    {"add.f32 %u0,%f1,%f2;", "type-mismatch"},
    {"add.u32 %r0,%r1,%h2;", "type-mismatch"},
    {"add.u32 %r0,%r1,%p0;", "type-mismatch"},
    {"add.bf16 %hf0,%h1,%h2;", "type-mismatch"},
    {"shl.b32 %r0,%r1,%rd2;", "type-mismatch"},
    {"shl.b32 %r0,%r1,%hx2;", "type-mismatch"},
    {"mul.wide.u32 %r0,%r1,%r2;", "type-mismatch"},
    {"mad.wide.u32 %rd0,%r1,%r2,%r3;", "type-mismatch"},
    {"ld.global.u32 %h0,[%rd1];", "type-mismatch"},
    {"ld.global.u32 %f0,[%rd1];", "type-mismatch"},
    {"ld.global.f32 %fd0,[%rd1];", "type-mismatch"},
    {"st.global.u8 [%rd1],%f2;", "type-mismatch"},
    {"cvt.u64.u32 %r0,%r1;", "type-mismatch"},
    {"popc.b64 %rd0,%rd1;", "type-mismatch"},
    {"setp.lt.u32 %r0,%r1,%r2;", "type-mismatch"},
    {"selp.b32 %r0,%r1,%r2,%r3;", "type-mismatch"},
    {"cvt.rn.satfinite.e4m3x2.f32 %sh0,%f0,%f1;", "type-mismatch"},
    // constants
    {"add.u32 %r0,%r1,1.5;", "constant-type"},
    {"add.f32 %f0,%f1,1;", "constant-type"},
    {"add.u32 %r0,%r1,0f3F800000;", "constant-type"},
    {"fma.rn.f16 %h0,%h1,%h2,1.0;", "constant-type"},
    {"and.b32 %r0,%r1,1.5;", "constant-type"},
    {"mov.b64 %rd0,0f3F800000;", "constant-type"},
    {"add.u32 5,%r1,%r2;", "result-not-register"},
    {"lop3.b32 %r0,%r1,%r2,%r3,%r4;", "constant-required"},
    {"cp.async.wait_group %r0;", "constant-required"},
    // counts
    {"add.u32 %r0,%r1;", "operand-count"},
    {"add.u32 %r0,%r1,%r2,%r3;", "operand-count"},
    {"bra;", "operand-count"},
    {"membar.gl %r0;", "operand-count"},
    {"shfl.sync.bfly.b32 %r0,%r1,1,31;", "operand-count"},
    // special registers
    {"add.u32 %r0,%r1,%tid.x;", "special-register"},
    {"mov.u32 %laneid,%r0;", "read-only"},
    {"mov.u64 %rd0,%tid.x;", "type-mismatch"},
    {"mov.u32 %r0,%clock64;", "type-mismatch"},
    {"cvt.rn.f32.u32 %f0,%tid.x;", "special-register"},
    {"mov.u32 %r0,%tid;", "vector-operand"},
    // addresses and names
    {"ld.shared.u32 %r0,[g];", "space-mismatch"},
    {"ld.u32 %r0,[cc];", "space-mismatch"},
    {"ld.u32 %r0,[q];", "space-mismatch"},
    {"st.global.u32 [sh],%r0;", "space-mismatch"},
    {"ld.global.u32 %r0,[%f1];", "address-base"},
    {"ld.global.u32 %r0,[%p1];", "address-base"},
    {"ld.global.u32 %r0,[%r1];", "address-width"},
    {"ld.global.u32 %r0,[16];", "address-immediate"},
    {"ld.global.u32 %r0,[tx];", "address-base"},
    {"ld.global.u32 %r0,[fn];", "address-base"},
    {"ld.global.u32 %r0,%rd1;", "address-required"},
    {"add.u32 %r0,[%rd1],%r0;", "address-operand"},
    {"add.u32 %r0,%r1,sh;", "symbol-operand"},
    {"mov.u32 %r0,g;", "address-width"},
    {"mov.f32 %f0,sh;", "symbol-operand"},
    {"cvta.shared.u64 %rd0,g;", "space-mismatch"},
    {"cvta.to.shared.u64 %rd0,sh;", "space-mismatch"},
    {"mov.u64 %rd0,L0;", "label-operand"},
    {"bra %r1;", "label-required"},
    {"bra sh;", "label-required"},
    {"st.param.u32 [q],%r0;", "read-only"},
    {"ld.global.u32 %r0,[%rd1-4];", "syntax"},
    // vectors
    {"ld.global.v2.u32 {%r0,%r1,%r2},[g];", "vector-size"},
    {"ld.global.v2.u32 {%r0},[g];", "vector-size"},
    {"ld.global.v2.u32 %r0,[g];", "vector-size"},
    {"ld.global.u32 {%r0,%r1},[g];", "vector-operand"},
    {"ld.global.v2.b32 {%r0,%rd1},[g];", "vector-elements"},
    {"mov.b64 %rd0,{%r0,%h1};", "vector-elements"},
    {"mov.u64 %rd0,{%r0,%r1};", "vector-operand"},
    {"mov.b64 {%r0,%r1},{%r2,%r3};", "vector-operand"},
    {"add.u32 %r0,{%r1,%r2},%r0;", "vector-operand"},
    {"st.global.v2.u32 [g],{%r0,_};", "sink-operand"},
    {"ld.global.v2.u32 {_,_},[g];", "sink-operand"},
    {"st.global.v2.f32 [g],{%f0,5};", "constant-type"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r0,[sh];", "vector-size"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
     "{%f0,%f1,%f2},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
     "vector-size"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
     "{%f0,%f1,%f2,%f3},{%f0,%f1,%f2,%f3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
     "type-mismatch"},
    // predicates, signs, sinks
    {"@%r1 bra L0;", "guard-not-predicate"},
    {"setp.lt.u32 %p0|%r1,%r0,%r1;", "type-mismatch"},
    {"setp.lt.u32 !%p0,%r0,%r1;", "negation"},
    {"add.u32 %r0,!%r1,%r0;", "negation"},
    {"add.u32 %r0,-%r1,%r0;", "negation"},
    {"add.u32 _,%r1,%r0;", "sink-operand"},
    {"ld.global.u32 _,[g];", "sink-operand"},
    {"add.u32 %r0|%p1,%r1,%r2;", "predicate-pair"},
    {"mov.u32 %r0,%r1.x;", "selector"},
    // ranges
    {"bar.sync 0,33;", "value-out-of-range"},
    {"setmaxnreg.inc.sync.aligned.u32 65;", "value-out-of-range"},
    {"cp.async.ca.shared.global [sh],[g],5;", "value-out-of-range"},
};

INSTANTIATE_TEST_SUITE_P(Statements, Rejects, testing::ValuesIn(kRejected));

TEST(VerifyOperands, ColumnsPointAtTheOperand) {
  auto found = verify_text(in_kernel("add.u32 %r0, %r1, %f2;"));
  ASSERT_EQ(errors(found), 1u) << show(found);
  EXPECT_EQ(found[0].column, 19u);
  EXPECT_EQ(found[0].end_column, 22u);
  EXPECT_NE(found[0].message.find("'%f2' (.f32)"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].hint.find("mov.b32"), std::string::npos) << found[0].hint;
}

TEST(VerifyOperands, ColumnsPointAtTheVectorElement) {
  auto found = verify_text(in_kernel("ld.global.v2.b32 {%r0, %rd1}, [g];"));
  ASSERT_EQ(errors(found), 1u) << show(found);
  EXPECT_EQ(found[0].column, 24u);
  EXPECT_EQ(found[0].end_column, 28u);
}

TEST(VerifyOperands, GuardIsPointedAt) {
  auto found = verify_text(in_kernel("@!%r1 bra L0;"));
  ASSERT_EQ(errors(found), 1u) << show(found);
  EXPECT_EQ(found[0].column, 3u);
  EXPECT_EQ(found[0].end_column, 6u);
}

TEST(VerifyOperands, CountNamesTheUsage) {
  auto found = verify_text(in_kernel("mad.lo.u32 %r0, %r1, %r2;"));
  ASSERT_EQ(errors(found), 1u) << show(found);
  EXPECT_NE(found[0].message.find("takes 4 operands, not 3"), std::string::npos)
      << found[0].message;
  EXPECT_NE(found[0].hint.find("mad.lo.u32 d, a, b, c"), std::string::npos) << found[0].hint;
}

}  // namespace
}  // namespace pitot::ptx::test::verify_operands_test
