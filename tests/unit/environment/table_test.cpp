// Levels, rewards, episodes from a table, and the table's file.
#include "environment/table_file.h"
#include "environment_helpers.h"

namespace pitot::environment {
namespace {

RecordedKernel costs(const std::vector<search::CostValue>& values) {
  RecordedKernel out;
  for (const auto& v : values) {
    out.programs.emplace_back().value = v;
    out.programs.back().to.fill(kNowhere);
  }
  set_levels(out);
  return out;
}

TEST(Levels, WhatCannotBeToldApartIsOneNumber) {
  // From 90 ± 1: 91 and 91.9 touch it, 94 does not; its own level has 94 and 95.9.
  const RecordedKernel k =
      costs({{95.9, 1, ""}, {90, 1, ""}, {0, 0, "no"}, {91.9, 1, ""}, {94, 1, ""}, {91, 1, ""}});
  EXPECT_EQ(k.levels, 2u);
  EXPECT_EQ(k.programs[1].level, 91);
  EXPECT_EQ(k.programs[3].level, 91);
  EXPECT_EQ(k.programs[5].level, 91);
  EXPECT_DOUBLE_EQ(k.programs[0].level, 94.95);
  EXPECT_DOUBLE_EQ(k.programs[4].level, 94.95);
}

TEST(Reward, IsTheLogarithmOutsideTheDeadZone) {
  const RecordedKernel k = costs({{100, 0, ""},
                                  {50, 0, ""},
                                  {200, 0, ""},
                                  {99.1, 0, ""},
                                  {98.9, 0, ""},
                                  {0, 0, "it cannot be launched"}});
  EXPECT_EQ(reward_of(k, 0), 0);
  EXPECT_NEAR(reward_of(k, 1), std::log(2), 1e-12);
  EXPECT_NEAR(reward_of(k, 2), -std::log(2), 1e-12);
  EXPECT_EQ(reward_of(k, 3), 0);
  EXPECT_NEAR(reward_of(k, 4), 0.011061, 1e-6);
  EXPECT_EQ(reward_of(k, 5), 0);  // rolled back
}

TEST(TableEnvironment, AnEpisodeByHand) {
  const RecordedTable table = toy_table();
  TableEnvironment e(table, {PolicyKind::kPublished, 6, false});
  const auto first = e.reset(1, 0);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->input.size(), 67u);
  EXPECT_FLOAT_EQ(first->input[24], 0.1f);
  ActionSet open = 1u << 20;
  for (Action a : kToyActions) open |= search::bit(a);
  EXPECT_EQ(first->mask, open);
  const auto second = e.step(static_cast<size_t>(Action::kMaxnreg64));
  EXPECT_FALSE(second->done);
  EXPECT_EQ(second->reward, 0);
  // Of the registers' group nothing may follow.
  EXPECT_EQ(second->observation.mask & (15u << 10), 0u);
  EXPECT_EQ(second->observation.input[46 + 11], 1);
  EXPECT_FALSE(e.step(static_cast<size_t>(Action::kMaxnreg128)).ok());
  EXPECT_FALSE(e.step(static_cast<size_t>(Action::kMaxnreg64)).ok());
  EXPECT_FALSE(e.step(21).ok());
  ASSERT_TRUE(e.step(static_cast<size_t>(Action::kVecSt)).ok());
  const auto last = e.step(20);
  EXPECT_TRUE(last->done);
  EXPECT_NEAR(last->reward, -std::log(0.6), 1e-12);
  EXPECT_FALSE(e.step(20).ok());
  EXPECT_FALSE(e.reset(2, 0).ok());
}

TEST(TableEnvironment, TheLastStepEndsIt) {
  const RecordedTable table = toy_table();
  TableEnvironment e(table, {PolicyKind::kPublished, 1, false});
  ASSERT_TRUE(e.reset(0, 0).ok());
  const auto r = e.step(static_cast<size_t>(Action::kVecLd));
  EXPECT_TRUE(r->done);
  EXPECT_NEAR(r->reward, -std::log(0.9), 1e-12);
  EXPECT_EQ(r->observation.mask, 1u << 20);
}

TEST(TableEnvironment, WhatFailsIsRolledBackAndNotGoneOnFrom) {
  const RecordedTable table = toy_table();
  TableEnvironment e(table, {PolicyKind::kPublished, 6, false});
  ASSERT_TRUE(e.reset(0, 0).ok());
  const auto r = e.step(static_cast<size_t>(Action::kMaxnreg128));
  EXPECT_FALSE(r->done);
  EXPECT_EQ(r->observation.mask, 1u << 20);
  EXPECT_EQ(e.step(20)->reward, 0);
}

TEST(TableEnvironment, TheSeedDrawsTheKernel) {
  const RecordedTable table = toy_table(5);
  TableEnvironment e(table, {PolicyKind::kPublished, 6, false});
  std::set<float> met;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const float mark = e.reset({}, seed)->input[24];
    EXPECT_EQ(e.reset({}, seed)->input[24], mark);
    met.insert(mark);
  }
  EXPECT_EQ(met.size(), 5u);
}

