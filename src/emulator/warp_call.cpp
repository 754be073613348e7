// Calls: a frame for the lanes that call together, arguments and results copied between frames.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/block.h"
#include "emulator/defined_bits.h"
#include "emulator/memory.h"
#include "emulator/warp.h"

namespace pitot::emulator {
namespace {

constexpr unsigned kMaxDepth = 2048;

}  // namespace

// The callee of a direct call, or of an indirect one by the address in a register.
bool Warp::call(size_t chosen, const Op& op, LaneMask mask) {
  if (mask == 0) {
    ++pc;
    return true;
  }
  const Program& p = program();
  const auto operands = p.operands_of(op);
  // (returns), callee, (arguments)[, prototype or table]; each list may be missing.
  size_t callee = 0;
  if (!operands.empty() && operands[0].kind == ptx::OperandKind::kList && operands.size() > 1)
    callee = 1;
  if (callee >= operands.size()) {
    fault(FaultKind::kIllegal, op, mask, 0, "call without a callee");
    return false;
  }
  uint32_t function = UINT32_MAX;
  if (operands[callee].kind == ptx::OperandKind::kSymbol) {
    function = p.module->symbols[operands[callee].symbol].function;
  } else {
    const Slot& s = p.slots[op.first_slot + operands[callee].first];
    if (!index_defined(op, s, mask)) return false;
    const uint64_t address = get(s, static_cast<unsigned>(std::countr_zero(mask)));
    LaneMask same = 0;
    for_each_lane(mask, [&](unsigned lane) {
      if (get(s, lane) == address) same |= LaneMask{1} << lane;
    });
    if (same != mask) {  // others call something else: they try again by themselves
      Fragment other = fragments_[chosen];
      other.lanes = fragments_[chosen].lanes & ~same;
      fragments_[chosen].lanes = same;
      other.last_run = clock_;
      // Lanes whose guard is false stay with the second part, which then steps over the call.
      fragments_.push_back(std::move(other));
      mask = same;
    }
    if (address >= kCodeWindow && address - kCodeWindow < p.functions.size())
      function = static_cast<uint32_t>(address - kCodeWindow);
  }
  if (function < p.functions.size() && !p.module->functions[function].has_body)
    if (const ptx::Function* f = p.module->find_function(p.module->functions[function].name))
      function = static_cast<uint32_t>(f - p.module->functions.data());
  if (function >= p.functions.size() || !p.module->functions[function].has_body) {
    const std::string name = operands[callee].kind == ptx::OperandKind::kSymbol
                                 ? std::string(p.module->symbols[operands[callee].symbol].name)
                                 : std::string("an address that is no function");
    fault(FaultKind::kIllegal, op, mask, 0,
          fmt::format("call of {}, which has no body in this module", name));
    return false;
  }
  if (frame->depth >= kMaxDepth) {
    fault(FaultKind::kMemoryCap, op, mask, 0, fmt::format("calls nested {} deep", kMaxDepth));
    return false;
  }
  const FunctionCode& code = p.functions[function];
  Fragment& f = fragments_[chosen];
  if (f.lanes != mask) {
    Fragment rest = f;
    rest.lanes &= ~mask;
    rest.pc = pc + 1;
    f.lanes = mask;
    fragments_.push_back(std::move(rest));
  }
  Fragment& caller = fragments_[chosen];
  auto made = make_frame(code, caller.frame, pc, (caller.frame->local_top + 15) / 16 * 16);
  forget_local(mask, made->local_base, made->local_top);
  const size_t arguments = callee + 1;
  if (arguments < operands.size() && operands[arguments].kind == ptx::OperandKind::kList)
    pass(op, arguments, code.parameters, *caller.frame, *made, mask, true);
  if (stop) return false;
  caller.frame = std::move(made);
  caller.pc = code.first;
  return false;
}

// What one value that a call hands over is: defined or not, byte by byte where both sides are in
// memory.
void Warp::pass_defined(const FormalPlace& formal, const Slot& s, bool is_variable, Frame& outer,
                        Frame& inner, unsigned lane, uint64_t size, bool in) {
  uint64_t* const bits = local_defined(lane);
  const LaneMask one = LaneMask{1} << lane;
  const uint64_t inside = inner.local_base + formal.at;
  const uint64_t outside =
      is_variable ? reinterpret_cast<uint64_t*>(outer.registers + s.at)[lane] : 0;
  if (is_variable && !formal.in_register) {
    for (uint64_t b = 0; b < size; ++b)
      mark_defined(bits, (in ? inside : outside) + b, 1,
                   is_defined(bits, (in ? outside : inside) + b));
    return;
  }
  // At most one of the two is in memory.
  auto in_register = [&](Frame& f, uint32_t reg) {
    return reg == UINT32_MAX || (f.undefined[reg] & one) == 0;
  };
  auto set_register = [&](Frame& f, uint32_t reg, bool defined) {
    if (reg == UINT32_MAX) return;
    f.undefined[reg] = defined ? f.undefined[reg] & ~one : f.undefined[reg] | one;
  };
  if (in) {
    const bool defined =
        is_variable ? all_bytes_defined(bits, outside, size) : in_register(outer, s.reg);
    if (formal.in_register) {
      set_register(inner, formal.reg, defined);
    } else {
      mark_defined(bits, inside, size, defined);
    }
  } else {
    const bool defined =
        formal.in_register ? in_register(inner, formal.reg) : all_bytes_defined(bits, inside, size);
    if (is_variable) {
      mark_defined(bits, outside, size, defined);
    } else {
      set_register(outer, s.reg, defined);
    }
  }
}

// Copies between the slots of a list operand and the formal values of a callee.
void Warp::pass(const Op& op, size_t list, const std::vector<FormalPlace>& formals, Frame& outer,
                Frame& inner, LaneMask mask, bool in) {
  const Program& p = program();
  const OperandPlace& place = p.operands[op.first_operand + list];
  const ptx::Operand& written = p.module->operands_of(p.instruction(op))[list];
  const auto items = p.module->children_of(written);
  size_t slot = op.first_slot + place.first;
  for (size_t k = 0; k < items.size() && k < formals.size(); ++k) {
    const FormalPlace& formal = formals[k];
    const Slot& s = p.slots[slot++];
    const bool is_variable = items[k].kind == ptx::OperandKind::kSymbol;
    for_each_lane(mask, [&](unsigned lane) {
      if (stop) return;
      const uint64_t size = formal.in_register ? (formal.bits + 7) / 8 : formal.size;
      // Both, the inner one first: it lies higher, and making room for it may move the other.
      std::byte* const inside =
          formal.in_register ? nullptr : local(lane, inner.local_base + formal.at, size);
      std::byte* const outside =
          is_variable ? local(lane, reinterpret_cast<uint64_t*>(outer.registers + s.at)[lane], size)
                      : nullptr;
      uint64_t value = 0;
      std::byte* const saved = regs;
      if ((is_variable && outside == nullptr) || (!formal.in_register && inside == nullptr)) {
        fault(FaultKind::kMemoryCap, op, mask, 0, "local memory of a thread is used up");
        return;
      }
      if (block.checks().uninitialised)
        pass_defined(formal, s, is_variable, outer, inner, lane, size, in);
      Slot formal_slot;
      formal_slot.at = formal.at;
      formal_slot.bits = static_cast<uint16_t>(formal.bits);
      if (in) {
        if (is_variable && inside != nullptr) {
          std::memmove(inside, outside, size);
          return;
        }
        if (is_variable) {
          std::memcpy(&value, outside, std::min<uint64_t>(size, 8));
        } else {
          regs = outer.registers;
          value = get(s, lane);
        }
        if (inside != nullptr) {
          std::memcpy(inside, &value, std::min<uint64_t>(size, 8));
        } else {
          regs = inner.registers;
          set(formal_slot, lane, value);
        }
      } else {
        if (is_variable && inside != nullptr) {
          std::memmove(outside, inside, size);
          return;
        }
        if (inside != nullptr) {
          std::memcpy(&value, inside, std::min<uint64_t>(size, 8));
        } else {
          regs = inner.registers;
          value = get(formal_slot, lane);
        }
        if (is_variable) {
          std::memcpy(outside, &value, std::min<uint64_t>(size, 8));
        } else {
          regs = outer.registers;
          set(s, lane, value);
        }
      }
      regs = saved;
    });
  }
}

// ret: back to the caller; of a kernel, the end of the thread.
void Warp::leave(size_t chosen, LaneMask mask) {
  if (!fragments_[chosen].frame->parent) return exit(chosen, mask);
  Fragment back = fragments_[chosen];
  back.lanes = mask;
  const std::shared_ptr<Frame> inner = back.frame;
  back.frame = inner->parent;
  const Op& call_op = program().ops[inner->call];
  const auto operands = program().operands_of(call_op);
  if (operands.size() > 1 && operands[0].kind == ptx::OperandKind::kList)
    pass(call_op, 0, inner->code->returns, *back.frame, *inner, mask, false);
  back.pc = inner->call + 1;
  Fragment& f = fragments_[chosen];
  f.lanes &= ~mask;
  ++f.pc;
  if (f.lanes == 0) {
    f = std::move(back);
  } else {
    fragments_.push_back(std::move(back));
  }
}

}  // namespace pitot::emulator
