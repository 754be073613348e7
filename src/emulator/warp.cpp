// The scheduler of a warp's fragments: which runs, where they part and where they meet.
#include "emulator/warp.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/block.h"
#include "emulator/defined_bits.h"
#include "emulator/gang.h"
#include "emulator/memory.h"
#include "emulator/observer.h"
#include "emulator/race_check.h"

namespace pitot::emulator {
namespace {

// Warp instructions that a fragment may run while others could, before the longest-waiting one gets
// its turn: lanes that spin on what their neighbours do must not starve them.
constexpr uint64_t kPatience = 4096;
constexpr uint64_t kLocalLimit = 512 << 10;  // bytes of local memory a thread, as on the hardware

}  // namespace

Warp::Warp(Block& b, uint32_t i, LaneMask lanes)
    : block(b), index(i), program_(b.program()), live_(lanes), born_(lanes) {
  Fragment f;
  f.lanes = lanes;
  const FunctionCode& code = block.kernel();
  f.pc = code.first;
  f.frame = make_frame(code, nullptr, 0, 0);
  fragments_.push_back(std::move(f));
}

uint64_t Warp::get(const Slot& slot, unsigned lane) const {
  if (slot.bits == 1) {
    const LaneMask m = *reinterpret_cast<const LaneMask*>(regs + slot.at);
    return ((m >> lane) & 1) != (slot.negated ? 1u : 0u);
  }
  if (slot.bits <= 32) return reinterpret_cast<const uint32_t*>(regs + slot.at)[lane];
  return reinterpret_cast<const uint64_t*>(regs + slot.at)[lane];
}

void Warp::set(const Slot& slot, unsigned lane, uint64_t value) {
  if (slot.bits == 1) {
    LaneMask& m = *reinterpret_cast<LaneMask*>(regs + slot.at);
    m = (m & ~(LaneMask{1} << lane)) | (static_cast<LaneMask>(value & 1) << lane);
  } else if (slot.bits <= 32) {
    const uint32_t keep = slot.bits == 32 ? UINT32_MAX : (uint32_t{1} << slot.bits) - 1;
    reinterpret_cast<uint32_t*>(regs + slot.at)[lane] = static_cast<uint32_t>(value) & keep;
  } else {
    reinterpret_cast<uint64_t*>(regs + slot.at)[lane] = value;
  }
}

void Warp::fault(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address,
                 std::string message) {
  block.report(make_fault(kind, op, lanes, address, std::move(message)));
  stop = true;
}

void Warp::note(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address,
                std::string message) {
  Fault f = make_fault(kind, op, lanes, address, std::move(message));
  f.block = block.index();
  block.gang().state.note(std::move(f));
}

Fault Warp::make_fault(FaultKind kind, const Op& op, LaneMask lanes, uint64_t address,
                       std::string message) const {
  Fault f;
  f.kind = kind;
  f.line = program().line(op);
  f.lanes = lanes;
  f.address = address;
  f.message = std::move(message);
  if (lanes != 0) f.thread = block.thread_of(index, static_cast<unsigned>(std::countr_zero(lanes)));
  return f;
}

std::byte* Warp::local(unsigned lane, uint64_t offset, uint64_t bytes) {
  if (offset > kLocalLimit || bytes > kLocalLimit - offset) return nullptr;
  if (local_.empty()) {
    local_.resize(kLanes);
    if (block.checks().uninitialised) local_defined_.resize(kLanes);
  }
  auto& memory = local_[lane];
  if (memory.size() < offset + bytes) {
    memory.resize(
        std::min<uint64_t>(kLocalLimit, std::max<uint64_t>(offset + bytes, 2 * memory.size())));
    if (!local_defined_.empty()) local_defined_[lane].resize(memory.size() / 64 + 1);
  }
  return memory.data() + offset;
}

void Warp::forget_local(LaneMask lanes, uint64_t from, uint64_t to) {
  if (local_defined_.empty()) return;
  for_each_lane(lanes, [&](unsigned lane) {
    const uint64_t end = std::min<uint64_t>(to, local_[lane].size());
    if (from < end) mark_defined(local_defined_[lane].data(), from, end - from, false);
  });
}

std::shared_ptr<Frame> Warp::make_frame(const FunctionCode& code, std::shared_ptr<Frame> parent,
                                        uint32_t call, uint32_t local_base) {
  auto f = std::make_shared<Frame>();
  f->code = &code;
  f->storage = std::make_unique<std::byte[]>(code.frame_bytes + 64);
  const auto raw = reinterpret_cast<uintptr_t>(f->storage.get());
  f->registers = f->storage.get() + ((raw + 63) / 64 * 64 - raw);
  f->undefined.assign(code.register_count, kAllLanes);
  f->depth = parent ? parent->depth + 1 : 0;
  f->parent = std::move(parent);
  f->call = call;
  f->local_base = local_base;
  f->local_top = local_base + code.local_bytes;
  for (const Constant& c : code.constants) {
    uint64_t v = c.low;
    if (c.base == Constant::Base::kShared) v += block.shared_base();
    if (c.base == Constant::Base::kFrame) v += local_base;
    std::byte* at = f->registers + c.at;
    if (c.bits == 1) {
      *reinterpret_cast<LaneMask*>(at) = v != 0 ? kAllLanes : 0;
    } else if (c.bits <= 32) {
      std::fill_n(reinterpret_cast<uint32_t*>(at), kLanes, static_cast<uint32_t>(v));
    } else {
      std::fill_n(reinterpret_cast<uint64_t*>(at), kLanes, v);
      if (c.bits > 64) std::fill_n(reinterpret_cast<uint64_t*>(at) + kLanes, kLanes, c.high);
    }
  }
  fill_specials(*f);
  return f;
}

void Warp::fill_specials(Frame& f) {
  for (const SpecialPlace& s : f.code->specials) {
    const bool varies = Block::differs_by_lane(s.index);
    uint64_t v = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (lane == 0 || varies) v = block.special(s.index, s.component, index, lane);
      std::byte* at = f.registers + s.at;
      if (s.bits == 1) {
        *reinterpret_cast<LaneMask*>(at) = v != 0 ? kAllLanes : 0;
      } else if (s.bits <= 32) {
        reinterpret_cast<uint32_t*>(at)[lane] = static_cast<uint32_t>(v);
      } else {
        reinterpret_cast<uint64_t*>(at)[lane] = v;
      }
    }
  }
}

