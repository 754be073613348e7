// Names and widths of types and state spaces.
#include <gtest/gtest.h>

#include "ptx/isa.h"

namespace pitot::ptx {
namespace {

TEST(Types, NamesLeadBackToTheType) {
  for (uint8_t t = 1; t < static_cast<uint8_t>(Type::kCount); ++t) {
    auto type = static_cast<Type>(t);
    ASSERT_FALSE(name_of(type).empty());
    EXPECT_EQ(type_from_name(name_of(type)), type);
    EXPECT_EQ(mod_type(mod_from_name(name_of(type))), type) << name_of(type);
  }
  EXPECT_EQ(type_from_name("i32"), Type::kNone);
  EXPECT_EQ(type_from_name(""), Type::kNone);
}

TEST(Types, Widths) {
  EXPECT_EQ(bits_of(Type::kPred), 1u);
  EXPECT_EQ(bytes_of(Type::kPred), 1u);
  EXPECT_EQ(bits_of(Type::kBf16x2), 32u);
  EXPECT_EQ(bits_of(Type::kE4m3x2), 16u);
  EXPECT_EQ(bits_of(Type::kE2m1x2), 8u);
  EXPECT_EQ(bits_of(Type::kE2m1x4), 16u);
  EXPECT_EQ(bits_of(Type::kF32x2), 64u);
  EXPECT_EQ(bytes_of(Type::kB128), 16u);
  EXPECT_EQ(bits_of(Type::kTexref), 64u);
  EXPECT_EQ(bits_of(Type::kNone), 0u);
}

TEST(Types, Kinds) {
  EXPECT_EQ(kind_of(Type::kB16), TypeKind::kBits);
  EXPECT_EQ(kind_of(Type::kS8x4), TypeKind::kSigned);
  EXPECT_EQ(kind_of(Type::kU16x2), TypeKind::kUnsigned);
  EXPECT_EQ(kind_of(Type::kTf32), TypeKind::kFloat);
  EXPECT_EQ(kind_of(Type::kSurfref), TypeKind::kOpaque);
}

TEST(Spaces, NamesAndBases) {
  for (Space space : {Space::kReg, Space::kGlobal, Space::kParamEntry, Space::kSharedCluster})
    EXPECT_EQ(space_from_name(name_of(space)), space);
  EXPECT_EQ(space_from_name("globl"), Space::kNone);
  EXPECT_EQ(base_space(Space::kSharedCta), Space::kShared);
  EXPECT_EQ(base_space(Space::kParamFunc), Space::kParam);
  EXPECT_EQ(base_space(Space::kGlobal), Space::kGlobal);
}

TEST(Names, GroupsAndPipes) {
  EXPECT_EQ(name_of(Group::kArith), "arith");
  EXPECT_EQ(name_of(Group::kControl), "control");
  EXPECT_EQ(name_of(Group::kSpecialFunction), "sfu");
  EXPECT_EQ(name_of(Pipe::kAsync), "async");
  EXPECT_EQ(name_of(Pipe::kUniform), "uniform");
  for (uint8_t g = 0; g < static_cast<uint8_t>(Group::kCount); ++g)
    EXPECT_FALSE(name_of(static_cast<Group>(g)).empty());
}

}  // namespace
}  // namespace pitot::ptx
