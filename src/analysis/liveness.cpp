#include "analysis/liveness.h"

#include <algorithm>
#include <array>

namespace pitot::analysis {

namespace {

// A guard value of a block with its polarity: 2 × an instruction that has this guard, + 1 if
// negated.
using PackedLiteral = uint32_t;

// Under which outcomes of the guards a register is needed, going backwards through a block: any of
// some conjunctions. Beyond the fixed room it turns into "always", which errs on the live side.
class Need {
 public:
  explicit Need(bool all) : count_(all ? 1 : 0) { cubes_[0].size = 0; }
  bool any() const { return count_ > 0; }

  void read_always() {
    count_ = 1;
    cubes_[0].size = 0;
  }
  void read_under(PackedLiteral l) {
    Cube c;
    c.size = 1;
    c.literals[0] = l;
    add(c);
  }
  void written_always() { count_ = 0; }
  void written_under(PackedLiteral l) {
    size_t kept = 0;
    for (size_t k = 0; k < count_; ++k) {
      Cube c = cubes_[k];
      if (c.has(l)) continue;
      if (!c.has(l ^ 1) && c.size < c.literals.size()) c.literals[c.size++] = l ^ 1;
      cubes_[kept++] = c;
    }
    count_ = kept;
  }

 private:
  struct Cube {
    size_t size;
    std::array<PackedLiteral, 4> literals;
    bool has(PackedLiteral l) const {
      return std::find(literals.begin(), literals.begin() + size, l) != literals.begin() + size;
    }
    bool implies(const Cube& weaker) const {
      return std::all_of(weaker.literals.begin(), weaker.literals.begin() + weaker.size,
                         [&](PackedLiteral l) { return has(l); });
    }
  };

  void add(const Cube& c) {
    for (size_t k = 0; k < count_; ++k)
      if (c.implies(cubes_[k])) return;
    // Needed whether a guard holds or not.
    if (c.size == 1)
      for (size_t k = 0; k < count_; ++k)
        if (cubes_[k].size == 1 && cubes_[k].literals[0] == (c.literals[0] ^ 1))
          return read_always();
    if (count_ == cubes_.size()) return read_always();
    cubes_[count_++] = c;
  }

  size_t count_;
  std::array<Cube, 6> cubes_;
};

class LivenessBuilder {
 public:
  LivenessBuilder(const ptx::Module& m, const ptx::Function& f, const Accesses& accesses,
                  const Cfg& cfg, Workspace& ws, Liveness& out)
      : body_(m.body(f)),
        f_(f),
        accesses_(accesses),
        cfg_(cfg),
        out_(out),
        same_guard_(ws.borrow(body_.size(), 0)),
        live_(ws.borrow(cfg.size(), kNone)),
        stop_(ws.borrow(cfg.size(), kNone)),
        written_(ws.borrow(cfg.size(), kNone)),
        found_(ws.borrow()),
        work_(ws.borrow()),
        reached_(ws.borrow()),
        is_parameter_(ws.borrow(register_slots(f), 0)) {
    for (RegId r : f.register_parameters) is_parameter_[r] = 1;
    number_guards(ws);
  }

  void run(size_t limit) {
    const uint32_t slots = register_slots(f_);
    out_.starts.assign(accesses_.items.size(), 0);
    out_.register_first.assign(1, 0);
    out_.register_blocks.clear();
    out_.unwritten_first.assign(1, 0);
    out_.unwritten_blocks.clear();
    out_.complete = true;
    for (RegId r = 0; r < slots; ++r) {
      if (out_.complete) solve(r);
      if (out_.register_blocks.size() + out_.unwritten_blocks.size() > limit) give_up();
      out_.register_first.push_back(static_cast<uint32_t>(out_.register_blocks.size()));
      out_.unwritten_first.push_back(static_cast<uint32_t>(out_.unwritten_blocks.size()));
    }
    // By block; registers come out ascending because they are taken in order.
    out_.first.assign(cfg_.size() + 1, 0);
    for (BlockId b : out_.register_blocks) ++out_.first[b + 1];
    for (size_t b = 1; b < out_.first.size(); ++b) out_.first[b] += out_.first[b - 1];
    out_.live_in_items.resize(out_.register_blocks.size());
    for (RegId r = 0; r < slots; ++r)
      for (BlockId b : out_.live_blocks(r)) out_.live_in_items[out_.first[b]++] = r;
    std::copy_backward(out_.first.begin(), out_.first.end() - 1, out_.first.end());
    out_.first[0] = 0;
  }

 private:
  void give_up() {
    out_.complete = false;
    std::vector<BlockId>().swap(out_.register_blocks);
    std::vector<BlockId>().swap(out_.unwritten_blocks);
    std::fill(out_.register_first.begin(), out_.register_first.end(), 0);
    std::fill(out_.unwritten_first.begin(), out_.unwritten_first.end(), 0);
  }

  // same_guard_[i]: the first instruction of the block with the same guard value as i's.
  void number_guards(Workspace& ws) {
    auto last = ws.borrow(register_slots(f_), kNone);  // predicate → same_guard_ of its last use
    for (uint32_t i = 0; i < body_.size(); ++i) {
      const RegId g = body_[i].guard;
      if (g != kNoId) {
        if (last[g] == kNone || last[g] < cfg_.blocks[cfg_.block_of[i]].first) last[g] = i;
        same_guard_[i] = last[g];
      }
      for (const RegAccess& a : accesses_.of(i))
        if (a.write) last[a.reg] = kNone;
    }
  }

