// Turns of the warps, special registers, and the barriers of the block.
#include "emulator/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/copies.h"
#include "emulator/gang.h"
#include "emulator/mbarrier.h"
#include "emulator/race_check.h"
#include "ptx/special_register.h"

namespace pitot::emulator {
namespace {

// Shared memory of a block that the system keeps, from sm_80 on.
constexpr uint32_t kReservedShared = 1024;
constexpr uint64_t kWarpTurn = 20'000;  // warp instructions before the next warp runs
// The same while somebody looks: about as finely as the hardware mixes what warps do to caches.
constexpr uint64_t kObservedTurn = 32;

}  // namespace

Block::Block(Gang& gang, uint64_t linear, uint32_t rank)
    : gang_(gang),
      checks_(gang.state.options.checks),
      linear_(linear),
      rank_(rank),
      shared_base_(volume_of(gang.state.launch.cluster) > 1 ? uint64_t{rank} * kSharedStride : 0) {
  watched = gang.observer != nullptr;
  const Launch& l = gang.state.launch;
  index_ = {static_cast<uint32_t>(linear % l.grid[0]),
            static_cast<uint32_t>(linear / l.grid[0] % l.grid[1]),
            static_cast<uint32_t>(linear / l.grid[0] / l.grid[1])};
  threads_ = static_cast<uint32_t>(volume_of(l.block));
  shared_bytes_ =
      std::max<size_t>(kernel().shared_bytes,
                       l.dynamic_shared != 0 ? program().dynamic_shared_at + l.dynamic_shared : 0);
  shared_ = std::make_unique<std::byte[]>(shared_bytes_);
  if ((checks().async_copies || checks().races) && program().copies_asynchronously)
    copies = std::make_shared<CopyMarks>(shared_bytes_, threads_ + kLanes);
  if (checks().uninitialised) shared_defined.assign((shared_bytes_ + 63) / 64, 0);
  for (uint32_t first = 0; first < threads_; first += kLanes)
    warps_.push_back(std::make_unique<Warp>(*this, first / kLanes,
                                            mask_of_first(std::min(threads_ - first, kLanes))));
  cluster_arrived.assign(warps_.size(), 0);
  cluster_owed.assign(warps_.size(), 0);
  if (checks().races) order = gang.races->make_order(*this, warps_.size(), shared_bytes_);
}

Block::~Block() = default;

uint64_t Block::clock_start() const { return gang_.state.options.clock_start; }
const Program& Block::program() const { return gang_.state.program; }
Observer* Block::observer() const { return gang_.observer; }
const FunctionCode& Block::kernel() const { return gang_.state.kernel; }
const Launch& Block::launch() const { return gang_.state.launch; }
GlobalMemory& Block::memory() const { return gang_.state.memory; }
uint8_t* Block::executed() { return gang_.executed.data(); }

TensorMemory& Block::tensor_memory() {
  if (tensor_memory_ == nullptr) tensor_memory_ = std::make_unique<TensorMemory>();
  return *tensor_memory_;
}

Dim3 Block::thread_of(uint32_t warp, unsigned lane) const {
  const Dim3& d = launch().block;
  const uint32_t t = warp * kLanes + lane;
  return {t % d[0], t / d[0] % d[1], t / d[0] / d[1]};
}

bool Block::differs_by_lane(uint16_t special) {
  using ptx::SpecialId;
  switch (static_cast<SpecialId>(special)) {
    case SpecialId::kTid:
    case SpecialId::kLaneid:
    case SpecialId::kLanemaskEq:
    case SpecialId::kLanemaskLe:
    case SpecialId::kLanemaskLt:
    case SpecialId::kLanemaskGe:
    case SpecialId::kLanemaskGt:
      return true;
    default:
      return false;
  }
}

uint64_t Block::special(uint16_t special, uint8_t c, uint32_t warp, unsigned lane) const {
  using ptx::SpecialId;
  const Launch& l = launch();
  const Dim3 zero{}, tid = thread_of(warp, lane);
  auto at = [&](const Dim3& d) { return c < 3 ? uint64_t{d[c]} : 0; };
  auto divided = [](const Dim3& a, const Dim3& b) {
    return Dim3{a[0] / b[0], a[1] / b[1], a[2] / b[2]};
  };
  auto modulo = [](const Dim3& a, const Dim3& b) {
    return Dim3{a[0] % b[0], a[1] % b[1], a[2] % b[2]};
  };
  const uint64_t shared = shared_bytes_;
  switch (static_cast<SpecialId>(special)) {
    case SpecialId::kTid:
      return at(tid);
    case SpecialId::kNtid:
      return at(l.block);
    case SpecialId::kCtaid:
      return at(index_);
    case SpecialId::kNctaid:
      return at(l.grid);
    case SpecialId::kLaneid:
      return lane;
    case SpecialId::kWarpid:
      return warp;
    case SpecialId::kNwarpid:
      return (threads_ + kLanes - 1) / kLanes;
    case SpecialId::kSmid:
      return 0;
    case SpecialId::kNsmid:
      return 1;
    case SpecialId::kGridid:
      return 1;
    case SpecialId::kIsExplicitCluster:
      return volume_of(l.cluster) > 1;
    case SpecialId::kClusterid:
      return at(divided(index_, l.cluster));
    case SpecialId::kNclusterid:
      return at(divided(l.grid, l.cluster));
    case SpecialId::kClusterCtaid:
      return at(modulo(index_, l.cluster));
    case SpecialId::kClusterNctaid:
      return at(l.cluster);
    case SpecialId::kClusterCtarank:
      return rank_;
    case SpecialId::kClusterNctarank:
      return volume_of(l.cluster);
    case SpecialId::kLanemaskEq:
      return uint64_t{1} << lane;
    case SpecialId::kLanemaskLe:
      return (uint64_t{2} << lane) - 1;
    case SpecialId::kLanemaskLt:
      return (uint64_t{1} << lane) - 1;
    case SpecialId::kLanemaskGe:
      return UINT32_MAX & ~((uint64_t{1} << lane) - 1);
    case SpecialId::kLanemaskGt:
      return UINT32_MAX & ~((uint64_t{2} << lane) - 1);
    case SpecialId::kTotalSmemSize:
      return shared;
    case SpecialId::kAggrSmemSize:
      return shared + kReservedShared;
    case SpecialId::kDynamicSmemSize:
      return l.dynamic_shared;
    default:
      return at(zero);
  }
}

void Block::report(Fault fault) {
  fault.block = index_;
  gang_.state.report(std::move(fault));
}

bool Block::run(uint64_t quantum) {
  if (finished_) return true;
  bool ran = true, any = false;
  const uint64_t end = counters_.warp_instructions + quantum;
  while (ran && counters_.warp_instructions < end) {
    if (gang_.state.stop) return true;
    ran = false;
    finished_ = true;
    // The seed turns the order, so that a result that hangs on it shows.
    const size_t count = warps_.size(), first = gang_.state.options.seed % count;
    for (size_t k = 0; k < count; ++k) {
      Warp& w = *warps_[(first + k) % count];
      if (w.fragments().empty()) continue;
      const uint64_t before = counters_.warp_instructions - w.failed_waits;
      const uint64_t left =
          end > counters_.warp_instructions ? end - counters_.warp_instructions : 1;
      const WarpStatus status = w.run(std::min(watched ? kObservedTurn : kWarpTurn, left));
      ran |= counters_.warp_instructions - w.failed_waits != before;
      if (status == WarpStatus::kStopped) {
        finished_ = true;
        return true;
      }
      if (status != WarpStatus::kFinished) finished_ = false;
    }
    any |= ran;
    if (finished_) return true;
    if (!ran) {
      // Barrier arrivals of the last turn may have freed warps that ran before.
      for (auto& w : warps_)
        for (Fragment& f : w->fragments()) ran |= f.state == FragmentState::kReady;
    }
  }
  return any;
}

bool Block::settle(Warp& w) {
  if (w.join_waiting()) return true;
  bool moved = false;
  auto& fragments = w.fragments();
  // Joins what waits at one barrier, then counts it.
  for (size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != FragmentState::kBarrier || fragments[i].arrived) continue;
    for (size_t j = fragments.size() - 1; j > i; --j) {
      const Fragment& o = fragments[j];
      if (o.state != FragmentState::kBarrier || o.arrived || o.pc != fragments[i].pc ||
          o.frame != fragments[i].frame)
        continue;
      fragments[i].lanes |= o.lanes;
      fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
    }
    const Op& op = program().ops[fragments[i].pc];
    const bool whole = fragments[i].lanes == w.live();
    if (!whole && (op.variant & kBarrierAligned) != 0) {
      // Others may come yet: from polling, or from a barrier that part of a warp may pass.
      const bool others_come =
          std::any_of(fragments.begin(), fragments.end(), [&](const Fragment& f) {
            if (f.state == FragmentState::kWait) return true;
            const bool waits =
                f.state == FragmentState::kBarrier || f.state == FragmentState::kCluster;
            return waits && (program().ops[f.pc].variant & kBarrierAligned) == 0;
          });
      if (others_come) continue;
      w.fault(FaultKind::kBarrierDivergence, op, fragments[i].lanes, 0,
              fmt::format("only part of the warp reaches this barrier: {}", w.where()));
      return false;
    }
    moved |= arrive(w, fragments[i]);
    if (w.stop) return false;
  }
  moved |= gang_.settle_cluster(w);
  // Polling operations get another look in the warp's next turn.
  for (const Fragment& f : fragments)
    if (f.state == FragmentState::kWait) ++w.failed_waits;
  return moved;
}

