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
#include "search/search.h"

namespace pitot::search {

struct Text {
  std::string ptx;
  Hash128 bytes;    // of the text
  Hash128 program;  // of its canonical form
};
using TextPtr = std::shared_ptr<const Text>;

// States that are looked ahead of at a time.
inline constexpr size_t kLookAhead = 64;

using ActionSet = uint64_t;  // bits by Action
static_assert(transform::kActions <= 64);
inline ActionSet bit(transform::Action a) { return ActionSet{1} << static_cast<unsigned>(a); }

// A text and the sequence that led there.
struct State {
  TextPtr text;
  std::vector<transform::Action> sequence;
  ActionSet blocked = 0;  // what may not follow the sequence
  uint64_t ways = 1;      // sequences that it stands for
};

class Space {
 public:
  // Of the options: allowed actions, threads, and the bytes of texts that are kept; beyond them all
  // is forgotten and worked out again.
  Space(const Kernel& kernel, const SearchOptions& options);

  Result<State> original();
  // Works out beforehand, on all threads, what the functions below will be asked: moves() of these
  // states, and with `steps` also every step from them. Nothing but speed depends on it.
  Status look_ahead(std::span<const State> states, bool steps = true);
  using Step = std::pair<const State*, transform::Action>;
  Status look_ahead(std::span<const Step> steps);
  // The actions that may follow and change the text, in the catalogue's order.
  Result<std::vector<transform::Action>> moves(const State& from);
  // Nothing where the program stays the same, or the transform fails (see faults()).
  std::optional<State> step(const State& from, transform::Action action);
  // step() for all of moves().
  Result<std::vector<State>> expand(const State& from);

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

std::vector<std::string> names_of(std::span<const transform::Action> sequence);

}  // namespace pitot::search
