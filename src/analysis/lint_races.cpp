// Shared memory that threads read after others wrote it, or write after others read it, with
// nothing in between that makes them wait.
#include <algorithm>

#include "analysis/lint_context.h"

namespace pitot::analysis {
namespace {

// Work done for one function at most; findings are examples, not a census.
constexpr size_t kMaxAccesses = 128;
constexpr size_t kMaxPairs = 256;
constexpr int64_t kNowhere = INT64_MIN;  // the thread does not take part

bool synchronises(const ptx::Opcode& o) {
  return (o.effects & (ptx::kBarrier | ptx::kConvergent | ptx::kFence | ptx::kAtomic | ptx::kRed |
                       ptx::kCall | ptx::kVolatile)) != 0;
}

class RaceChecker {
 public:
  explicit RaceChecker(LintContext& c) : c_(c), lanes_(c.forms, c.flow, c.uniformity) {}

  void run() {
    collect();
    if (pairs_.empty()) return;
    evaluate();
    for (auto [first, second] : pairs_)
      if (conflict(first, second)) return;
  }

 private:
  struct Touch {
    uint32_t access = 0;
    bool known = true;
    std::vector<int64_t> at;  // by thread: offset from what the accesses of a pair have in common
  };

  bool usable(const MemoryRequest& a) const {
    return a.resolved == ptx::Space::kShared && a.address != kNone && a.bytes != 0 &&
           (a.kind == AccessKind::kLoad || a.kind == AccessKind::kStore) &&
           !c_.flow.instruction(a.instruction).opcode->has(ptx::kVolatile) &&
           !c_.forms.form(a.address).assumes_no_wrap;
  }

  // Pairs within one block without anything that synchronises in between, one of them a store.
  void collect() {
    const auto& all = c_.table.accesses;
    std::vector<uint32_t> interval;  // into touches_
    uint32_t scanned = 0;
    BlockId block = kNone;
    for (uint32_t n = 0; n < all.size() && touches_.size() < kMaxAccesses; ++n) {
      const MemoryRequest& a = all[n];
      BlockId b = c_.flow.cfg.block_of[a.instruction];
      bool apart = b != block;
      for (uint32_t i = scanned; !apart && i < a.instruction; ++i)
        apart = synchronises(*c_.flow.instruction(i).opcode);
      if (apart) interval.clear();
      block = b;
      scanned = a.instruction + 1;
      if (!usable(a)) continue;
      bool paired = false;
      for (uint32_t earlier : interval) {
        if (pairs_.size() >= kMaxPairs || !may_conflict(all[touches_[earlier].access], a)) continue;
        pairs_.emplace_back(earlier, static_cast<uint32_t>(touches_.size()));
        paired = true;
      }
      if (!paired && interval.size() >= kMaxAccesses / 2) continue;
      interval.push_back(static_cast<uint32_t>(touches_.size()));
      touches_.push_back({n, true, {}});
    }
  }

  bool may_conflict(const MemoryRequest& x, const MemoryRequest& y) const {
    if (!x.writes() && !y.writes()) return false;
    if (x.level != Scope::kVarying && y.level != Scope::kVarying && x.writes() && y.writes())
      return false;
    if (same_for_all(x) || same_for_all(y)) return false;
    // What of the two forms is not pure has to cancel for their distance to be known.
    auto s = c_.forms.terms(x.address), t = c_.forms.terms(y.address);
    size_t i = 0, j = 0;
    auto skip_pure = [&](std::span<const Term> terms, size_t& k) {
      while (k < terms.size()) {
        auto atoms = c_.forms.monomial(terms[k].monomial).span();
        if (!std::all_of(atoms.begin(), atoms.end(),
                         [&](AtomId a) { return c_.forms.atom(a).pure; }))
          return;
        ++k;
      }
    };
    for (;;) {
      skip_pure(s, i);
      skip_pure(t, j);
      if (i == s.size() || j == t.size()) return i == s.size() && j == t.size();
      if (!(s[i] == t[j]) || !same_in_all_warps(s[i])) return false;
      ++i;
      ++j;
    }
  }

  // A store by which every thread writes one value to one place: whoever reads it reads that value.
  bool same_for_all(const MemoryRequest& a) const {
    if (!a.writes() || a.level > Scope::kCta) return false;
    return c_.uniformity.operand(c_.flow, a.instruction, 1).level() <= Scope::kCta;
  }

