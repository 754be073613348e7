// Integer instructions by meaning: what the bit, affine and per-lane analyses need to know of an
// opcode, and its value for concrete operands (PTX ISA, "Integer Arithmetic", "Logic and Shift",
// "Comparison and Selection", "Data Movement and Conversion").
#pragma once

#include <cstdint>
#include <span>

#include "analysis/bits.h"
#include "ptx/isa.h"

namespace pitot::analysis {

enum class IntOp : uint8_t {
  kOther,  // not an integer operation that is modelled
  kMov,
  kAdd,
  kSub,
  kMul,  // low half
  kMulHi,
  kMulWide,
  kMad,  // low half
  kMadWide,
  kAnd,
  kOr,
  kXor,
  kNot,
  kNeg,
  kAbs,
  kMin,
  kMax,
  kDiv,
  kRem,
  kShl,
  kShr,
  kFunnelLeft,   // shf.l
  kFunnelRight,  // shf.r
  kBfe,
  kBfi,
  kPopc,
  kClz,
  kBrev,
  kCnot,
  kLop3,
  kPrmt,
  kCompare,  // setp
  kSelect,   // selp
  kConvert,  // cvt between integer types
};

struct IntInstruction {
  IntOp op = IntOp::kOther;
  uint8_t width = 0;           // of the sources, bits; 1 for predicates
  uint8_t result_width = 0;    // of the result before it is extended to a wider register
  bool is_signed = false;      // sources
  bool result_signed = false;  // how a wider register is filled
  bool wrap = false;           // shf.wrap
  Order order = Order::kEq;
  enum class Combine : uint8_t { kNone, kAnd, kOr, kXor } combine = Combine::kNone;  // of setp
};

// Bits of a plain integer or bit type (b8 … s64), 1 for pred, 0 for all others.
unsigned int_width(ptx::Type type);
// Bits of what a register of this type holds; 64 at most.
unsigned value_width(ptx::Type type);

IntInstruction classify(const ptx::Opcode& opcode);

// The result for concrete, zero-extended sources, zero-extended to 64 bits. kCompare gives the
// first destination (its third source is the predicate to combine with). False where PTX leaves it
// open (division by zero), for kOther and for missing operands.
bool evaluate(const IntInstruction& i, std::span<const uint64_t> sources, uint64_t& out);

inline int64_t sign_extended(uint64_t v, unsigned width) {
  return width >= 64 ? static_cast<int64_t>(v)
                     : static_cast<int64_t>(v << (64 - width)) >> (64 - width);
}

}  // namespace pitot::analysis
