// Special registers: names, types, requirements and for whom they are the same.
#include "ptx/special_register.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pitot::ptx {
namespace {

TEST(SpecialRegister, EveryNameFindsItselfAndIndicesAreInOrder) {
  std::set<std::string_view> names;
  uint16_t index = 0;
  for (const SpecialRegister& r : special_registers()) {
    EXPECT_EQ(find_special_register(r.name), &r) << r.name;
    EXPECT_EQ(r.index, index++) << r.name;
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_TRUE(r.width == 1 || r.width == 4) << r.name;
  }
  EXPECT_EQ(index, static_cast<uint16_t>(SpecialId::kCount));
}

TEST(SpecialRegister, OtherNamesAreNone) {
  for (std::string_view name :
       {"", "%", "%r1", "%rd12", "tid", "%tid.x", "%Tid", "%pm8", "%envreg32", "%clock65",
        "%reserved_smem_offset_2", "%cluster_ctarank_", "%f"})
    EXPECT_EQ(find_special_register(name), nullptr) << name;
}

TEST(SpecialRegister, TypesAndComponents) {
  EXPECT_EQ(find_special_register("%tid")->width, 4);
  EXPECT_EQ(find_special_register("%tid")->type, Type::kU32);
  EXPECT_EQ(find_special_register("%tid")->id(), SpecialId::kTid);
  EXPECT_EQ(find_special_register("%cluster_nctaid")->width, 4);
  EXPECT_EQ(find_special_register("%cluster_nctarank")->width, 1);
  EXPECT_EQ(find_special_register("%clock")->type, Type::kU32);
  EXPECT_EQ(find_special_register("%clock64")->type, Type::kU64);
  EXPECT_EQ(find_special_register("%gridid")->type, Type::kU64);
  EXPECT_EQ(find_special_register("%pm7_64")->type, Type::kU64);
  EXPECT_EQ(find_special_register("%pm7_64")->id(), SpecialId::kPm7_64);
  EXPECT_EQ(find_special_register("%is_explicit_cluster")->type, Type::kPred);
  EXPECT_EQ(find_special_register("%envreg31")->id(), SpecialId::kEnvreg31);
}

TEST(SpecialRegister, Requirements) {
  auto legal = [](std::string_view name, uint16_t ptx, std::string_view target) {
    return satisfies(find_special_register(name)->need, ptx, target_from_name(target));
  };
  EXPECT_TRUE(legal("%tid", 10, "sm_10"));
  EXPECT_FALSE(legal("%clusterid", 90, "sm_89"));
  EXPECT_TRUE(legal("%clusterid", 78, "sm_90"));
  EXPECT_FALSE(legal("%aggr_smem_size", 80, "sm_90"));
  EXPECT_TRUE(legal("%aggr_smem_size", 81, "sm_90a"));
  EXPECT_FALSE(legal("%reserved_smem_offset_cap", 75, "sm_80"));
  EXPECT_FALSE(legal("%current_graph_exec", 78, "sm_90"));
  EXPECT_TRUE(legal("%current_graph_exec", 80, "sm_75"));
}

TEST(SpecialRegister, ForWhomTheValueIsTheSame) {
  auto has = [](std::string_view name, SpecialFlag flag) {
    return find_special_register(name)->has(flag);
  };
  EXPECT_TRUE(has("%tid", kVariesByLane));
  EXPECT_FALSE(has("%tid", kUniformInWarp));
  EXPECT_TRUE(has("%ctaid", kUniformInBlock));
  EXPECT_FALSE(has("%ctaid", kConstantInGrid));
  EXPECT_TRUE(has("%ntid", kConstantInGrid));
  EXPECT_TRUE(has("%warpid", kUniformInWarp));
  EXPECT_FALSE(has("%warpid", kUniformInBlock));
  EXPECT_TRUE(has("%clock64", kChangesOverTime));
  EXPECT_FALSE(has("%clock64", kUniformInWarp));
  for (const SpecialRegister& r : special_registers()) {
    // What holds for a wider group holds for the narrower one.
    if (r.has(kConstantInGrid)) {
      EXPECT_TRUE(r.has(kUniformInBlock)) << r.name;
    }
    if (r.has(kUniformInBlock)) {
      EXPECT_TRUE(r.has(kUniformInWarp)) << r.name;
    }
    EXPECT_FALSE(r.has(kVariesByLane) && r.has(kUniformInWarp)) << r.name;
  }
}

}  // namespace
}  // namespace pitot::ptx