// Joins what stands at the same place, then chooses. fragments_.size() when nothing is ready.
size_t Warp::pick() {
  for (size_t i = 0; i < fragments_.size(); ++i) {
    if (fragments_[i].state != FragmentState::kReady) continue;
    for (size_t j = fragments_.size() - 1; j > i; --j) {
      const Fragment& o = fragments_[j];
      if (o.state != FragmentState::kReady || o.pc != fragments_[i].pc ||
          o.frame != fragments_[i].frame)
        continue;
      fragments_[i].lanes |= o.lanes;
      fragments_[i].last_run = std::min(fragments_[i].last_run, o.last_run);
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  const auto& ops = program().ops;
  size_t best = fragments_.size(), oldest = best;
  for (size_t i = 0; i < fragments_.size(); ++i) {
    const Fragment& f = fragments_[i];
    if (f.state != FragmentState::kReady) continue;
    auto key = [&](const Fragment& x) {
      return std::pair(-static_cast<int>(x.frame->depth), ops[x.pc].order);
    };
    if (best == fragments_.size() || key(f) < key(fragments_[best])) best = i;
    if (oldest == fragments_.size() || f.last_run < fragments_[oldest].last_run) oldest = i;
  }
  if (best < fragments_.size() && clock_ - fragments_[oldest].last_run > kPatience) best = oldest;
  return best;
}

WarpStatus Warp::run(uint64_t quantum) {
  const auto& ops = program().ops;
  const bool track = block.checks().uninitialised;
  Follower* const follower = block.gang().state.options.follower;
  Counters& counters = block.counters();
  uint8_t* const executed = block.executed();
  Observer* const observer = block.observer();
  for (Fragment& f : fragments_)
    if (f.state == FragmentState::kWait) f.state = FragmentState::kReady;
  while (!stop) {
    if (fragments_.empty()) return WarpStatus::kFinished;
    const size_t chosen = pick();
    if (chosen == fragments_.size()) {
      if (!block.settle(*this)) return stop ? WarpStatus::kStopped : WarpStatus::kBlocked;
      continue;
    }
    uint64_t turn = clock_;
    {
      Fragment& f = fragments_[chosen];
      frame = f.frame.get();
      regs = frame->registers;
      active_ = f.lanes;
      pc = f.pc;
    }
    const bool alone = fragments_.size() == 1;
    bool going = true;
    while (going) {
      const Op& op = ops[pc];
      if (op.leader && !alone && turn != clock_) break;  // others may stand here, or go first
      if (quantum == 0 || clock_ - turn > (alone ? UINT64_MAX : kPatience)) break;
      LaneMask mask = active_;
      if (op.guard != 0) {
        const LaneMask p = predicate(op.guard);
        mask &= op.guard_negated ? ~p : p;
        if (track && (frame->undefined[op.guard_reg] & active_) != 0 &&
            !block.undefined_guard(*this, op, frame->undefined[op.guard_reg] & active_))
          break;
      }
      --quantum;
      ++clock_;
      ++counters.warp_instructions;
      counters.thread_instructions +=
          mask == kAllLanes ? kLanes : static_cast<uint64_t>(std::popcount(mask));
      executed[pc] |= 1;
      if (observer != nullptr) observer->issued(*this, op, mask);
      if (op.flow == Flow::kPlain) {
        if (mask != 0) {
          if (track && op.choice != Choice::kNone) block.choose(*this, op);
          if (follower != nullptr) follower->before(*this, op, mask);
          op.run(*this, op, mask);
          if (track) block.track(*this, op, mask);
          if (follower != nullptr) follower->after(*this, op, mask);
        }
        ++pc;
        going = !stop;
        continue;
      }
      going = step(chosen, op, mask);
      if (going) continue;
      turn = UINT64_MAX;  // `step` stored what became of the fragment
      break;
    }
    if (turn != UINT64_MAX || stop) {
      Fragment& f = fragments_[chosen < fragments_.size() ? chosen : 0];
      if (turn != UINT64_MAX) f.pc = pc;
      f.last_run = clock_;
    }
    if (quantum == 0 && !stop) return WarpStatus::kQuantum;
  }
  return WarpStatus::kStopped;
}

// An operation that is more than its handler. True when the fragment simply goes on at `pc`.
bool Warp::step(size_t chosen, const Op& op, LaneMask mask) {
  Fragment& f = fragments_[chosen];
  f.pc = pc;
  f.last_run = clock_;
  switch (op.flow) {
    case Flow::kBranch: {
      uint8_t& seen = block.executed()[pc];
      if (mask != 0) seen |= 2;
      if (mask != active_) seen |= 4;
      if (mask == active_) {
        pc = op.target;
        return true;
      }
      ++pc;
      if (mask == 0) return true;
      f.pc = pc;
      f.lanes &= ~mask;
      Fragment taken = f;
      taken.lanes = mask;
      taken.pc = op.target;
      fragments_.push_back(std::move(taken));
      return false;
    }
    case Flow::kTable:
      return table(chosen, op, mask);
    case Flow::kCall:
      return call(chosen, op, mask);
    case Flow::kReturn:
      if (mask == 0) {
        ++pc;
        return true;
      }
      leave(chosen, mask);
      return false;
    case Flow::kExit:
      if (mask == 0) {
        ++pc;
        return true;
      }
      exit(chosen, mask);
      return false;
    case Flow::kTrap:
      if (mask == 0) {
        ++pc;
        return true;
      }
      fault(FaultKind::kTrap, op, mask, 0, "the kernel stopped itself");
      return false;
    case Flow::kUnknown:
      if (mask == 0) {
        ++pc;
        return true;
      }
      fault(FaultKind::kUncovered, op, mask, 0,
            fmt::format("the emulator has no '{}'", program().instruction(op).opcode->text));
      return false;
    case Flow::kWait:
      if (mask == 0) {
        ++pc;
        return true;
      }
      again = false;
      op.run(*this, op, mask);
      if (stop) return false;
      if (!again) {
        if (block.checks().uninitialised) block.track(*this, op, mask);
        ++pc;
        return true;
      }
      if (Observer* o = block.observer()) o->put_back(*this, op, mask);
      f.state = FragmentState::kWait;
      return false;
    case Flow::kConvergent:
    case Flow::kBarrier:
    case Flow::kCluster: {
      if (mask == 0) {
        ++pc;
        return true;
      }
      if (mask != active_) {  // lanes that the guard leaves out go on
        f.lanes &= ~mask;
        ++f.pc;
        Fragment waiting = f;
        waiting.lanes = mask;
        waiting.pc = pc;
        fragments_.push_back(std::move(waiting));
        chosen = fragments_.size() - 1;
      }
      Fragment& w = fragments_[chosen];
      if (op.flow == Flow::kConvergent) {
        if (gathered(op, w)) {
          Follower* const follower = block.gang().state.options.follower;
          if (block.order != nullptr) block.gang().races->meet(*this, op, w.lanes, false);
          if (follower != nullptr) follower->before(*this, op, w.lanes);
          op.run(*this, op, w.lanes);
          if (stop) return false;
          if (follower != nullptr) follower->after(*this, op, w.lanes);
          if (block.order != nullptr) block.gang().races->meet(*this, op, w.lanes, true);
          if (block.checks().uninitialised) block.track(*this, op, w.lanes);
          fragments_[chosen].pc = pc + 1;
          return false;
        }
        if (Observer* o = block.observer()) o->put_back(*this, op, mask);
        w.state = FragmentState::kConverge;
        return false;
      }
      w.state = op.flow == Flow::kBarrier ? FragmentState::kBarrier : FragmentState::kCluster;
      w.arrived = false;
      return false;
    }
    case Flow::kPlain:
      break;
  }
  return true;
}

// Whether every lane that the operation names and that is still there is in the fragment.
bool Warp::gathered(const Op& op, const Fragment& f) {
  const LaneMask named = named_lanes(op, f);
  return (named & live_ & ~f.lanes) == 0;
}

// The union of the member masks of the fragment's lanes.
LaneMask Warp::named_lanes(const Op& op, const Fragment& f) const {
  if (op.variant == kNoMemberMask) return f.lanes;
  if (op.variant == kWholeWarp) return live_ | f.lanes;
  const Slot& s = program().slots[op.first_slot + op.variant];
  const auto* masks = reinterpret_cast<const uint32_t*>(f.frame->registers + s.at);
  LaneMask named = 0;
  for_each_lane(f.lanes, [&](unsigned lane) { named |= masks[lane]; });
  return named;
}

// Nothing is ready: joins fragments that wait for each other at one convergent operation. True when
// some became ready.
bool Warp::join_waiting() {
  bool moved = false;
  for (size_t i = 0; i < fragments_.size(); ++i) {
    if (fragments_[i].state != FragmentState::kConverge) continue;
    for (size_t j = fragments_.size() - 1; j > i; --j) {
      Fragment& o = fragments_[j];
      if (o.state != FragmentState::kConverge || o.pc != fragments_[i].pc ||
          o.frame != fragments_[i].frame)
        continue;
      fragments_[i].lanes |= o.lanes;
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
    }
    Fragment& f = fragments_[i];
    if (!gathered(program().ops[f.pc], f)) continue;
    f.state = FragmentState::kReady;
    moved = true;
  }
  return moved;
}

// Where a jump or call goes must not come from nowhere.
bool Warp::index_defined(const Op& op, const Slot& s, LaneMask mask) {
  if (!block.checks().uninitialised || s.reg == UINT32_MAX) return true;
  const LaneMask bad = frame->undefined[s.reg] & mask;
  if (bad == 0) return true;
  fault(FaultKind::kUninitialised, op, bad, 0,
        "where it goes comes from a value that nothing wrote");
  return false;
}

bool Warp::table(size_t chosen, const Op& op, LaneMask mask) {
  if (mask == 0) {
    ++pc;
    return true;
  }
  Fragment base = fragments_[chosen];
  const Slot& index_slot = program().slots[op.first_slot];
  if (!index_defined(op, index_slot, mask)) return false;
  std::vector<std::pair<uint32_t, LaneMask>> groups;
  LaneMask bad = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const uint64_t v = get(index_slot, lane);
    if (v >= static_cast<uint64_t>(op.imm) || program().targets[op.target + v] == UINT32_MAX) {
      bad |= LaneMask{1} << lane;
      return;
    }
    const uint32_t to = program().targets[op.target + v];
    auto it = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.first == to; });
    if (it == groups.end()) it = groups.insert(it, {to, 0});
    it->second |= LaneMask{1} << lane;
  });
  if (bad != 0) {
    fault(FaultKind::kIllegal, op, bad, 0,
          fmt::format("brx.idx with an index outside its table of {}", op.imm));
    return false;
  }
  if (mask != active_) groups.emplace_back(pc + 1, active_ & ~mask);
  for (size_t g = 0; g < groups.size(); ++g) {
    Fragment part = base;
    part.pc = groups[g].first;
    part.lanes = groups[g].second;
    if (g == 0) {
      fragments_[chosen] = std::move(part);
    } else {
      fragments_.push_back(std::move(part));
    }
  }
  return false;
}

void Warp::exit(size_t chosen, LaneMask mask) {
  live_ &= ~mask;
  Fragment& f = fragments_[chosen];
  f.lanes &= ~mask;
  ++f.pc;
  if (f.lanes == 0) fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(chosen));
}

std::string Warp::where() const {
  std::string out;
  for (const Fragment& f : fragments_) {
    if (!out.empty()) out += "; ";
    out += fmt::format("{} of {} lanes of warp {} at line {}", std::popcount(f.lanes),
                       std::popcount(born_), index, program().line(program().ops[f.pc]));
  }
  return out;
}

}  // namespace pitot::emulator
