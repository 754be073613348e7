// tcgen05.mma: a thread's matrix product with the accumulator in tensor memory (PTX ISA,
// "TensorCore 5th Generation Matrix Multiply and accumulate Operations"). The numeric model is in
// tile.h.
//
// Covered: one block (cta_group::1), dense, kind::f16, tf32, i8, and f8f6f4 of 8-bit types; M of 64
// and 128 (data path layouts F and D).
#include <fmt/format.h>

#include "emulator/register_tile.h"
#include "emulator/shared_matrix.h"
#include "emulator/tcgen05.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Type;

enum Kind : uint16_t { kF16Kind, kTf32Kind, kF8Kind, kI8Kind };

// Op::variant: a kind and
enum Flag : uint16_t { kInTensorMemory = 8, kDisabledLanes = 16, kScaled = 32 };

// PTX ISA, "Instruction descriptor", the table for dense kinds.
struct Description {
  unsigned m = 0, n = 0, k = 0;
  Type d = Type::kNone, a = Type::kNone, b = Type::kNone;
  bool saturate = false, negate_a = false, negate_b = false, a_mn = false, b_mn = false;
};

Type multiplicand(Kind kind, uint32_t code) {
  switch (kind) {
    case kF16Kind:
      return code == 0 ? Type::kF16 : code == 1 ? Type::kBf16 : Type::kNone;
    case kTf32Kind:
      return code == 2 ? Type::kTf32 : Type::kNone;
    case kF8Kind:
      switch (code) {
        case 0:
          return Type::kE4m3;
        case 1:
          return Type::kE5m2;
        case 3:
          return Type::kE2m3;
        case 4:
          return Type::kE3m2;
        case 5:
          return Type::kE2m1;
        default:
          return Type::kNone;
      }
    default:
      return code == 0 ? Type::kU8 : code == 1 ? Type::kS8 : Type::kNone;
  }
}

// What is wrong with the descriptor; empty when nothing is. `covered` is cleared for what is legal
// but not here.
std::string describe(uint32_t i, Kind kind, Description& d, bool& covered) {
  d.saturate = (i >> 3 & 1) != 0;
  constexpr Type kAccumulators[] = {Type::kF16, Type::kF32, Type::kS32, Type::kNone};
  d.d = kAccumulators[i >> 4 & 3];
  d.a = multiplicand(kind, i >> 7 & 7);
  d.b = multiplicand(kind, i >> 10 & 7);
  d.negate_a = (i >> 13 & 1) != 0;
  d.negate_b = (i >> 14 & 1) != 0;
  d.a_mn = (i >> 15 & 1) != 0;
  d.b_mn = (i >> 16 & 1) != 0;
  d.n = (i >> 17 & 63) * 8;
  d.m = (i >> 24 & 31) * 16;
  if (d.a == Type::kNone || d.b == Type::kNone || d.d == Type::kNone ||
      (d.d == Type::kS32) != (kind == kI8Kind) || (d.d == Type::kF16 && kind == kTf32Kind))
    return "the instruction descriptor has types that the kind has not";
  if (d.m != 64 && d.m != 128) return fmt::format("M is {}, not 64 or 128", d.m);
  if (d.n == 0 || d.n > 256 || d.n % (d.m == 64 ? 8 : 16) != 0)
    return fmt::format("N of {} does not go with M of {}", d.n, d.m);
  covered = (i & 7) == 0 && element_bits(d.a) >= 8 && element_bits(d.b) >= 8;
  if (!covered) return "sparse products and types of less than 8 bits are not covered";
  d.k = 256 / element_bits(d.a);
  return {};
}

class Product {
 public:
  Product(Warp& w, const Op& op, unsigned lane)
      : w_(w), op_(op), lane_(lane), memory_(w.block.tensor_memory()) {}

  void run() {
    bool covered = true;
    std::string problem = describe(word(3), static_cast<Kind>(op_.variant & 7), f_, covered);
    if (!problem.empty())
      return fail(covered ? FaultKind::kIllegal : FaultKind::kUncovered, std::move(problem));
    const bool integer = f_.d == Type::kS32;
    if (!load_a(integer) || !load_b()) return;
    const size_t predicate = (op_.variant & kDisabledLanes) != 0 ? 5 : 4;
    if (!load_d(integer, word(predicate) != 0)) return;
    if (integer) {
      multiply_integer(a_, b_, d_, d_, f_.saturate);
    } else {
      if (f_.negate_a) negate(a_);
      if (f_.negate_b) negate(b_);
      multiply_float(a_, b_, d_, d_);
    }
    store_d();
  }

 private:
  uint32_t word(size_t operand) const {
    return static_cast<uint32_t>(w_.get(w_.program().operand(op_, operand)[0], lane_));
  }
  LaneMask own() const { return LaneMask{1} << lane_; }
  void fail(FaultKind kind, std::string text) { w_.fault(kind, op_, own(), 0, std::move(text)); }
  static void negate(Tile& t) {
    for (double& v : t.f) v = -v;
  }

  // The lane of tensor memory that row r of A or D is: with M of 64, half of each warp's.
  unsigned row_of(unsigned base, unsigned r) const {
    return base + (f_.m == 64 ? r / 16 * 32 + r % 16 : r);
  }
  bool aligned(TensorAddress at) {
    if (at.row == 0 || (f_.m == 64 && at.row == 16)) return true;
    fail(FaultKind::kIllegal,
         fmt::format("lane {} cannot be the first of a matrix with {} rows", at.row, f_.m));
    return false;
  }