TEST(TableEnvironment, ActionsToTheSameMachineCodeCanBeClosed) {
  RecordedTable table = toy_table(1);
  RecordedKernel& k = table.kernels[0];
  auto target = [&](Action a) { return k.programs[0].to[static_cast<size_t>(a)]; };
  k.programs[0].image = 7;
  k.programs[target(Action::kVecLd)].image = 7;
  k.programs[target(Action::kReorderCp)].image = 8;
  const EpisodeRules plain{PolicyKind::kPublished, 6, false},
      apart{PolicyKind::kPublished, 6, true};
  EXPECT_EQ(open_outputs(k, {}, plain) & ~open_outputs(k, {}, apart), search::bit(Action::kVecLd));
}

TEST(TableFile, IsReadBackWhole) {
  RecordedTable table = toy_table(3);
  table.kernels[1].programs[2].image = 4;
  table.kernels[1].unmeasured = 9;
  const std::string bytes = table_bytes(table);
  auto back = read_table(bytes, "t.table");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->hash, table.hash);
  EXPECT_EQ(back->cost, "toy");
  EXPECT_EQ(back->kernels[1].unmeasured, 9u);
  EXPECT_EQ(back->kernels[1].programs[2].image, 4u);
  for (size_t k = 0; k < 3; ++k)
    for (size_t p = 0; p < table.kernels[k].programs.size(); ++p) {
      EXPECT_EQ(back->kernels[k].programs[p].to, table.kernels[k].programs[p].to);
      EXPECT_EQ(back->kernels[k].programs[p].features, table.kernels[k].programs[p].features);
      EXPECT_EQ(back->kernels[k].programs[p].value.failure,
                table.kernels[k].programs[p].value.failure);
    }
  EXPECT_EQ(table_bytes(*back), bytes);
}

TEST(TableFile, AnotherSchemaOrChangedContentIsRefused) {
  RecordedTable table = toy_table();
  const std::string bytes = table_bytes(table);
  auto why = [](std::string_view b) {
    const auto r = read_table(b, "t.table");
    return r ? std::string() : r.error().message;
  };
  std::string other = bytes;
  other.replace(0, 13, "pitot.table/2");
  EXPECT_THAT(why(other), HasSubstr("t.table: not a recorded table"));
  EXPECT_THAT(why(""), HasSubstr("not a recorded table"));
  other = bytes;
  other[other.find("observation 1") + 12] = '7';
  EXPECT_THAT(why(other), HasSubstr("make it again from its logs"));
  for (size_t at = bytes.find('\n') + 1; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] + 1);
    EXPECT_THAT(why(changed), HasSubstr("cut off or was changed")) << at;
    EXPECT_NE(why(bytes.substr(0, at)), "") << at;
  }
}

// A hash that is right does not make sense of nonsense.
TEST(TableFile, WhatContradictsItselfIsRefused) {
  for (int kind = 0; kind < 4; ++kind) {
    RecordedTable table = toy_table();
    RecordedKernel& k = table.kernels[0];
    if (kind == 0) k.programs[1].to[0] = 1000000;
    if (kind == 1) k.programs[0].level = std::nan("");
    if (kind == 2) k.programs[0].value.failure = "no";
    if (kind == 3) k.programs.clear();
    EXPECT_FALSE(read_table(table_bytes(table), "t").ok()) << kind;
  }
  RecordedTable none;
  EXPECT_FALSE(read_table(table_bytes(none), "t").ok());
}

TEST(TableRules, AreHeldAgainstTheTable) {
  const RecordedTable table = toy_table();
  EXPECT_TRUE(fits(table, {PolicyKind::kPublished, 6, false}).ok());
  EXPECT_FALSE(fits(table, {PolicyKind::kPublished, 7, false}).ok());
  EXPECT_FALSE(fits(table, {PolicyKind::kWide, 6, false}).ok());
}

}  // namespace
}  // namespace pitot::environment
