#include "emulator/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/block.h"
#include "emulator/copies.h"
#include "emulator/defined_bits.h"
#include "emulator/gang.h"
#include "emulator/observer.h"
#include "emulator/place_text.h"
#include "emulator/race_check.h"

namespace pitot::emulator {
namespace {

using ptx::Space;

bool in_window(uint64_t address, uint64_t window) {
  return address >= window && address - window < kWindowSize;
}

const char* verb(AccessKind kind) {
  return kind == AccessKind::kLoad ? "read" : kind == AccessKind::kStore ? "write" : "atomic";
}

class Resolver {
 public:
  Resolver(Warp& w, const Op& op, LaneMask mask, Access& a)
      : w_(w), op_(op), mask_(mask), a_(a), track_(w.block.checks().uninitialised) {}

  bool run() {
    a_.undefined = 0;
    switch (ptx::base_space(a_.space)) {
      case Space::kShared:
        return shared_all();
      case Space::kLocal:
        return each([&](unsigned l) { return local(l, a_.address[l]); });
      case Space::kParam:
        return each([&](unsigned l) { return parameter(l, a_.address[l]); });
      case Space::kGlobal:
      case Space::kConst:
        return each([&](unsigned l) { return global(l, a_.address[l]); });
      default:
        return each([&](unsigned l) { return generic(l, a_.address[l]); });
    }
  }

 private:
  template <class F>
  bool each(F&& f) {
    LaneMask left = mask_;
    while (left != 0) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      left &= left - 1;
      if ((a_.address[lane] & (a_.bytes - 1)) != 0) return misaligned(lane);
      if (!f(lane)) return false;
    }
    return true;
  }

  bool misaligned(unsigned lane) {
    LaneMask bad = 0;
    for_each_lane(mask_, [&](unsigned l) {
      if ((a_.address[l] & (a_.bytes - 1)) != 0) bad |= LaneMask{1} << l;
    });
    fail(FaultKind::kMisaligned, bad, lane,
         fmt::format("{} of {} bytes at {:#x}, which is not a multiple of {}", verb(a_.kind),
                     a_.bytes, a_.address[lane], a_.bytes));
    return false;
  }

  // Most accesses: plain shared memory of the own block.
  bool shared_all() {
    const auto memory = w_.block.shared();
    const uint64_t base = w_.block.shared_base();
    const uint64_t limit = memory.size();
    uint64_t bits = 0, highest = 0;
    for_each_lane(mask_, [&](unsigned l) {
      const uint64_t at = a_.address[l] - base;
      bits |= at;
      highest = std::max(highest, at);
    });
    if (w_.block.copies == nullptr && (bits & (a_.bytes - 1)) == 0 && highest < limit &&
        limit - highest >= a_.bytes) {
      for_each_lane(mask_, [&](unsigned l) { a_.at[l] = memory.data() + (a_.address[l] - base); });
      if (track_)
        for_each_lane(mask_, [&](unsigned l) {
          definedness(w_.block.shared_defined.data(), l, a_.address[l] - base);
        });
      return true;
    }
    return each([&](unsigned l) { return shared(l, a_.address[l]); });
  }

  bool shared(unsigned lane, uint64_t address) {
    uint64_t offset = address;
    Block* owner = w_.block.gang().shared_owner(w_.block, offset);
    if (owner == nullptr) return outside_shared(lane, address);
    const auto memory = owner->shared();
    if (offset >= memory.size() || memory.size() - offset < a_.bytes)
      return outside_shared(lane, address);
    if (!shared_is_there(w_, op_, LaneMask{1} << lane, *owner, offset, a_.bytes,
                         a_.kind != AccessKind::kLoad))
      return false;
    a_.at[lane] = memory.data() + offset;
    if (track_) definedness(owner->shared_defined.data(), lane, offset);
    return true;
  }

  bool outside_shared(unsigned lane, uint64_t address) {
    fail(FaultKind::kOutOfBounds, LaneMask{1} << lane, lane,
         fmt::format("{} of {} bytes at {:#x} of shared memory, which has {} bytes", verb(a_.kind),
                     a_.bytes, address, w_.block.shared().size()));
    return false;
  }

  void definedness(uint64_t* defined, unsigned lane, uint64_t offset) {
    uint32_t missing = 0;
    for (uint64_t b = offset; b < offset + a_.bytes; ++b) {
      const uint64_t bit = uint64_t{1} << (b % 64);
      if ((defined[b / 64] & bit) == 0) missing |= uint32_t{1} << (b - offset);
      if (a_.kind != AccessKind::kLoad) defined[b / 64] |= bit;
    }
    if (a_.kind != AccessKind::kStore) set_missing(lane, missing);
  }

