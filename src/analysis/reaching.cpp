#include "analysis/reaching.h"

#include <algorithm>

namespace pitot::analysis {

namespace {

// Takes one register at a time: places phis on the iterated dominance frontier of its writes where
// the register is live, then ties reads to values in dominator-tree preorder of the blocks
// concerned.
class ReachingBuilder {
 public:
  ReachingBuilder(const ptx::Function& f, const Accesses& accesses, const Cfg& cfg,
                  const DominatorTree& dom, const BlockLists& frontiers, const Liveness& live,
                  Workspace& ws, DefUse& out)
      : f_(f),
        accesses_(accesses),
        cfg_(cfg),
        dom_(dom),
        frontiers_(frontiers),
        live_(live),
        out_(out),
        live_mark_(ws.borrow(cfg.size(), kNone)),
        unwritten_mark_(ws.borrow(cfg.size(), kNone)),
        phi_mark_(ws.borrow(cfg.size(), kNone)),
        involved_mark_(ws.borrow(cfg.size(), kNone)),
        phi_of_(ws.borrow(cfg.size(), kNone)),
        end_value_(ws.borrow(cfg.size(), kNone)),
        group_first_(ws.borrow(cfg.size(), 0)),
        group_last_(ws.borrow(cfg.size(), 0)),
        involved_(ws.borrow()),
        phis_(ws.borrow()),
        stack_(ws.borrow()),
        is_parameter_(ws.borrow(register_slots(f), 0)) {
    for (RegId r : f.register_parameters) is_parameter_[r] = 1;
  }

  void run() {
    out_.values.clear();
    out_.phi_operands.clear();
    out_.value_of.assign(accesses_.items.size(), kNone);
    if (cfg_.size() == 0) {
      out_.use_first.assign(1, 0);
      out_.use_items.clear();
      return;
    }
    for (RegId r = 0; r < register_slots(f_); ++r) solve(r);
    list_uses();
  }

 private:
  ValueId add(Value v) {
    out_.values.push_back(v);
    return static_cast<ValueId>(out_.values.size() - 1);
  }

  ValueId entry_value(RegId r) {
    if (entry_ == kNone) {
      const bool given = is_parameter_[r] != 0;
      entry_ = add({given ? ValueKind::kParameter : ValueKind::kUndefined, r, kNone, kNone});
    }
    return entry_;
  }

  void involve(BlockId b, RegId r) {
    if (involved_mark_[b] == r) return;
    involved_mark_[b] = r;
    group_first_[b] = group_last_[b] = 0;
    involved_->push_back(b);
  }

  void solve(RegId r) {
    const auto items = accesses_.of_register(r);
    if (items.empty()) return;
    entry_ = kNone;
    involved_->clear();
    phis_->clear();
    const auto live = live_.live_blocks(r);
    const auto unwritten = live_.unwritten(r);
    for (BlockId b : live) live_mark_[b] = r;
    for (BlockId b : unwritten) unwritten_mark_[b] = r;

    for (size_t k = 0; k < items.size();) {
      const BlockId b = cfg_.block_of[accesses_.instruction_of[items[k]]];
      size_t e = k;
      bool writes = false;
      while (e < items.size() && accesses_.instruction_of[items[e]] < cfg_.blocks[b].last)
        writes |= accesses_.items[items[e++]].write;
      if (cfg_.blocks[b].reachable) {
        involve(b, r);
        group_first_[b] = static_cast<uint32_t>(k);
        group_last_[b] = static_cast<uint32_t>(e);
        if (writes && !live.empty()) place_phis(b, r);
      }
      k = e;
    }
    // A phi is itself a definition; phis_ grows while this runs.
    for (size_t k = 0; k < phis_->size(); ++k) place_phis(phis_[k], r);
    for (BlockId b : *phis_)
      for (BlockId p : cfg_.predecessors(b))
        if (cfg_.blocks[p].reachable) involve(p, r);
    for (BlockId b : *phis_) involve(b, r);
    if (involved_->size() > 1)
      std::sort(involved_->begin(), involved_->end(),
                [&](BlockId a, BlockId b) { return dom_.enter[a] < dom_.enter[b]; });

    // Phis first, so that values exist for back edges; operands when all ends are known.
    for (BlockId b : *phis_) {
      phi_of_[b] = add({ValueKind::kPhi, r, b, static_cast<uint32_t>(out_.phi_operands.size())});
      out_.phi_operands.resize(
          out_.phi_operands.size() + cfg_.predecessors(b).size() + (b == 0 ? 1 : 0), kNone);
    }
    stack_->clear();
    for (BlockId b : *involved_) rename(b, r, items);
    for (BlockId b : *phis_) {
      uint32_t at = out_.values[phi_of_[b]].from;
      for (BlockId p : cfg_.predecessors(b)) {
        // Where the register is not live at the end of a predecessor, nothing was written.
        if (cfg_.blocks[p].reachable)
          out_.phi_operands[at] = end_value_[p] == kNone ? entry_value(r) : end_value_[p];
        ++at;
      }
      if (b == 0) out_.phi_operands[at] = entry_value(r);
    }
  }

