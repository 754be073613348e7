#include "emulator/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/block.h"
#include "emulator/gang.h"
#include "emulator/place_text.h"
#include "emulator/quick_access.h"
#include "support/parallel.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

// What a page of global memory takes: as large as it gets without parts of words.
constexpr uint64_t kShadowBytes = kPageBytes * 8 + sizeof(RaceShadow);

std::string thread_text(const Dim3& t) { return fmt::format("({}, {}, {})", t[0], t[1], t[2]); }

}  // namespace

RaceCheck::RaceCheck(LaunchState& state) : state_(state) {
  const Program& p = state.program;
  const Dim3& b = state.launch.block;
  const uint64_t warps = (uint64_t{b[0]} * b[1] * b[2] + kLanes - 1) / kLanes;
  start_ = std::make_shared<const Ticks>(std::vector<uint32_t>(warps * kLanes));
  lockstep_ = p.module->target.sm != 0 && p.module->target.sm < 70;
  traits_.resize(p.ops.size());
  for (size_t i = 0; i < p.ops.size(); ++i) {
    if (p.ops[i].instruction == kNoInstruction) continue;
    const ptx::Opcode& o = *p.instruction(p.ops[i]).opcode;
    Traits& t = traits_[i];
    t.acquire = o.has_mod(Mod::kAcquire) || o.has_mod(Mod::kAcqRel);
    t.release = o.has_mod(Mod::kRelease) || o.has_mod(Mod::kAcqRel);
    t.block_only = o.has_mod(Mod::kCta);
    t.collective = o.has(ptx::kLoad) || o.has(ptx::kStore);
    // The object of an mbarrier is initialised by a plain store.
    t.strong = t.acquire || t.release || o.has_mod(Mod::kVolatile) || o.has_mod(Mod::kRelaxed) ||
               o.has_mod(Mod::kMmio) || o.has(ptx::kAtomic) || o.has(ptx::kRed) ||
               (o.mnemonic == Mnemonic::kMbarrier && !o.has_mod(Mod::kInit)) ||
               (o.mnemonic == Mnemonic::kCp && o.has_mod(Mod::kMbarrier)) ||
               o.mnemonic == Mnemonic::kTcgen05;
    if (o.mnemonic == Mnemonic::kMbarrier) t.acquire = t.release = false;
  }
}

RaceCheck::~RaceCheck() {
  if (budget_ != nullptr) budget_->fetch_add(pages_.size() * kShadowBytes);
}

bool RaceCheck::conflict(std::span<const std::unique_ptr<RaceCheck>> checks,
                         const GlobalMemory& memory, unsigned workers) {
  std::unordered_map<uint64_t, std::vector<const RaceShadow*>> by_page;
  for (const auto& c : checks)
    for (const auto& [number, shadow] : c->pages_) by_page[number].push_back(shadow.get());
  std::vector<const std::vector<const RaceShadow*>*> shared;
  for (const auto& [number, shadows] : by_page) {
    const uint64_t first = number * kPageBytes;
    const auto written = [&](const auto& r) {
      return r->written && r->base() < first + kPageBytes && first < r->base() + r->size();
    };
    const auto regions = memory.regions();
    if (shadows.size() > 1 && std::any_of(regions.begin(), regions.end(), written))
      shared.push_back(&shadows);
  }
  std::atomic<bool> found{false};
  parallel_for(shared.size(), workers, [&](size_t i) {
    if (found) return;
    TouchedBytes all(kPageBytes);
    for (const RaceShadow* shadow : *shared[i])
      if (shadow->conflicts(all)) found = true;
  });
  return found;
}

std::unique_ptr<BlockOrder> RaceCheck::make_order(const Block& block, size_t warps,
                                                  size_t shared_bytes) {
  return std::make_unique<BlockOrder>(block.linear(), warps, shared_bytes, start_, lockstep_);
}

uint32_t RaceCheck::index(const Op& op) const {
  return static_cast<uint32_t>(&op - state_.program.ops.data());
}

void RaceCheck::fence(Warp& w, const Op& op, LaneMask mask) {
  const ptx::Opcode& o = *state_.program.instruction(op).opcode;
  if (o.has_mod(Mod::kProxy)) return;
  w.block.order->fence(w.index, mask, !o.has_mod(Mod::kCta));
}

