// Block by block matching: candidates from order or from flow keys, then a proof.
#include "gate/program_match.h"

#include <algorithm>
#include <unordered_map>

#include "gate/flow_keys.h"
#include "gate/order_check.h"

namespace pitot::gate {

namespace {

// Blocks that correspond when both functions are walked from their entries along like edges.
struct BlockPairs {
  std::vector<IndexPair> pairs;
  bool moved = false;
};

// With `as_written`, a branch's target and fall-through correspond, whatever its guard says.
std::optional<BlockPairs> match_shapes(const Shape& a, const Shape& b, bool as_written) {
  if (!a.complete || !b.complete || a.roots.size() != b.roots.size()) return std::nullopt;
  BlockPairs out;
  Bijection blocks;
  std::vector<IndexPair> work;
  std::vector<bool> seen(a.blocks.size(), false);
  for (size_t r = a.roots.size(); r-- > 0;) work.emplace_back(a.roots[r], b.roots[r]);
  while (!work.empty()) {
    auto [x, y] = work.back();
    work.pop_back();
    if (!blocks.bind(x, y)) return std::nullopt;
    if (seen[x]) continue;
    seen[x] = true;
    const ShapeBlock& p = a.blocks[x];
    const ShapeBlock& q = b.blocks[y];
    if (p.two_way != q.two_way || (p.terminator == UINT32_MAX) != (q.terminator == UINT32_MAX) ||
        p.successors.size() != q.successors.size())
      return std::nullopt;
    out.pairs.emplace_back(x, y);
    for (size_t s = p.successors.size(); s-- > 0;) {
      const bool turned = as_written && p.two_way && p.negated != q.negated;
      uint32_t to_x = p.successors[s], to_y = q.successors[turned ? 1 - s : s];
      if ((to_x == kLeaves) != (to_y == kLeaves)) return std::nullopt;
      if (to_x != kLeaves) work.emplace_back(to_x, to_y);
    }
  }
  std::vector<IndexPair> layout = out.pairs;
  std::sort(layout.begin(), layout.end());
  for (size_t k = 1; k < layout.size(); ++k) out.moved |= layout[k].second < layout[k - 1].second;
  return out;
}

class Matcher {
 public:
  Matcher(const Side& a, const Side& b, const Bijection& symbols, const BlockPairs& blocks,
          bool polarity_resolved)
      : a_(a), b_(b), symbols_(symbols), blocks_(blocks), polarity_resolved_(polarity_resolved) {
    for (auto [x, y] : blocks.pairs) {
      append(a.shape.blocks[x], order_a_);
      append(b.shape.blocks[y], order_b_);
    }
  }

  bool sizes_match() const {
    for (auto [x, y] : blocks_.pairs)
      if (a_.shape.blocks[x].body.size() != b_.shape.blocks[y].body.size()) return false;
    return true;
  }

  std::optional<ProgramMatch> in_order(Tolerance t) { return prove(order_b_, t); }

  std::optional<ProgramMatch> by_keys(Tolerance t) {
    std::vector<uint64_t> ties_a, ties_b;
    // Each round is linear; large functions get fewer.
    const size_t rounds = std::clamp<size_t>(2'000'000 / (order_a_.size() + 1), 2, 24);
    for (size_t round = 0; round < rounds; ++round) {
      std::vector<uint64_t> keys_a = flow_keys(a_, order_a_, t, ties_a);
      std::vector<uint64_t> keys_b = flow_keys(b_, order_b_, t, ties_b);
      std::vector<uint32_t> partner;
      IndexPair tie{UINT32_MAX, 0};
      if (!pair_blocks(keys_a, keys_b, partner, tie)) return std::nullopt;
      if (auto match = prove(partner, t)) return match;
      if (tie.first == UINT32_MAX) return std::nullopt;
      // Like instructions may have been paired crosswise: fix one such pair and look again.
      ties_a.resize(a_.size(), 0);
      ties_b.resize(b_.size(), 0);
      ties_a[tie.first] = ties_b[tie.second] = round + 1;
    }
    return std::nullopt;
  }