  void place_phis(BlockId b, RegId r) {
    for (BlockId join : frontiers_.of(b)) {
      if (live_mark_[join] != r || phi_mark_[join] == r) continue;
      phi_mark_[join] = r;
      phis_->push_back(join);
    }
  }

  void rename(BlockId b, RegId r, std::span<const uint32_t> items) {
    while (!stack_->empty() && !dom_.dominates(stack_->back(), b)) stack_->pop_back();
    ValueId current = kNone;
    if (phi_mark_[b] == r) {
      current = phi_of_[b];
    } else if (unwritten_mark_[b] == r) {
      current = entry_value(r);
    } else if (live_mark_[b] == r) {
      current = stack_->empty() ? entry_value(r) : end_value_[stack_->back()];
    }
    for (uint32_t k = group_first_[b]; k < group_last_[b]; ++k) {
      const uint32_t item = items[k];
      const RegAccess& a = accesses_.items[item];
      if (a.write) {
        current = add({ValueKind::kWrite, r, item, a.kills() ? kNone : current});
      } else if (current == kNone) {
        current = entry_value(r);
      }
      out_.value_of[item] = current;
    }
    end_value_[b] = current;
    stack_->push_back(b);
  }

  void list_uses() {
    out_.use_first.assign(out_.values.size() + 1, 0);
    uint32_t total = 0;
    for (size_t k = 0; k < accesses_.items.size(); ++k) {
      if (accesses_.items[k].write || out_.value_of[k] == kNone) continue;
      ++out_.use_first[out_.value_of[k] + 1];
      ++total;
    }
    for (size_t v = 1; v < out_.use_first.size(); ++v) out_.use_first[v] += out_.use_first[v - 1];
    out_.use_items.resize(total);
    for (uint32_t k = 0; k < accesses_.items.size(); ++k) {
      if (accesses_.items[k].write || out_.value_of[k] == kNone) continue;
      out_.use_items[out_.use_first[out_.value_of[k]]++] = k;
    }
    std::copy_backward(out_.use_first.begin(), out_.use_first.end() - 1, out_.use_first.end());
    out_.use_first[0] = 0;
  }

  const ptx::Function& f_;
  const Accesses& accesses_;
  const Cfg& cfg_;
  const DominatorTree& dom_;
  const BlockLists& frontiers_;
  const Liveness& live_;
  DefUse& out_;
  // Stamps: the register for which a block was last marked.
  Workspace::Loan live_mark_, unwritten_mark_, phi_mark_, involved_mark_;
  Workspace::Loan phi_of_, end_value_;
  Workspace::Loan group_first_, group_last_;  // the block's accesses, into of_register()
  Workspace::Loan involved_, phis_, stack_, is_parameter_;
  ValueId entry_ = kNone;
};

}  // namespace

void DefUse::clear(const Accesses& accesses) {
  values.clear();
  phi_operands.clear();
  value_of.assign(accesses.items.size(), kNone);
  use_first.assign(1, 0);
  use_items.clear();
}

void DefUse::build(const ptx::Function& f, const Accesses& accesses, const Cfg& cfg,
                   const DominatorTree& dom, const BlockLists& frontiers, const Liveness& live,
                   Workspace& ws) {
  ReachingBuilder(f, accesses, cfg, dom, frontiers, live, ws, *this).run();
}

ValueId DefUse::value_read(const Accesses& a, uint32_t instruction, RegId reg) const {
  for (uint32_t k = a.first[instruction]; k < a.first[instruction + 1]; ++k)
    if (!a.items[k].write && a.items[k].reg == reg) return value_of[k];
  return kNone;
}

void DefUse::reaching_definitions(const Cfg& cfg, ValueId v, std::vector<ValueId>& out) const {
  out.clear();
  // `seen` is a vector: chains of values that meet are short, and this is not on a hot path.
  std::vector<ValueId> seen{v};
  auto push = [&](ValueId next) {
    if (next != kNone && std::find(seen.begin(), seen.end(), next) == seen.end())
      seen.push_back(next);
  };
  for (size_t k = 0; k < seen.size(); ++k) {
    const Value& value = values[seen[k]];
    if (value.kind == ValueKind::kPhi) {
      for (ValueId o : operands_of_phi(cfg, seen[k])) push(o);
      continue;
    }
    out.push_back(seen[k]);
    if (value.kind == ValueKind::kWrite) push(value.from);
  }
}

}  // namespace pitot::analysis