// A fragment comes to its barrier. True when that lets it go on.
bool Block::arrive(Warp& w, Fragment& f) {
  const Program& p = program();
  const Op& op = p.ops[f.pc];
  const bool reduces = (op.variant & (kBarrierPopc | kBarrierAnd | kBarrierOr)) != 0;
  const size_t first = reduces ? 1 : 0;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(f.lanes));
  w.regs = f.frame->registers;
  w.frame = f.frame.get();
  const auto id_slot = p.operand(op, first);
  const uint64_t id = id_slot.empty() ? 0 : w.get(id_slot[0], lane);
  const size_t operands = op.operand_count;
  const size_t count_at = first + 1;
  const bool counted = operands > count_at + (reduces ? 1 : 0);
  const uint64_t expected = counted ? w.get(p.operand(op, count_at)[0], lane) : threads_;
  if (id >= barriers_.size()) {
    w.fault(FaultKind::kIllegal, op, f.lanes, 0, fmt::format("barrier {} of 16", id));
    return false;
  }
  if (counted && (expected == 0 || expected % kLanes != 0)) {
    w.fault(FaultKind::kIllegal, op, f.lanes, 0,
            fmt::format("a barrier for {} threads: not a multiple of 32", expected));
    return false;
  }
  Barrier& b = barriers_[id];
  if (b.expected != 0 && b.expected != expected) {
    w.fault(FaultKind::kBarrierDivergence, op, f.lanes, 0,
            fmt::format("barrier {} for {} threads, but others wait at it for {}", id, expected,
                        b.expected));
    return false;
  }
  b.expected = expected;
  // With a count, a warp that comes whole counts as 32, whatever lanes it has left (PTX ISA, bar).
  const bool whole = f.lanes == w.live();
  b.arrived += counted && whole ? kLanes : static_cast<uint64_t>(std::popcount(f.lanes));
  if (reduces) {
    const Slot& s = p.operand(op, operands - 1)[0];
    LaneMask value = w.predicate(s.at);
    if (s.negated) value = ~value;
    value &= f.lanes;
    b.popc += static_cast<uint32_t>(std::popcount(value));
    b.all = b.all && value == f.lanes;
    b.any = b.any || value != 0;
  }
  if (order != nullptr) order->arrive(static_cast<uint32_t>(id), w.index, f.lanes);
  bool free = false;
  if ((op.variant & kBarrierArrive) != 0) {
    f.state = FragmentState::kReady;
    ++f.pc;
    free = true;
  } else {
    f.arrived = true;
  }
  if (b.arrived >= b.expected) {
    release(static_cast<uint32_t>(id));
    free = true;
  }
  return free;
}