  Bijection take_symbols() { return std::move(proved_symbols_); }

 private:
  static void append(const ShapeBlock& block, std::vector<uint32_t>& order) {
    order.insert(order.end(), block.body.begin(), block.body.end());
    if (block.terminator != UINT32_MAX) order.push_back(block.terminator);
  }

  // Partners of order_a_, block by block: equal keys, like ones in order of text, then of place.
  bool pair_blocks(const std::vector<uint64_t>& keys_a, const std::vector<uint64_t>& keys_b,
                   std::vector<uint32_t>& partner, IndexPair& tie) {
    partner.clear();
    partner.reserve(order_a_.size());
    Bijection registers;  // as the pairs so far would have it
    std::unordered_map<uint64_t, std::vector<uint32_t>> places;
    for (auto [x, y] : blocks_.pairs) {
      const ShapeBlock& p = a_.shape.blocks[x];
      const ShapeBlock& q = b_.shape.blocks[y];
      places.clear();
      for (size_t k = q.body.size(); k-- > 0;) places[keys_b[q.body[k]]].push_back(q.body[k]);
      for (uint32_t i : p.body) {
        auto it = places.find(keys_a[i]);
        if (it == places.end() || it->second.empty()) return false;
        std::vector<uint32_t>& candidates = it->second;
        size_t choice = candidates.size() - 1;
        if (candidates.size() > 1) {
          choice = best_of(i, candidates, registers);
          if (tie.first == UINT32_MAX) tie = {i, candidates[choice]};
        }
        bind_accesses(i, candidates[choice], registers);
        partner.push_back(candidates[choice]);
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(choice));
      }
      if (p.terminator != UINT32_MAX) partner.push_back(q.terminator);
    }
    return true;
  }

  // Among like instructions: one that reads and writes the partners of what `i` does, of these one
  // that is written the same, else the first.
  size_t best_of(uint32_t i, const std::vector<uint32_t>& candidates, const Bijection& registers) {
    constexpr size_t kLooked = 64;
    size_t best = candidates.size() - 1;
    int best_score = -1;
    size_t looked = 0;
    for (size_t c = candidates.size(); c-- > 0 && looked < kLooked; ++looked) {
      auto xs = a_.accesses.of(i), ys = b_.accesses.of(candidates[c]);
      bool consistent = xs.size() == ys.size();
      for (size_t k = 0; consistent && k < xs.size(); ++k)
        consistent = registers.allows(xs[k].reg, ys[k].reg);
      int score = consistent * 2 + (a_.text(i) == b_.text(candidates[c]));
      if (score <= best_score) continue;
      best_score = score;
      best = c;
      if (score == 3) break;
    }
    return best;
  }

  void bind_accesses(uint32_t i, uint32_t j, Bijection& registers) {
    auto xs = a_.accesses.of(i), ys = b_.accesses.of(j);
    if (xs.size() != ys.size()) return;
    for (size_t k = 0; k < xs.size(); ++k) registers.bind(xs[k].reg, ys[k].reg);
  }