  bool descriptor(size_t operand, bool mn_major, SharedMatrix& m) {
    const uint64_t d = w_.get(w_.program().operand(op_, operand)[0], lane_);
    std::string problem;
    if (!parse_descriptor(d, DescriptorKind::kTcgen05, m, problem)) {
      fail(FaultKind::kUncovered, std::move(problem));
      return false;
    }
    m.mn_major = mn_major;
    return true;
  }

  bool load_a(bool integer) {
    if ((op_.variant & kInTensorMemory) == 0) {
      SharedMatrix m;
      return descriptor(1, f_.a_mn, m) &&
             load_matrix(w_, op_, m, f_.a, 0, f_.m, f_.k, true, a_, bad_rows_, lane_);
    }
    const unsigned bits = element_bits(f_.a), per = 32 / bits;
    const TensorAddress at = tensor_address(w_, op_, 1, lane_);
    if (!aligned(at) || !check_columns(w_, op_, own(), at, f_.k / per)) return false;
    a_.reshape(f_.m, f_.k, integer);
    bad_rows_.assign(f_.m, false);
    for (unsigned r = 0; r < f_.m; ++r)
      for (unsigned k = 0; k < f_.k; ++k) {
        const unsigned row = row_of(at.row, r), column = at.column + k / per;
        if (!memory_.defined(row, column)) bad_rows_[r] = true;
        const uint32_t raw = (memory_.get(row, column) >> (k % per * bits)) &
                             (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
        if (integer) {
          a_.int_at(r, k) = decode_integer(f_.a, raw);
        } else {
          a_.at(r, k) = decode_float(f_.a, raw);
        }
      }
    return true;
  }

  bool load_b() {
    SharedMatrix m;
    return descriptor(2, f_.b_mn, m) &&
           load_matrix(w_, op_, m, f_.b, 0, f_.n, f_.k, false, b_, bad_columns_, lane_);
  }

  // The accumulator, scaled by 2^-s when the instruction has a scale; zero when it does not take
  // part. One element a column, halves in its low bits.
  bool load_d(bool integer, bool accumulate) {
    at_ = tensor_address(w_, op_, 0, lane_);
    if (!aligned(at_) || !check_columns(w_, op_, own(), at_, f_.n)) return false;
    d_.reshape(f_.m, f_.n, integer);
    accumulate_ = accumulate;
    if (!accumulate) return true;
    double factor = 1;
    if ((op_.variant & kScaled) != 0)
      factor = 1.0 / static_cast<double>(uint64_t{1} << (op_.imm & 15));
    for (unsigned r = 0; r < f_.m; ++r)
      for (unsigned n = 0; n < f_.n; ++n) {
        const uint32_t raw = memory_.get(row_of(at_.row, r), at_.column + n);
        if (integer) {
          d_.int_at(r, n) = static_cast<int32_t>(raw);
        } else {
          d_.at(r, n) = decode_float(f_.d, raw) * factor;
        }
      }
    return true;
  }

  void store_d() {
    std::array<uint32_t, 4> disabled{};
    if ((op_.variant & kDisabledLanes) != 0) {
      const auto slots = w_.program().operand(op_, 4);
      for (size_t i = 0; i < slots.size() && i < 4; ++i)
        disabled[i] = static_cast<uint32_t>(w_.get(slots[i], lane_));
    }
    for (unsigned r = 0; r < f_.m; ++r) {
      const unsigned row = row_of(at_.row, r);
      if ((disabled[row / 32] >> (row % 32) & 1) != 0) continue;
      for (unsigned n = 0; n < f_.n; ++n) {
        const unsigned column = at_.column + n;
        const bool bad =
            bad_rows_[r] || bad_columns_[n] || (accumulate_ && !memory_.defined(row, column));
        memory_.set(row, column, static_cast<uint32_t>(encode_element(f_.d, d_, r, n)), !bad);
      }
    }
  }

  Warp& w_;
  const Op& op_;
  unsigned lane_;
  TensorMemory& memory_;
  Description f_;
  TensorAddress at_;
  bool accumulate_ = false;
  Tile a_, b_, d_;
  std::vector<bool> bad_rows_, bad_columns_;
};

// Each thread that executes the instruction issues a product.
void multiply(Warp& w, const Op& op, LaneMask mask) {
  for_each_lane(mask, [&](unsigned lane) {
    if (!w.stop) Product(w, op, lane).run();
  });
}

}  // namespace

bool select_tcgen05_mma(Selection& s) {
  if (s.has(Mod::kSp) || s.has(Mod::kWs) || s.has(Mod::kAshift) || s.has(Mod::kBlockScale))
    return false;
  uint16_t v = 0;
  if (s.has(Mod::kKindF16)) {
    v = kF16Kind;
  } else if (s.has(Mod::kKindTf32)) {
    v = kTf32Kind;
  } else if (s.has(Mod::kKindF8f6f4)) {
    v = kF8Kind;
  } else if (s.has(Mod::kKindI8)) {
    v = kI8Kind;
  } else {
    return false;
  }
  if (s.operands.size() < 5) return false;
  if (s.operands[1].kind == ptx::OperandKind::kAddress) v |= kInTensorMemory;
  size_t operands = 5;
  if (s.operands[4].kind == ptx::OperandKind::kVector) {
    v |= kDisabledLanes;
    ++operands;
  }
  if (s.operands.size() == operands + 1) {
    v |= kScaled;
    s.op.imm = s.lop3_table;  // the last literal
    ++operands;
  }
  if (s.operands.size() != operands) return false;
  s.op.variant = v;
  s.op.run = multiply;
  return true;
}

}  // namespace pitot::emulator
