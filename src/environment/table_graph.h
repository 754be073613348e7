// A recorded kernel as the searches see one: its programs, and their costs.
#pragma once

#include <vector>

#include "environment/table_environment.h"
#include "search/program_graph.h"

namespace pitot::environment {

// A program's text is its number in the kernel.
class TableGraph final : public search::ProgramGraph {
 public:
  // The kernel must outlive it.
  TableGraph(const RecordedKernel& kernel, const EpisodeRules& rules);

  Result<search::State> original() override;
  Result<std::vector<transform::Action>> moves(const search::State& from) override;
  std::optional<search::State> step(const search::State& from, transform::Action action) override;
  Result<std::vector<float>> features(const search::State& from, search::PolicyKind kind) override;

  static uint32_t program_of(const search::State& state);

 private:
  search::TextPtr text_of(uint32_t program);

  const RecordedKernel& kernel_;
  EpisodeRules rules_;
  std::vector<search::TextPtr> texts_;  // by program, made when first met
};

class TableCost final : public search::Cost {
 public:
  explicit TableCost(const RecordedKernel& kernel) : kernel_(kernel) {}
  // What was measured, with its noise: what a search would have met.
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view> texts) override;

 private:
  const RecordedKernel& kernel_;
};

}  // namespace pitot::environment