// Everyone who waits at the barrier goes on.
void Block::release(uint32_t id) {
  const Program& p = program();
  Barrier& b = barriers_[id];
  for (auto& w : warps_)
    for (Fragment& f : w->fragments()) {
      if (f.state != FragmentState::kBarrier || !f.arrived) continue;
      const Op& op = p.ops[f.pc];
      const bool reduces = (op.variant & (kBarrierPopc | kBarrierAnd | kBarrierOr)) != 0;
      std::byte* const saved = w->regs;
      w->regs = f.frame->registers;
      const auto slot = p.operand(op, reduces ? 1 : 0);
      const uint64_t at =
          slot.empty() ? 0 : w->get(slot[0], static_cast<unsigned>(std::countr_zero(f.lanes)));
      if (at == id) {
        if (order != nullptr) order->leave(id, w->index, f.lanes, f.lanes == w->live());
        if (reduces) {
          const Slot& d = p.operand(op, 0)[0];
          const uint64_t value = (op.variant & kBarrierPopc) != 0  ? b.popc
                                 : (op.variant & kBarrierAnd) != 0 ? uint64_t{b.all}
                                                                   : uint64_t{b.any};
          for_each_lane(f.lanes, [&](unsigned lane) { w->set(d, lane, value); });
          if (d.reg != UINT32_MAX) f.frame->undefined[d.reg] &= ~f.lanes;
        }
        f.state = FragmentState::kReady;
        f.arrived = false;
        ++f.pc;
      }
      w->regs = saved;
    }
  b = Barrier{};
  if (order != nullptr) order->reset(id);
}