void RaceCheck::meet(Warp& w, const Op& op, LaneMask lanes, bool after) {
  if (after && !traits_[index(op)].collective) return;
  BlockOrder& order = *w.block.order;
  if (op.variant != kNoMemberMask && op.variant != kWholeWarp) {
    // Groups of lanes with masks of their own meet each for itself.
    const Slot& s = state_.program.slots[op.first_slot + op.variant];
    const auto* masks = reinterpret_cast<const uint32_t*>(w.regs + s.at);
    LaneMask left = lanes;
    while (left != 0) {
      const uint32_t named = masks[std::countr_zero(left)];
      LaneMask group = 0;
      for_each_lane(left, [&](unsigned l) {
        if (masks[l] == named) group |= LaneMask{1} << l;
      });
      order.meet(w.index, group, group == w.live());
      left &= ~group;
    }
    return;
  }
  order.meet(w.index, lanes, lanes == w.live());
}

RaceShadow* RaceCheck::page(Warp& w, const Op& op, unsigned lane, const Region& region,
                            uint64_t address) {
  const uint64_t number = address / kPageBytes;
  auto& shadow = pages_[number];
  if (shadow == nullptr) {
    if (region.budget != nullptr) {
      uint64_t left = region.budget->load();
      do {
        if (left < kShadowBytes) {
          w.fault(FaultKind::kMemoryCap, op, LaneMask{1} << lane, address,
                  "the emulator's memory cap is reached by what the race check remembers");
          pages_.erase(number);
          return nullptr;
        }
      } while (!region.budget->compare_exchange_weak(left, left - kShadowBytes));
      budget_ = region.budget;
    }
    shadow = std::make_unique<RaceShadow>(kPageBytes, kGlobalReaders);
  }
  return shadow.get();
}

// False for memory that nobody else can touch, and after a fault.
bool RaceCheck::locate(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address,
                       Place& p) {
  space = ptx::base_space(space);
  if (space == Space::kNone) {
    space = space_of(address);
    if (space == Space::kShared) address -= kSharedWindow;
  }
  if (space == Space::kShared) {
    uint64_t offset = address;
    Block* owner = offset - w.block.shared_base() < kSharedStride
                       ? &w.block
                       : w.block.gang().shared_owner(w.block, offset);
    if (owner == nullptr) return false;
    offset %= kSharedStride;
    p.owner = owner;
    p.shadow = &owner->order->shared;
    p.flags = &owner->order->flags;
    p.offset = p.name = offset;
    return true;
  }
  if (space != Space::kGlobal) return false;
  Recent& r = recent_[address / kPageBytes % recent_.size()];
  if (r.page != address / kPageBytes || address - r.region->base() >= r.region->size()) {
    const Region* region = state_.memory.find(address);
    if (region == nullptr || region->read_only) return false;
    RaceShadow* shadow = page(w, op, lane, *region, address);
    if (shadow == nullptr) return false;
    r = {address / kPageBytes, shadow, region};
  }
  p.owner = nullptr;
  p.region = r.region;
  p.shadow = r.shadow;
  p.flags = &flags_;
  p.offset = address % kPageBytes;
  p.name = address;
  return true;
}

void RaceCheck::access(Warp& w, const Op& op, LaneMask mask, const Access& a) {
  const Space space = ptx::base_space(a.space);
  if (space != Space::kShared && space != Space::kGlobal && space != Space::kNone) return;
  const Traits& t = traits_[index(op)];
  const bool strong = t.strong || a.kind == AccessKind::kAtomic;
  const bool write = a.kind != AccessKind::kLoad;
  BlockOrder& order = *w.block.order;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const unsigned lane = a.on_behalf < kLanes ? a.on_behalf : l;
    Place p;
    if (!locate(w, op, lane, a.space, a.address[l], p)) return;
    if (strong && a.kind != AccessKind::kStore && !p.flags->empty())
      if (const auto it = p.flags->find(p.name); it != p.flags->end())
        order.acquire(it->second, w.index, lane);
    touch(w, op, lane, p, a.bytes, write, strong, a.on_behalf < kLanes ? nullptr : &a, mask);
    if (!strong || !write) return;
    // A strong write that publishes nothing ends what another has published.
    const bool replaces = a.kind == AccessKind::kStore;
    if (t.release || order.publishes(w.index, lane)) {
      order.publish((*p.flags)[p.name], w.index, lane, replaces, t.release, !t.block_only);
    } else if (replaces && !p.flags->empty()) {
      p.flags->erase(p.name);
    }
  });
}

void RaceCheck::run(Warp& w, const Op& op, unsigned lane, Space space, uint64_t address,
                    uint64_t bytes, AccessKind kind) {
  const bool strong = kind == AccessKind::kAtomic;
  while (bytes != 0 && !w.stop) {
    Place p;
    if (!locate(w, op, lane, space, address, p)) return;
    const uint64_t n =
        p.owner != nullptr ? bytes : std::min<uint64_t>(bytes, kPageBytes - address % kPageBytes);
    touch(w, op, lane, p, n, kind != AccessKind::kLoad, strong, nullptr, 0);
    address += n;
    bytes -= n;
  }
}