  void set_missing(unsigned lane, uint32_t bytes) {
    if (bytes == 0) return;
    a_.undefined |= LaneMask{1} << lane;
    a_.undefined_bytes[lane] = bytes;
  }

  bool local(unsigned lane, uint64_t address) {
    std::byte* p = w_.local(lane, address, a_.bytes);
    if (p == nullptr || address + a_.bytes > w_.frame->local_top) {
      fail(FaultKind::kOutOfBounds, LaneMask{1} << lane, lane,
           fmt::format("{} of {} bytes at {:#x} of local memory, of which the thread has {} bytes",
                       verb(a_.kind), a_.bytes, address, w_.frame->local_top));
      return false;
    }
    a_.at[lane] = p;
    if (track_) definedness(w_.local_defined(lane), lane, address);
    return true;
  }

  bool parameter(unsigned lane, uint64_t address) {
    // In a function, parameters are in local memory; in a kernel, in the launch's bytes.
    if (w_.frame->parent || address >= kParamBytesLimit) return local(lane, address);
    const auto& bytes = w_.block.launch().parameters;
    if (address >= bytes.size() || bytes.size() - address < a_.bytes) {
      fail(FaultKind::kOutOfBounds, LaneMask{1} << lane, lane,
           fmt::format("{} of {} bytes at {:#x} of the parameters, which have {} bytes",
                       verb(a_.kind), a_.bytes, address, bytes.size()));
      return false;
    }
    if (a_.kind != AccessKind::kLoad) {
      fail(FaultKind::kIllegal, LaneMask{1} << lane, lane, "write to a kernel parameter");
      return false;
    }
    a_.at[lane] = const_cast<std::byte*>(bytes.data() + address);
    return true;
  }

  bool generic(unsigned lane, uint64_t address) {
    if (in_window(address, kSharedWindow)) return shared(lane, address - kSharedWindow);
    if (in_window(address, kLocalWindow)) return local(lane, address - kLocalWindow);
    if (in_window(address, kParamWindow)) return parameter(lane, address - kParamWindow);
    return global(lane, address);
  }

  bool global(unsigned lane, uint64_t address) {
    Region* r = last_;
    if (r == nullptr || address - r->base() >= r->size())
      last_ = r = w_.block.memory().find(address);
    const uint64_t offset = r != nullptr ? address - r->base() : 0;
    if (r == nullptr || r->size() - offset < a_.bytes) {
      outside(lane, address);
      return false;
    }
    if (a_.kind != AccessKind::kLoad) {
      if (r->read_only) {
        fail(FaultKind::kIllegal, LaneMask{1} << lane, lane,
             fmt::format("{} to constant memory '{}'", verb(a_.kind), r->name()));
        return false;
      }
      if (!r->written.load(std::memory_order_relaxed)) r->written = true;
    }
    Page* page = r->page(offset);
    if (page == nullptr) {
      fail(FaultKind::kMemoryCap, LaneMask{1} << lane, lane,
           "the emulator's memory cap is reached");
      return false;
    }
    const uint64_t at = offset % kPageBytes;
    a_.at[lane] = page->bytes.data() + at;
    if (track_) {
      // 8 accesses of a byte or one of 8 lie in one word of the bits: natural alignment.
      const uint64_t bits = (a_.bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << a_.bytes) - 1)
                            << (at % 64);
      if (a_.kind != AccessKind::kStore)
        set_missing(lane, static_cast<uint32_t>(
                              (bits & ~defined_word(page->defined.data(), at / 64)) >> (at % 64)));
      if (a_.kind != AccessKind::kLoad)
        __atomic_fetch_or(&page->defined[at / 64], bits, __ATOMIC_RELAXED);
    }
    return true;
  }

  void outside(unsigned lane, uint64_t address) {
    LaneMask bad = 0;
    for_each_lane(mask_, [&](unsigned l) {
      const Region* r = w_.block.memory().find(a_.address[l]);
      if (r == nullptr || r->size() - (a_.address[l] - r->base()) < a_.bytes)
        bad |= LaneMask{1} << l;
    });
    std::string text = outside_text(w_.block.memory(), verb(a_.kind), address, a_.bytes);
    if (is_handle(address))
      text += "; this is no address but a handle of a texture, surface or sampler";
    if (a_.space == Space::kNone && address < w_.block.shared().size())
      text += "; shared memory has such an address, which cvta.shared makes a generic one";
    fail(FaultKind::kOutOfBounds, bad | LaneMask{1} << lane, lane, std::move(text));
  }

  void fail(FaultKind kind, LaneMask lanes, unsigned lane, std::string text) {
    // The lane at fault is named first.
    w_.fault(kind, op_, lanes & ~((LaneMask{1} << lane) - 1), a_.address[lane], std::move(text));
  }

