// What is known of predicates at a point: which are certainly true or false there because of guards
// and branches that lead to it, with what follows through not/and/or, d|q pairs and equal compares.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

// A predicate value with its polarity, reduced to the value that it copies, negates or repeats.
struct Literal {
  ValueId value = kNone;
  bool truth = true;
  bool operator==(const Literal&) const = default;
};

class PredicateFacts {
 public:
  explicit PredicateFacts(const FlowFacts& facts) : facts_(facts) {}

  // A set of literals that hold at one point. `contradiction`: the point cannot be reached.
  struct Set {
    std::vector<Literal> literals;
    bool contradiction = false;
    enum class Answer : uint8_t { kTrue, kFalse, kUnknown };
    Answer ask(Literal l) const;
  };

  // Adds a literal and what it implies.
  void assume(Set& set, Literal literal);
  // The guard of a guarded instruction as a literal that holds where the instruction takes effect.
  Literal guard(uint32_t instruction);
  // Adds what the branches say that every path to the block's start takes, nearest first, at most
  // `limit` of them.
  void assume_path_to(Set& set, BlockId block, unsigned limit = 64);
  // Adds what taking the edge says, and the path to its source.
  void assume_edge(Set& set, BlockId from, BlockId to);
  // Going back over the start of `block` into `from`: literals about values that come to be inside
  // the block's loops no longer speak of the same moment and are dropped; phis of the block become
  // their operand.
  Set before_phi(const Set& set, BlockId block, BlockId from);

 private:
  Literal reduce(Literal literal);
  Literal reduce_once(Literal literal);
  Literal repeated_compare(uint32_t instruction, Literal literal);
  void edge_literal(Set& set, BlockId from, BlockId to);

  const FlowFacts& facts_;
  std::unordered_map<ValueId, Literal> reduced_;
  std::unordered_map<uint64_t, std::vector<ValueId>> compares_;  // hash → first of its kind
};

}  // namespace pitot::analysis
