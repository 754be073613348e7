// The programs that sequences of transforms lead to. Which actions lead on from a text, and where
// to, is worked out once, for many texts on many threads, and kept while there is room.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ptx/module.h"
#include "search/program_graph.h"

namespace pitot::search {

class Space final : public ProgramGraph {
 public:
  // Of the options: allowed actions, threads, and the bytes of texts that are kept; beyond them all
  // is forgotten and worked out again.
  Space(const Kernel& kernel, const SearchOptions& options);

  Result<State> original() override;
  Status look_ahead(std::span<const State> states, bool steps = true) override;
  Status look_ahead(std::span<const Step> steps) override;
  Result<std::vector<transform::Action>> moves(const State& from) override;
  // Nothing also where the transform fails (see faults()).
  std::optional<State> step(const State& from, transform::Action action) override;
  Result<std::vector<State>> expand(const State& from) override;
  // Parses the text again.
  Result<std::vector<float>> features(const State& from, PolicyKind kind) override;

  std::vector<ActionUse> uses() const;
  const std::vector<TransformFault>& faults() const { return faults_; }

 private:
  struct Known {
    bool masked = false;
    ActionSet available = 0;
    std::array<TextPtr, transform::kActions> to;  // null: no other program
    ActionSet worked_out = 0;                     // of `to`
    std::map<transform::Action, std::string> faults;
  };
  // A text with its module, for as long as it is worked on.
  struct Parsed {
    TextPtr text;
    std::optional<ptx::Module> module;
    uint32_t function = 0;
    ActionSet available = 0;  // where it was asked for
    std::string problem;
  };
  struct Outcome {
    TextPtr to;
    std::string fault;
  };
  void parse(Parsed& p, bool with_mask) const;
  Outcome work_out(const Parsed& from, transform::Action action) const;
  // All that is not known yet of these texts and actions.
  Status work_out(const std::vector<std::pair<TextPtr, ActionSet>>& wanted, bool with_masks,
                  bool steps);
  void note(const Text& text, transform::Action action, bool differs);

  const Kernel& kernel_;
  unsigned workers_ = 1;
  ActionSet allowed_ = 0;
  std::map<Hash128, Known> known_;
  size_t keep_bytes_ = 0, kept_bytes_ = 0;
  std::set<std::pair<Hash128, transform::Action>> noted_;
  std::array<ActionUse, transform::kActions> uses_;
  std::vector<TransformFault> faults_;
};

}  // namespace pitot::search