void RaceCheck::landed(Warp& w, uint32_t copy, unsigned lane, uint64_t offset, uint64_t bytes,
                       bool write) {
  Place p;
  p.owner = &w.block;
  p.shadow = &w.block.order->shared;
  p.offset = p.name = offset;
  touch(w, state_.program.ops[copy], lane, p, bytes, write, false, nullptr, 0);
}

void RaceCheck::touch(Warp& w, const Op& op, unsigned lane, Place& p, uint64_t bytes, bool write,
                      bool strong, const Access* a, LaneMask mask) {
  const uint32_t number = index(op);
  const BlockOrder& order = *w.block.order;
  uint32_t how = number & kTouchOps;
  if (strong) how |= kTouchStrong;
  if (traits_[number].block_only) how |= kTouchBlockOnly;
  Touch t = order.touch(w.index, lane);
  t.op = how;
  t.write = write;
  p.shadow->touch(p.offset, bytes, t, found_);
  if (!found_.empty()) judge(w, op, lane, p, bytes, write, a, mask);
}

// Reports what was found of one lane's access, but for what does not count.
void RaceCheck::judge(Warp& w, const Op& op, unsigned lane, const Place& p, uint64_t bytes,
                      bool write, const Access* a, LaneMask mask) {
  const uint32_t number = index(op);
  for (const Conflict& c : found_) {
    const uint64_t first = std::max(c.offset, p.offset);
    if (write && c.write && (c.op & kTouchOps) == number &&
        same_value(w, lane, a, mask, first - p.offset,
                   std::min(c.offset + c.bytes, p.offset + bytes) - first))
      continue;
    if (write != c.write && guess(number, c.op & kTouchOps)) continue;
    report(w, op, lane, p, c, first, write);
  }
  found_.clear();
}

void RaceCheck::quick(Warp& w, const Op& op, LaneMask mask, AccessKind kind, uint32_t bytes,
                      const QuickAccess& q, std::span<const Slot> values) {
  if (!q.shared && q.address == 0) return;
  const BlockOrder& order = *w.block.order;
  const bool write = kind != AccessKind::kLoad;
  Place p;
  if (q.shared) {
    p.owner = &w.block;
    p.shadow = &w.block.order->shared;
  }
  Touch t = order.touch(w.index, 0);
  t.op = index(op) & kTouchOps;
  t.write = write;
  for_each_lane(mask, [&](unsigned l) {
    if (q.shared) {
      p.offset = p.name = q.offset[l];
    } else if (const uint64_t address = q.address + q.offset[l];
               p.shadow != nullptr && address / kPageBytes == p.name / kPageBytes) {
      p.offset = address % kPageBytes;
      p.name = address;
    } else if (w.stop || !locate(w, op, l, Space::kGlobal, address, p)) {
      p.shadow = nullptr;
      return;
    }
    order.turn_to(t, l);
    if (p.shadow->touch_quickly(p.offset, bytes, t)) return;
    p.shadow->touch(p.offset, bytes, t, found_);
    if (found_.empty()) return;
    Access a;
    a.bytes = bytes;
    a.values = values;
    a.element = values.empty() ? 0 : bytes / static_cast<uint32_t>(values.size());
    for_each_lane(mask, [&](unsigned k) {
      a.address[k] = q.offset[k];
      a.at[k] = q.memory + q.offset[k];
    });
    judge(w, op, l, p, bytes, write, &a, mask);
  });
}

// Whether one of the two is a plain load and the other a compare-and-swap at the same operand.
bool RaceCheck::guess(uint32_t op, uint32_t earlier) const {
  const Program& p = state_.program;
  const Op *cas = &p.ops[op], *load = &p.ops[earlier];
  if (!p.instruction(*cas).opcode->has_mod(Mod::kCas)) std::swap(cas, load);
  if (!p.instruction(*cas).opcode->has_mod(Mod::kCas) ||
      p.instruction(*load).opcode->mnemonic != Mnemonic::kLd)
    return false;
  const OperandPlace& a = p.operands_of(*cas)[1];
  const OperandPlace& b = p.operands_of(*load)[1];
  const Slot& x = p.slots[cas->first_slot + a.first];
  const Slot& y = p.slots[load->first_slot + b.first];
  return a.offset == b.offset && x.at == y.at && x.reg == y.reg;
}