  static constexpr uint64_t kParamBytesLimit = 1 << 16;

  Warp& w_;
  const Op& op_;
  LaneMask mask_;
  Access& a_;
  bool track_;
  Region* last_ = nullptr;
};

}  // namespace

void read_addresses(Warp& w, const Op& op, const OperandPlace& operand, LaneMask mask, Access& a) {
  const Slot& base = w.program().slots[op.first_slot + operand.first];
  if (base.bits > 32) {
    const uint64_t* v = w.u64(base.at);
    for (unsigned l = 0; l < kLanes; ++l)
      a.address[l] = v[l] + static_cast<uint64_t>(operand.offset);
  } else {
    const uint32_t* v = w.u32(base.at);
    for (unsigned l = 0; l < kLanes; ++l)
      a.address[l] = v[l] + static_cast<uint32_t>(operand.offset);
    for (unsigned l = 0; l < kLanes; ++l) a.address[l] &= UINT32_MAX;
  }
  if (base.reg != UINT32_MAX && w.block.checks().uninitialised) {
    const LaneMask bad = w.frame->undefined[base.reg] & mask;
    if (bad != 0)
      w.fault(FaultKind::kUninitialised, op, bad,
              a.address[static_cast<unsigned>(std::countr_zero(bad))],
              "the address comes from a value that nothing wrote");
  }
}

bool resolve(Warp& w, const Op& op, LaneMask mask, Access& a) {
  if (w.stop || !Resolver(w, op, mask, a).run()) return false;
  if (w.block.order != nullptr) w.block.gang().races->access(w, op, mask, a);
  if (Observer* o = w.block.observer()) o->accessed(w, op, mask, a);
  return !w.stop;
}

bool undefine(Warp& w, const Access& a, unsigned lane, uint64_t at, uint64_t bytes) {
  uint64_t offset = a.address[lane];
  Space space = ptx::base_space(a.space);
  if (space == Space::kNone) {
    space = space_of(offset);
    if (space == Space::kShared) offset -= kSharedWindow;
    if (space == Space::kLocal) offset -= kLocalWindow;
    if (space == Space::kParam) offset -= kParamWindow;
  }
  uint64_t* defined = nullptr;
  if (space == Space::kShared) {
    defined = w.block.gang().shared_owner(w.block, offset)->shared_defined.data();
  } else if (space == Space::kGlobal) {
    Region* r = w.block.memory().find(offset);
    offset -= r->base();
    defined = r->page(offset)->defined.data();
    offset %= kPageBytes;
  } else {
    defined = w.local_defined(lane);
  }
  if (defined == nullptr) return false;
  mark_defined(defined, offset + at, bytes, false);
  return true;
}

void store_undefined(Warp& w, const Op& op, LaneMask mask, const Access& a) {
  for (size_t e = 0; e < a.values.size(); ++e) {
    const Slot& s = a.values[e];
    if (s.reg == UINT32_MAX) continue;
    const LaneMask bad = w.frame->undefined[s.reg] & mask;
    LaneMask global = 0;
    for_each_lane(bad, [&](unsigned l) {
      undefine(w, a, l, e * a.element, a.element);
      const Space space =
          a.space == Space::kNone ? space_of(a.address[l]) : ptx::base_space(a.space);
      if (space == Space::kGlobal) global |= LaneMask{1} << l;
    });
    if (global != 0)
      w.note(FaultKind::kUninitialised, op, global,
             a.address[static_cast<unsigned>(std::countr_zero(global))],
             "a value that nothing wrote goes to global memory");
  }
}

bool shared_is_there(Warp& w, const Op& op, LaneMask lanes, Block& owner, uint64_t offset,
                     uint64_t bytes, bool write) {
  if (&owner != &w.block && owner.finished()) {
    w.fault(
        FaultKind::kIllegal, op, lanes, offset,
        fmt::format("shared memory of block {} of the cluster, which has exited", owner.rank()));
    return false;
  }
  if (owner.copies == nullptr || !w.block.checks().async_copies) return true;
  const CopyMark* m = owner.copies->touched(offset, bytes, write);
  if (m == nullptr) return true;
  w.fault(FaultKind::kUnwaitedCopy, op, lanes, offset,
          fmt::format(
              "{} of {} bytes at {:#x} of shared memory, which the copy at line {} still {}: "
              "nothing has waited for it",
              write ? "write" : "read", bytes, offset, m->line, m->written ? "writes" : "reads"));
  return false;
}

Space space_of(uint64_t generic) {
  if (in_window(generic, kSharedWindow)) return Space::kShared;
  if (in_window(generic, kLocalWindow)) return Space::kLocal;
  if (in_window(generic, kParamWindow)) return Space::kParam;
  return Space::kGlobal;
}

}  // namespace pitot::emulator