  PackedLiteral guard_of(uint32_t i) const {
    return same_guard_[i] * 2 + (body_[i].guard_negated ? 1 : 0);
  }

  // Backwards over one block's accesses of a register; true if it is needed at the block's start.
  bool scan(std::span<const uint32_t> group, bool live_out) {
    Need need(live_out);
    for (size_t k = group.size(); k-- > 0;) {
      const RegAccess& a = accesses_.items[group[k]];
      const uint32_t i = accesses_.instruction_of[group[k]];
      if (!a.write) {
        if (body_[i].guard == kNoId || a.role == Role::kGuard)
          need.read_always();
        else
          need.read_under(guard_of(i));
        continue;
      }
      if (a.kills())
        need.written_always();
      else if (!a.partial)
        need.written_under(guard_of(i));
      out_.starts[group[k]] = need.any() ? 0 : 1;
    }
    return need.any();
  }

  // Calls visit(block, group of access items) for each reachable block that names the register.
  template <class Visit>
  void for_each_group(RegId r, Visit&& visit) {
    const auto items = accesses_.of_register(r);
    for (size_t k = 0; k < items.size();) {
      const BlockId b = cfg_.block_of[accesses_.instruction_of[items[k]]];
      const uint32_t end = cfg_.blocks[b].last;
      size_t e = k + 1;
      while (e < items.size() && accesses_.instruction_of[items[e]] < end) ++e;
      if (cfg_.blocks[b].reachable) visit(b, items.subspan(k, e - k));
      k = e;
    }
  }

  void solve(RegId r) {
    found_->clear();
    bool may_stop = false;
    for_each_group(r, [&](BlockId b, std::span<const uint32_t> group) {
      const bool exposed = scan(group, false);
      if (exposed) add_live(b, r);
      bool writes = false;
      for (uint32_t k : group) writes |= accesses_.items[k].write;
      if (!writes) return;
      written_[b] = r;
      may_stop |= !exposed;
    });
    if (found_->empty()) return;
    // A block stops the walk when the register, live at its end, is not needed at its start.
    if (may_stop)
      for_each_group(r, [&](BlockId b, std::span<const uint32_t> group) {
        if (live_[b] != r && written_[b] == r && !scan(group, true)) stop_[b] = r;
      });
    for (size_t k = 0; k < found_->size(); ++k)
      for (BlockId p : cfg_.predecessors(found_[k]))
        if (cfg_.blocks[p].reachable && live_[p] != r && stop_[p] != r) add_live(p, r);

    const bool from_entry = live_[0] == r && is_parameter_[r] == 0;
    if (from_entry) {
      keep_written(r);
    } else {
      out_.register_blocks.insert(out_.register_blocks.end(), found_->begin(), found_->end());
    }
    // What a block's writes start depends on whether the register is live at its end.
    for_each_group(r, [&](BlockId b, std::span<const uint32_t> group) {
      bool live_out = false;
      for (BlockId s : cfg_.successors(b)) live_out |= live_[s] == r;
      if (live_out || written_[b] == r) scan(group, live_out);
      if (!from_entry || reached_[b] == r) return;
      for (uint32_t k : group) {
        if (!accesses_.items[k].write) continue;
        out_.starts[k] = 1;
        break;
      }
    });
  }

  void add_live(BlockId b, RegId r) {
    live_[b] = r;
    found_->push_back(b);
  }

  // Splits the live blocks into those that a write reaches and the others.
  void keep_written(RegId r) {
    if (reached_->size() < cfg_.size()) reached_->assign(cfg_.size(), kNone);
    work_->clear();
    auto reach = [&](BlockId from) {
      for (BlockId s : cfg_.successors(from)) {
        if (live_[s] != r || reached_[s] == r) continue;
        reached_[s] = r;
        work_->push_back(s);
      }
    };
    for_each_group(r, [&](BlockId b, std::span<const uint32_t>) {
      if (written_[b] == r) reach(b);
    });
    for (size_t k = 0; k < work_->size(); ++k) reach(work_[k]);
    for (BlockId b : *found_)
      (reached_[b] == r ? out_.register_blocks : out_.unwritten_blocks).push_back(b);
  }

  std::span<const ptx::Instruction> body_;
  const ptx::Function& f_;
  const Accesses& accesses_;
  const Cfg& cfg_;
  Liveness& out_;
  Workspace::Loan same_guard_;
  // Stamps: the register for which a block was last found live in, stopping, written.
  Workspace::Loan live_, stop_, written_;
  Workspace::Loan found_, work_, reached_, is_parameter_;
};

}  // namespace

void Liveness::build(const ptx::Module& m, const ptx::Function& f, const Accesses& accesses,
                     const Cfg& cfg, Workspace& ws, size_t limit) {
  LivenessBuilder(m, f, accesses, cfg, ws, *this).run(limit);
}

bool Liveness::is_live_in(BlockId b, RegId r) const {
  const auto regs = live_in(b);
  return std::binary_search(regs.begin(), regs.end(), r);
}

void Liveness::live_out(const Cfg& cfg, BlockId b, std::vector<RegId>& out) const {
  out.clear();
  const auto successors = cfg.successors(b);
  for (BlockId s : successors) {
    const auto regs = live_in(s);
    out.insert(out.end(), regs.begin(), regs.end());
  }
  if (successors.size() < 2) return;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace pitot::analysis