  bool same_in_all_warps(const Term& t) const {
    for (AtomId id : c_.forms.monomial(t.monomial).span()) {
      const Atom& a = c_.forms.atom(id);
      // Threads at the same turn of a loop race whether or not their warps get there together.
      if (!a.pure && a.level > Scope::kCta && a.kind != AtomKind::kLoopCounter) return false;
    }
    return true;
  }

  void evaluate() {
    std::vector<uint8_t> paired(touches_.size(), 0);
    for (auto [first, second] : pairs_) paired[first] = paired[second] = 1;
    const size_t threads = size_t{c_.shape.warps()} * 32;
    for (size_t n = 0; n < touches_.size(); ++n)
      if (paired[n] != 0) touches_[n].at.assign(threads, kNowhere);
    for (uint32_t warp = 0; warp < c_.shape.warps(); ++warp) {
      lanes_.set_warp(c_.shape, warp);
      active_.build(c_.flow, c_.uniformity, c_.forms, lanes_);
      for (size_t n = 0; n < touches_.size(); ++n)
        if (paired[n] != 0 && touches_[n].known) touches_[n].known = evaluate(touches_[n], warp);
    }
  }

  bool evaluate(Touch& touch, uint32_t warp) {
    const MemoryRequest& a = c_.table.accesses[touch.access];
    ActiveLanes::Executing who =
        active_.at(c_.flow, c_.uniformity, c_.forms, lanes_, a.instruction);
    if (who.may == 0) return true;
    if (!who.exact) return false;
    LaneAddresses l = lanes_.addresses(a.address, 64, c_.flow.cfg.block_of[a.instruction]);
    if (!l.known || !l.one_row) return false;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if ((who.may >> lane & 1) != 0) touch.at[warp * 32 + lane] = l.offset[lane];
    return true;
  }

  // Whether threads of different warps touch the same bytes; lanes of one warp are left to their
  // convergence.
  bool conflict(uint32_t first, uint32_t second) {
    const Touch &x = touches_[first], &y = touches_[second];
    if (!x.known || !y.known) return false;
    const MemoryRequest &a = c_.table.accesses[x.access], &b = c_.table.accesses[y.access];
    std::vector<std::pair<int64_t, uint32_t>> earlier;
    for (uint32_t t = 0; t < x.at.size(); ++t)
      if (x.at[t] != kNowhere) earlier.emplace_back(x.at[t], t);
    if (!std::is_sorted(earlier.begin(), earlier.end())) std::sort(earlier.begin(), earlier.end());
    for (uint32_t t = 0; t < y.at.size(); ++t) {
      if (y.at[t] == kNowhere) continue;
      auto it =
          std::lower_bound(earlier.begin(), earlier.end(), std::pair(y.at[t] - a.bytes + 1, 0u));
      for (; it != earlier.end() && it->first < y.at[t] + b.bytes; ++it) {
        if (it->second / 32 == t / 32) continue;
        report(a, b, it->second, t);
        return true;
      }
    }
    return false;
  }

  void report(const MemoryRequest& x, const MemoryRequest& y, uint32_t first, uint32_t second) {
    auto op = [&](const MemoryRequest& a) {
      return "'" + std::string(c_.flow.instruction(a.instruction).opcode->text) + "'";
    };
    bool write_first = x.writes();
    std::string what =
        write_first ? (y.writes() ? "writes what " : "reads what ") : "overwrites what ";
    c_.report(Severity::kWarning, "shared-race", c_.operand(y.instruction, y.operand).range,
              op(y) + " in thread " + std::to_string(second) + " " + what + op(x) + " at line " +
                  std::to_string(c_.line(c_.flow.instruction(x.instruction).range)) +
                  (write_first ? " writes in thread " : " reads in thread ") +
                  std::to_string(first) + " of another warp, " + c_.shape_text() +
                  ", and no barrier orders the two",
              "put bar.sync between them");
  }

  LintContext& c_;
  LaneEvaluator lanes_;
  ActiveLanes active_;
  std::vector<Touch> touches_;
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;  // into touches_
};

}  // namespace

void lint_races(LintContext& c) {
  if (c.shape.warps() < 2) return;
  RaceChecker(c).run();
}

}  // namespace pitot::analysis
