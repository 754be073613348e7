// Directives and pragmas: names, places, requirements.
#include "ptx/directive.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pitot::ptx {
namespace {

bool legal(std::string_view name, uint16_t ptx, std::string_view target) {
  const DirectiveInfo* d = find_directive(name);
  return d != nullptr && satisfies(d->need, ptx, target_from_name(target)) &&
         (d->removed == 0 || ptx < d->removed);
}

TEST(Directive, EveryNameFindsItselfWithAndWithoutItsDot) {
  std::set<std::string_view> names;
  for (const DirectiveInfo& d : directives()) {
    EXPECT_EQ(find_directive(d.name), &d) << d.name;
    EXPECT_EQ(find_directive("." + std::string(d.name)), &d) << d.name;
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_LE(d.min_numbers, d.max_numbers) << d.name;
  }
}

TEST(Directive, OtherNamesAreNone) {
  for (std::string_view name :
       {"", ".", "..maxntid", ".maxntidx", ".maxnti", ".language", ".MAXNTID", ".u32", ".sync"})
    EXPECT_EQ(find_directive(name), nullptr) << name;
}

TEST(Directive, Places) {
  EXPECT_TRUE(find_directive(".maxntid")->may_stand(kAtEntry));
  EXPECT_FALSE(find_directive(".maxntid")->may_stand(kAtFunc));
  EXPECT_TRUE(find_directive(".noreturn")->may_stand(kAtFunc));
  EXPECT_TRUE(find_directive(".noreturn")->may_stand(kAtPrototype));
  EXPECT_FALSE(find_directive(".noreturn")->may_stand(kAtEntry));
  EXPECT_TRUE(find_directive(".local_maxnreg")->may_stand(kAtFunc));
  EXPECT_TRUE(find_directive(".pragma")->may_stand(kAtBody));
  EXPECT_FALSE(find_directive(".pragma")->may_stand(kAtFunc));
  EXPECT_TRUE(find_directive(".loc")->may_stand(kAtBody));
  EXPECT_FALSE(find_directive(".loc")->may_stand(kAtModule));
  EXPECT_FALSE(find_directive(".file")->may_stand(kAtBody));
  EXPECT_FALSE(find_directive(".common")->may_stand(kBeforeFunction));
  EXPECT_TRUE(find_directive(".ptr")->may_stand(kAtParameter));
  EXPECT_TRUE(find_directive(".unified")->may_stand(kInAttribute));
}

TEST(Directive, Requirements) {
  EXPECT_TRUE(legal(".maxntid", 63, "sm_75"));
  EXPECT_FALSE(legal(".maxnctapersm", 63, "sm_75"));
  EXPECT_TRUE(legal(".maxnctapersm", 20, "sm_20"));
  EXPECT_FALSE(legal(".explicitcluster", 90, "sm_89"));
  EXPECT_TRUE(legal(".explicitcluster", 78, "sm_90"));
  EXPECT_FALSE(legal(".blocksareclusters", 88, "sm_90"));
  EXPECT_TRUE(legal(".blocksareclusters", 90, "sm_90a"));
  EXPECT_FALSE(legal(".noreturn", 63, "sm_75"));
  EXPECT_TRUE(legal(".noreturn", 64, "sm_75"));
  EXPECT_FALSE(legal(".abi_preserve", 90, "sm_75"));
  EXPECT_TRUE(legal(".abi_preserve", 90, "sm_80"));
  EXPECT_FALSE(legal(".local_maxnreg", 87, "sm_80"));
  EXPECT_FALSE(legal(".unified", 78, "sm_90"));
  EXPECT_TRUE(legal(".unified", 80, "sm_90"));
  EXPECT_FALSE(legal(".tex", 63, "sm_75"));
}

TEST(Directive, Numbers) {
  EXPECT_EQ(find_directive(".maxntid")->max_numbers, 3);
  EXPECT_EQ(find_directive(".maxnreg")->max_numbers, 1);
  EXPECT_EQ(find_directive(".explicitcluster")->max_numbers, 0);
}

TEST(Pragma, KeywordsAndArguments) {
  ASSERT_NE(find_pragma("nounroll"), nullptr);
  EXPECT_EQ(find_pragma("nounroll")->need.ptx, 20);
  EXPECT_EQ(find_pragma("nounroll 2"), nullptr);
  EXPECT_EQ(find_pragma("unroll"), nullptr);
  EXPECT_EQ(find_pragma(""), nullptr);
  ASSERT_NE(find_pragma("used_bytes_mask 0xff"), nullptr);
  EXPECT_EQ(find_pragma("used_bytes_mask 0xff")->need.ptx, 83);
  EXPECT_FALSE(find_pragma("frequency 10")->places & kAtEntry);
  EXPECT_TRUE(find_pragma("frequency 10")->places & kAtBody);
}

}  // namespace
}  // namespace pitot::ptx
