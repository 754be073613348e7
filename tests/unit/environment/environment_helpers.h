// Tables that are known beforehand: made up, and recorded from a kernel.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "environment/record_kernel.h"
#include "environment/table_environment.h"
#include "search/program_graph.h"
#include "search/search.h"
#include "support/file.h"

namespace pitot::environment {

using search::ActionSet;
using search::PolicyKind;
using testing::HasSubstr;
using transform::Action;

// Programs are the sets of these actions that may stand together; the cost is a function of the
// set. `mark` is in every feature, so that kernels can be told apart.
inline RecordedKernel toy_kernel(const std::string& name, const std::vector<Action>& actions,
                                 const std::function<search::CostValue(ActionSet)>& cost,
                                 float mark = 0) {
  std::vector<ActionSet> sets{0};
  auto allowed = [](ActionSet set, Action next) {
    for (const auto& a : transform::actions())
      if ((set & search::bit(a.action)) != 0 && !transform::can_follow(a.action, next))
        return false;
    return true;
  };
  for (size_t k = 0; k < sets.size(); ++k)
    for (Action a : actions) {
      const ActionSet to = sets[k] | search::bit(a);
      if (allowed(sets[k], a) && std::find(sets.begin(), sets.end(), to) == sets.end())
        sets.push_back(to);
    }
  RecordedKernel out;
  out.name = name;
  for (ActionSet set : sets) {
    RecordedProgram p;
    p.hash = hash_bytes(name + std::to_string(set));
    p.value = cost(set);
    p.to.fill(kNowhere);
    p.features.fill(mark);
    for (size_t k = 0; k < 20; ++k) p.features[k] += static_cast<float>(set >> k & 1) / 4;
    for (Action a : actions) {
      if (!p.value.ok() || !allowed(set, a)) continue;
      const auto to = std::find(sets.begin(), sets.end(), set | search::bit(a));
      p.to[static_cast<size_t>(a)] = static_cast<uint32_t>(to - sets.begin());
    }
    out.programs.push_back(std::move(p));
  }
  set_levels(out);
  return out;
}

inline bool in(ActionSet set, Action a) { return (set & search::bit(a)) != 0; }

inline const std::vector<Action> kToyActions = {Action::kVecLd, Action::kVecSt, Action::kMaxnreg64,
                                                Action::kMaxnreg128, Action::kReorderCp};

// Two actions are bad alone and good together; one is good by itself.
inline search::CostValue toy_cost(ActionSet set) {
  double cost = 100;
  if (in(set, Action::kVecLd)) cost *= 0.9;
  const int both = in(set, Action::kVecSt) + in(set, Action::kMaxnreg64);
  if (both == 1) cost *= 1.1;
  if (both == 2) cost *= 0.6;
  if (in(set, Action::kReorderCp)) cost *= 1.2;
  if (in(set, Action::kMaxnreg128)) return {0, 0, "it cannot be launched"};
  return {cost, 0.1, ""};
}

inline RecordedTable toy_table(size_t kernels = 2) {
  RecordedTable out;
  out.tool = "test";
  out.cost = "toy";
  out.kind = PolicyKind::kPublished;
  for (size_t k = 0; k < kernels; ++k)
    out.kernels.push_back(
        toy_kernel("k" + std::to_string(k), kToyActions, toy_cost, static_cast<float>(k) / 10));
  return out;
}

inline search::Kernel saxpy() {
  search::Kernel k;
  k.path = "cuda/saxpy/saxpy.sm90.ptx";
  auto text = read_file(PITOT_SOURCE_DIR "/kernels/" + k.path);
  EXPECT_TRUE(text.ok());
  k.text = *text;
  k.name = "saxpy";
  k.assumptions.distinct_buffers = true;
  return k;
}

// Some cost for every program, the same always; a tenth of them fail.
class ScatteredCost : public search::Cost {
 public:
  Result<std::vector<search::CostValue>> evaluate(
      std::span<const std::string_view> texts) override {
    std::vector<search::CostValue> out;
    for (std::string_view t : texts) {
      const uint64_t h = search::program_hash({"k.ptx", std::string(t), "saxpy", {}}).low;
      const bool original = t.find(".maxnreg") == t.npos && t == saxpy().text;
      out.push_back(!original && h % 10 == 0
                        ? search::CostValue{0, 0, "no"}
                        : search::CostValue{50 + static_cast<double>(h % 1000) / 10, 0.2, ""});
    }
    return out;
  }
};

// The log of an exhaustive search of saxpy.
inline std::string exhaustive_log(search::Cost& cost, uint32_t steps, uint64_t budget = 1000000) {
  search::SearchOptions options;
  options.method = search::Method::kExhaustive;
  options.max_steps = steps;
  options.budget = budget;
  std::string log = search::log_head({search::program_hash(saxpy()), "scattered, seed 1"});
  const auto r = search::search(saxpy(), options, cost, {},
                                [&](const search::Evaluation& e) { log += search::log_line(e); });
  EXPECT_TRUE(r.ok());
  return log;
}

inline search::History values_of(const std::string& log) {
  auto out = search::read_log(log, {search::program_hash(saxpy()), ""});
  EXPECT_TRUE(out.ok());
  return *out;
}

inline RecordedKernel recorded_saxpy(const std::string& log, uint32_t steps,
                                     PolicyKind kind = PolicyKind::kWide) {
  const auto values = values_of(log);
  auto out = record_kernel("saxpy", saxpy(), values, kind, steps);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out ? *out : RecordedKernel{};
}

}  // namespace pitot::environment