void Block::stuck() {
  uint64_t exited = threads_;
  for (auto& w : warps_) exited -= static_cast<uint64_t>(std::popcount(w->live()));
  std::string where;
  for (auto& w : warps_) {
    const std::string part = w->where();
    if (part.empty()) continue;
    if (where.size() > 400) {
      where += "; …";
      break;
    }
    where += (where.empty() ? "" : "; ") + part;
  }
  // Bytes that do not match what was expected are the cause, whoever else waits for the waiter.
  for (auto& b : gang_.blocks())
    for (auto& w : b->warps())
      for (const Fragment& f : w->fragments()) {
        FaultKind kind = FaultKind::kDeadlock;
        std::string text;
        if (!explain_mbarrier(*w, f, kind, text) || kind != FaultKind::kTransactions) continue;
        w->fault(kind, program().ops[f.pc], f.lanes, 0, std::move(text));
        return;
      }
  for (auto& w : warps_)
    for (const Fragment& first : w->fragments()) {
      // Of lanes that wait for each other, those that have come least far are where it began.
      const Fragment* least = &first;
      if (first.state == FragmentState::kConverge)
        for (const Fragment& o : w->fragments())
          if (o.state == FragmentState::kConverge && o.frame == first.frame &&
              program().ops[o.pc].order < program().ops[least->pc].order)
            least = &o;
      const Fragment& f = *least;
      const Op& op = program().ops[f.pc];
      std::string text;
      FaultKind kind = FaultKind::kDeadlock;
      if (f.state == FragmentState::kBarrier && f.arrived && exited > 0) {
        w->regs = f.frame->registers;
        const bool reduces = (op.variant & (kBarrierPopc | kBarrierAnd | kBarrierOr)) != 0;
        const auto slot = program().operand(op, reduces ? 1 : 0);
        const uint64_t id =
            slot.empty() ? 0 : w->get(slot[0], static_cast<unsigned>(std::countr_zero(f.lanes)));
        const Barrier& b = barriers_[id % 16];
        kind = FaultKind::kBarrierDivergence;
        text =
            fmt::format("barrier {} waited by {} of {}, others exited", id, b.arrived, b.expected);
      } else if (f.state == FragmentState::kConverge) {
        kind = FaultKind::kMemberMask;
        text = fmt::format("lanes {:#010x} wait for lanes {:#010x}, which do not come: {}", f.lanes,
                           w->named_lanes(op, f) & ~f.lanes, where);
      } else if (f.state == FragmentState::kCluster) {
        text = gang_.explain_cluster(*this) + ": " + where;
      } else if (explain_mbarrier(*w, f, kind, text)) {
        text += ": " + where;
      } else {
        text = "nothing can go on: " + where;
      }
      w->fault(kind, op, f.lanes, 0, std::move(text));
      return;
    }
}

}  // namespace pitot::emulator
