// The programs that sequences of transforms lead to. Which actions lead on from a text, and where
// to, is worked out once and kept while there is room.
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
  // `keep_bytes`: of texts; beyond it all is forgotten and worked out again.
  Space(const Kernel& kernel, std::span<const transform::Action> allowed, size_t keep_bytes);

  Result<State> original();
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
  };
  Known& known(const Text& text);
  Result<const ptx::Module*> parsed(const Text& text);  // until the next call
  TextPtr work_out(const State& from, transform::Action action);
  void note(const Text& text, transform::Action action, bool differs);

  const Kernel& kernel_;
  ActionSet allowed_ = 0;
  std::map<Hash128, Known> known_;
  size_t keep_bytes_ = 0, kept_bytes_ = 0;
  std::optional<ptx::Module> module_;
  Hash128 module_text_;
  uint32_t function_ = 0;
  std::set<std::pair<Hash128, transform::Action>> noted_;
  std::array<ActionUse, transform::kActions> uses_;
  std::vector<TransformFault> faults_;
};

std::vector<std::string> names_of(std::span<const transform::Action> sequence);

}  // namespace pitot::search