// Whether a store gives these of its bytes the value that they have, or that another lane of the
// same warp gives them by the same instruction now.
bool RaceCheck::same_value(Warp& w, unsigned lane, const Access* a, LaneMask mask, uint64_t first,
                           uint64_t bytes) const {
  if (a == nullptr || (a->values.empty() && a->rows == nullptr)) return false;
  auto byte_of = [&](unsigned l, uint64_t k) {
    if (a->rows != nullptr) return static_cast<uint8_t>(a->rows[l][k]);
    const Slot& s = a->values[k / a->element];
    const uint64_t at = k % a->element;
    const uint64_t v = at < 8 ? w.get(s, l) : w.u64(s.at)[kLanes + l];
    return static_cast<uint8_t>(v >> (at % 8 * 8));
  };
  for (uint64_t k = first; k < first + bytes; ++k) {
    bool now = false, equal = true;
    const uint64_t address = a->address[lane] + k;
    for_each_lane(mask & ((LaneMask{1} << lane) - 1), [&](unsigned l) {
      if (address < a->address[l] || address - a->address[l] >= a->bytes) return;
      now = true;
      equal &= byte_of(l, address - a->address[l]) == byte_of(lane, k);
    });
    if (!now) equal = static_cast<uint8_t>(a->at[lane][k]) == byte_of(lane, k);
    if (!equal) return false;
  }
  return true;
}

// The variable of shared memory that a byte belongs to, and the offset in it.
std::string RaceCheck::shared_name(uint64_t offset) const {
  const Program& p = state_.program;
  const auto kernel = static_cast<uint32_t>(&state_.kernel - p.functions.data());
  std::string best;
  uint64_t distance = UINT64_MAX;
  for (size_t i = 0; i < p.symbols.size(); ++i) {
    const SymbolPlace& s = p.symbols[i];
    const ptx::Symbol& symbol = p.module->symbols[i];
    if (!s.placed || s.space != Space::kShared || offset < s.address) continue;
    const uint64_t size = symbol.unsized && state_.launch.dynamic_shared != 0
                              ? p.dynamic_shared_at + state_.launch.dynamic_shared - s.address
                              : symbol.size;
    // Variables of different kernels may lie over each other: the kernel's own first.
    if (offset - s.address >= size) continue;
    const uint64_t d = 2 * (offset - s.address) + (symbol.function == kernel ? 0 : 1);
    if (d >= distance) continue;
    distance = d;
    best = fmt::format("{}+{}", symbol.name, offset - s.address);
  }
  return best.empty() ? fmt::format("byte {}", offset) : best;
}

void RaceCheck::report(Warp& w, const Op& op, unsigned lane, const Place& p, const Conflict& c,
                       uint64_t touched, bool write) {
  const Program& program = state_.program;
  const uint32_t line = program.line(op), before = program.line(program.ops[c.op & kTouchOps]);
  const uint32_t how = (write ? 1u : 0u) | (c.write ? 2u : 0u);
  if (reported_.size() >= kMostReports) return;
  // A pair of lines once, whichever of them came first.
  const uint32_t turned = (how >> 1 | how << 1) & 3;
  if (reported_.contains({before, line, turned}) || !reported_.insert({line, before, how}).second)
    return;
  const uint64_t block = c.stamp >> kStampBlock;
  const auto warp = static_cast<uint32_t>(c.stamp >> kStampWarp & 31);
  const Dim3& g = state_.launch.grid;
  const bool same_block = block == w.block.linear();
  const Dim3 other = w.block.thread_of(warp, c.lane), own = w.block.thread_of(w.index, lane);
  const uint64_t name = p.name + (touched - p.offset);
  std::string where = p.owner != nullptr ? shared_name(name) : place_text(*p.region, name);
  std::string text =
      fmt::format("{} memory race: line {} {} {} by thread {}, line {} {} it by {}",
                  p.owner != nullptr ? "shared" : "global", line, write ? "writes" : "reads", where,
                  thread_text(own), before, c.write ? "wrote" : "read", thread_text(other));
  if (!same_block) {
    text += fmt::format(" of block {}", thread_text({static_cast<uint32_t>(block % g[0]),
                                                     static_cast<uint32_t>(block / g[0] % g[1]),
                                                     static_cast<uint32_t>(block / g[0] / g[1])}));
    text += ", nothing orders the blocks";
  } else if (warp == w.index) {
    text += ", no barrier between them (lanes of one warp: bar.warp.sync)";
  } else {
    text += ", no barrier between them";
  }
  Fault f;
  f.kind = FaultKind::kRace;
  f.line = line;
  f.other_line = before;
  f.thread = own;
  f.block = w.block.index();
  f.lanes = LaneMask{1} << lane;
  f.address = name;
  f.message = std::move(text);
  state_.note(std::move(f));
}

}  // namespace pitot::emulator
