// Programs and the actions between them: what a search walks over. Worked out from texts (Space),
// or recorded before.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/observation.h"
#include "search/search.h"

namespace pitot::search {

struct Text {
  std::string ptx;
  Hash128 bytes;    // of the text
  Hash128 program;  // of its canonical form
};
using TextPtr = std::shared_ptr<const Text>;

// A text and the sequence that led there.
struct State {
  TextPtr text;
  std::vector<transform::Action> sequence;
  ActionSet blocked = 0;  // what may not follow the sequence
  uint64_t ways = 1;      // sequences that it stands for
};

// States that are looked ahead of at a time.
inline constexpr size_t kLookAhead = 64;

class ProgramGraph {
 public:
  virtual ~ProgramGraph() = default;
  virtual Result<State> original() = 0;
  // Works out beforehand, on all threads, what the functions below will be asked: moves() of these
  // states, and with `steps` also every step from them. Nothing but speed depends on it.
  virtual Status look_ahead(std::span<const State> states, bool steps = true);
  using Step = std::pair<const State*, transform::Action>;
  virtual Status look_ahead(std::span<const Step> steps);
  // The actions that may follow and change the text, in the catalogue's order.
  virtual Result<std::vector<transform::Action>> moves(const State& from) = 0;
  // Nothing where the program stays the same.
  virtual std::optional<State> step(const State& from, transform::Action action) = 0;
  // What a policy sees of the program, without mask and history.
  virtual Result<std::vector<float>> features(const State& from, PolicyKind kind) = 0;
  // step() for all of moves().
  virtual Result<std::vector<State>> expand(const State& from);
};

// `from` with one more action, which led to this text.
State followed(const State& from, TextPtr to, transform::Action action);
// What may not follow this action: itself, and the others of its group where that is exclusive.
ActionSet blocked_by(transform::Action action);

std::vector<std::string> names_of(std::span<const transform::Action> sequence);

}  // namespace pitot::search
