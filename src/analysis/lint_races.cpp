// Shared memory that threads read after others wrote it, or write after others read it, with
// nothing in between that makes them wait.
#include <algorithm>

#include "analysis/lint_context.h"

namespace pitot::analysis {
namespace {

// Pairs of accesses compared in one function at most; findings are examples, not a census.
constexpr size_t kMaxPairs = 4096;

bool synchronises(const ptx::Opcode& o) {
  return (o.effects & (ptx::kBarrier | ptx::kConvergent | ptx::kFence | ptx::kAtomic | ptx::kRed |
                       ptx::kCall | ptx::kVolatile)) != 0;
}

struct Touch {
  uint32_t access = 0;
  // Per thread of the block: byte offset, or kNowhere for threads that do not take part.
  std::vector<int64_t> at;
};
constexpr int64_t kNowhere = INT64_MIN;

class Checker {
 public:
  explicit Checker(LintContext& c) : c_(c), lanes_(c.forms, c.flow, c.uniformity) {}

  void run() {
    const auto& all = c_.table.accesses;
    std::vector<uint32_t> interval;
    uint32_t previous = kNone;
    for (uint32_t n = 0; n < all.size(); ++n) {
      if (!usable(all[n])) continue;
      if (previous != kNone && separated(all[previous].instruction, all[n].instruction))
        interval.clear();
      for (uint32_t earlier : interval)
        if (pairs_ < kMaxPairs && conflict(all[earlier], all[n])) return;
      interval.push_back(n);
      previous = n;
    }
  }

 private:
  bool usable(const MemoryRequest& a) const {
    return a.resolved == ptx::Space::kShared && a.address != kNone && a.bytes != 0 &&
           (a.kind == AccessKind::kLoad || a.kind == AccessKind::kStore) &&
           !c_.flow.instruction(a.instruction).opcode->has(ptx::kVolatile) &&
           !c_.forms.form(a.address).assumes_no_wrap;
  }

  // Not in one block, or something between them synchronises.
  bool separated(uint32_t first, uint32_t second) const {
    if (c_.flow.cfg.block_of[first] != c_.flow.cfg.block_of[second]) return true;
    for (uint32_t i = first + 1; i < second; ++i)
      if (synchronises(*c_.flow.instruction(i).opcode)) return true;
    return false;
  }

  // What of the two forms is not pure cancels, so their distance is known.
  bool comparable(FormId x, FormId y) const {
    auto unknown = [&](FormId f) {
      std::vector<Term> out;
      for (const Term& t : c_.forms.terms(f))
        for (AtomId a : c_.forms.monomial(t.monomial).span())
          if (!c_.forms.atom(a).pure) {
            out.push_back(t);
            break;
          }
      return out;
    };
    return unknown(x) == unknown(y);
  }

  bool conflict(const MemoryRequest& x, const MemoryRequest& y) {
    if (!x.writes() && !y.writes()) return false;
    if (x.level != Scope::kVarying && y.level != Scope::kVarying && x.kind == y.kind) return false;
    if (!comparable(x.address, y.address)) return false;
    ++pairs_;
    Touch first, second;
    if (!touch(x, first) || !touch(y, second)) return false;
    struct Byte {
      int64_t at;
      uint32_t thread;
    };
    std::vector<Byte> earlier;
    for (uint32_t t = 0; t < first.at.size(); ++t)
      if (first.at[t] != kNowhere) earlier.push_back({first.at[t], t});
    std::sort(earlier.begin(), earlier.end(), [](const Byte& a, const Byte& b) {
      return std::pair(a.at, a.thread) < std::pair(b.at, b.thread);
    });
    for (uint32_t t = 0; t < second.at.size(); ++t) {
      if (second.at[t] == kNowhere) continue;
      int64_t from = second.at[t] - x.bytes + 1, to = second.at[t] + y.bytes;
      auto it = std::lower_bound(earlier.begin(), earlier.end(), from,
                                 [](const Byte& b, int64_t v) { return b.at < v; });
      for (; it != earlier.end() && it->at < to; ++it) {
        if (it->thread / 32 == t / 32) continue;  // lanes of a warp: left to their convergence
        report(x, y, it->thread, t);
        return true;
      }
    }
    return false;
  }

  bool touch(const MemoryRequest& a, Touch& out) {
    out.at.assign(size_t{c_.shape.warps()} * 32, kNowhere);
    BlockId b = c_.flow.cfg.block_of[a.instruction];
    for (uint32_t warp = 0; warp < c_.shape.warps(); ++warp) {
      lanes_.set_warp(c_.shape, warp);
      active_.build(c_.flow, c_.uniformity, c_.forms, lanes_);
      ActiveLanes::Executing who =
          active_.at(c_.flow, c_.uniformity, c_.forms, lanes_, a.instruction);
      if (who.may == 0) continue;
      if (!who.exact) return false;
      LaneAddresses l = lanes_.addresses(a.address, 64, b);
      if (!l.known || !l.one_row) return false;
      for (uint32_t lane = 0; lane < 32; ++lane)
        if ((who.may >> lane & 1) != 0) out.at[warp * 32 + lane] = l.offset[lane];
    }
    return true;
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
  size_t pairs_ = 0;
};

}  // namespace

void lint_races(LintContext& c) {
  if (c.shape.warps() < 2) return;
  Checker(c).run();
}

}  // namespace pitot::analysis