  // Checks every pair under one bijection, and that the order is legal.
  std::optional<ProgramMatch> prove(const std::vector<uint32_t>& partner, Tolerance t) {
    if (partner.size() != order_a_.size()) return std::nullopt;
    ProgramMatch match;
    Bijection registers;
    Bijection symbols = symbols_;
    if (a_.f.register_parameters.size() != b_.f.register_parameters.size() ||
        a_.f.register_returns.size() != b_.f.register_returns.size())
      return std::nullopt;
    for (size_t k = 0; k < a_.f.register_parameters.size(); ++k)
      if (!registers.bind(a_.f.register_parameters[k], b_.f.register_parameters[k]))
        return std::nullopt;
    for (size_t k = 0; k < a_.f.register_returns.size(); ++k)
      if (!registers.bind(a_.f.register_returns[k], b_.f.register_returns[k])) return std::nullopt;
    OperandMatcher operands(a_, b_, registers, symbols);
    size_t at = 0;
    for (auto [x, y] : blocks_.pairs) {
      const ShapeBlock& p = a_.shape.blocks[x];
      const ShapeBlock& q = b_.shape.blocks[y];
      for (size_t k = 0; k < p.body.size(); ++k, ++at) {
        if (partner[at] != q.body[k]) match.permuted = true;
        if (!add(match, operands, t, false, partner[at], at)) return std::nullopt;
      }
      if (p.terminator == UINT32_MAX) continue;
      if (!add(match, operands, t, p.two_way && polarity_resolved_, partner[at], at))
        return std::nullopt;
      ++at;
    }
    registers.bind(analysis::carry_register(a_.f), analysis::carry_register(b_.f));
    if (match.permuted) {
      OrderChecker checker(a_, b_, registers);
      at = 0;
      for (auto [x, y] : blocks_.pairs) {
        size_t n =
            a_.shape.blocks[x].body.size() + (a_.shape.blocks[x].terminator == UINT32_MAX ? 0 : 1);
        std::span<const uint32_t> in_a = std::span(order_a_).subspan(at, n);
        std::span<const uint32_t> in_b = std::span(order_b_).subspan(at, n);
        if (!checker.legal(in_a, in_b, std::span(partner).subspan(at, n))) return std::nullopt;
        at += n;
      }
    }
    match.blocks_moved = blocks_.moved;
    proved_symbols_ = std::move(symbols);
    return match;
  }

  bool add(ProgramMatch& match, OperandMatcher& operands, Tolerance t, bool polarity_resolved,
           uint32_t other, size_t at) {
    PairDifference d;
    if (!operands.match(order_a_[at], other, t, polarity_resolved, d)) return false;
    match.pairs.emplace_back(order_a_[at], other);
    match.differences.push_back(d);
    match.any.constants |= d.constants;
    match.any.modifiers |= d.modifiers;
    match.any.register_class |= d.register_class;
    match.any.spelling |= d.spelling;
    match.any.swapped |= d.swapped;
    return true;
  }

  const Side& a_;
  const Side& b_;
  const Bijection& symbols_;
  const BlockPairs& blocks_;
  const bool polarity_resolved_;
  std::vector<uint32_t> order_a_, order_b_;
  Bijection proved_symbols_;
};

// A guard turned to its opposite and nothing else: seen as such before it is explained away as
// blocks that changed places together with their constants.
std::optional<ProgramMatch> match_turned_guards(const Side& a, const Side& b, Bijection& symbols) {
  std::optional<BlockPairs> blocks = match_shapes(a.shape, b.shape, true);
  if (!blocks || blocks->moved) return std::nullopt;
  Matcher matcher(a, b, symbols, *blocks, false);
  if (!matcher.sizes_match()) return std::nullopt;
  auto match = matcher.in_order(Tolerance{false, true});
  if (!match) return std::nullopt;
  for (const PairDifference& d : match->differences)
    if (d.modifiers && !d.negated) return std::nullopt;
  symbols = matcher.take_symbols();
  return match;
}

}  // namespace

std::optional<ProgramMatch> match_programs(const Side& a, const Side& b, Bijection& symbols) {
  std::optional<BlockPairs> blocks = match_shapes(a.shape, b.shape, false);
  if (!blocks) return match_turned_guards(a, b, symbols);
  Matcher matcher(a, b, symbols, *blocks, true);
  if (!matcher.sizes_match()) return match_turned_guards(a, b, symbols);
  for (Tolerance t : {Tolerance{false, false}, Tolerance{true, false}, Tolerance{true, true}}) {
    auto match = matcher.in_order(t);
    if (!match) match = matcher.by_keys(t);
    if (match) {
      symbols = matcher.take_symbols();
      return match;
    }
    if (!t.constants)
      if (auto turned = match_turned_guards(a, b, symbols)) return turned;
  }
  return std::nullopt;
}

}  // namespace pitot::gate
