// tcgen05.mma: a thread's matrix product with the accumulator in tensor memory (PTX ISA,
// "TensorCore 5th Generation Matrix Multiply and accumulate Operations"). The numeric model is in
// tile.h, what the instruction descriptor says in tcgen05_descriptor.h, metadata and scale factors
// in tcgen05_sources.h. With cta_group::2 each block of the pair has half of the rows of A and D
// and half of the columns of B. The collector's use changes no result: matrices are read anew.
//
// Not covered: .ashift, K of 96, column masks and shifts of .ws, A of less than 8 bits in tensor
// memory but for mxf4, sparse products on half of the lanes, sparsity selectors other than 0.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/gang.h"
#include "emulator/register_tile.h"
#include "emulator/shared_matrix.h"
#include "emulator/tcgen05_sources.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Type;

// Op::variant: a kind and
enum Flag : uint16_t {
  kInTensorMemory = 8,
  kDisabledLanes = 16,
  kScaled = 32,
  kSparse = 64,
  kWeightStationary = 128,
  kPair = 256,
  kColumnMask = 512,
  kBlockScales1 = 1024,
  kBlockScales2 = 2048,
  kBlockScales4 = 4096
};

MmaVariant variant_of(const Op& op) {
  MmaVariant v;
  v.kind = static_cast<MmaKind>(op.variant & 7);
  v.pair = (op.variant & kPair) != 0;
  v.sparse = (op.variant & kSparse) != 0;
  v.ws = (op.variant & kWeightStationary) != 0;
  v.scales = (op.variant & kBlockScales1) != 0   ? 1
             : (op.variant & kBlockScales2) != 0 ? 2
             : (op.variant & kBlockScales4) != 0 ? 4
                                                 : 0;
  return v;
}

// Operands in the order in which they are written.
struct MmaOperands {
  size_t metadata = 0, descriptor = 3, scales = 0, lanes = 0, predicate = 4, last = 0;
};
MmaOperands operands_of(const Op& op) {
  MmaOperands o;
  size_t next = 3;
  if ((op.variant & kSparse) != 0) o.metadata = next++;
  o.descriptor = next++;
  if ((op.variant & (kBlockScales1 | kBlockScales2 | kBlockScales4)) != 0) {
    o.scales = next;
    next += 2;
  }
  if ((op.variant & kDisabledLanes) != 0) o.lanes = next++;
  o.predicate = next++;
  if ((op.variant & (kScaled | kColumnMask)) != 0) o.last = next++;
  return o;
}

class Product {
 public:
  Product(Warp& w, const Op& op, unsigned lane)
      : w_(w), op_(op), lane_(lane), v_(variant_of(op)), operand_(operands_of(op)) {}

  void run() {
    bool covered = true;
    std::string problem = describe_mma(word(operand_.descriptor), v_, f_, covered);
    if (problem.empty() && (op_.variant & kColumnMask) != 0 && !no_mask()) {
      covered = false;
      problem = "a mask or shift of the columns of B is not covered";
    }
    if (!problem.empty()) {
      fail(covered, std::move(problem));
      return;
    }
    blocks_ = tcgen05_blocks(w_, op_, lane_, v_.pair);
    if (blocks_.empty() || !load_b()) return;
    for (size_t i = 0; i < blocks_.size(); ++i)
      if (!one(i)) return;
  }

 private:
  uint64_t wide(size_t operand) const {
    return w_.get(w_.program().operand(op_, operand)[0], lane_);
  }
  uint32_t word(size_t operand) const { return static_cast<uint32_t>(wide(operand)); }
  LaneMask own() const { return LaneMask{1} << lane_; }
  bool fail(bool covered, std::string text) {
    w_.fault(covered ? FaultKind::kIllegal : FaultKind::kUncovered, op_, own(), 0, std::move(text));
    return false;
  }
  static void negate(Tile& t) {
    for (double& v : t.f) v = -v;
  }
  bool no_mask() const {
    const uint64_t mask = wide(operand_.last);
    return (mask >> 39 & 1) == 0 && (mask >> 56 & 63) == 0;
  }
  bool integer() const { return f_.d == Type::kS32; }
  // Elements in 16 bytes of shared memory: kinds of mixed types pad the small ones.
  unsigned per_chunk() const {
    return v_.kind == MmaKind::kF8f6f4 || v_.kind == MmaKind::kMxf8f6f4 ? 16 : 0;
  }
  unsigned stored_k() const { return v_.sparse ? f_.k / 2 : f_.k; }

  // The part of the product that lies in one block.
  bool one(size_t i) {
    block_ = blocks_[i];
    if (!load_a()) return false;
    // Each block scales all of B by factors of its own.
    std::vector<bool> bad_columns = bad_columns_;
    Tile own_b;
    if (v_.scales != 0 || f_.negate_b) own_b = b_;
    Tile& b = v_.scales != 0 || f_.negate_b ? own_b : b_;
    if (v_.scales != 0 && !scale(b, bad_columns)) return false;
    const bool accumulate = word(operand_.predicate) != 0;
    if (!load_d(accumulate)) return false;
    if (integer()) {
      multiply_integer(a_, b, d_, d_, f_.saturate);
    } else {
      if (f_.negate_a) negate(a_);
      if (f_.negate_b) negate(b);
      multiply_float(a_, b, d_, d_);
    }
    store_d(i, accumulate, bad_columns);
    return true;
  }

  bool descriptor(size_t operand, bool mn_major, const Block& block, SharedMatrix& m) {
    std::string problem;
    if (!parse_descriptor(w_, wide(operand), DescriptorKind::kTcgen05, m, problem))
      return fail(false, std::move(problem));
    // PTX ISA, "Valid Combinations of Type-Size, Major-ness and Swizzling".
    if (mn_major && m.wide_atoms != (v_.kind == MmaKind::kTf32))
      return fail(true,
                  "a transposed matrix of 32-bit elements, and no other, needs 128-byte "
                  "swizzling with atoms of 32 bytes");
    if (!mn_major && m.wide_atoms)
      return fail(false, "swizzling with atoms of 32 bytes of a K-major matrix is not covered");
    m.mn_major = mn_major;
    m.window = block.shared_base();
    m.per_chunk = per_chunk();
    return true;
  }

  // Tensor memory at an operand: the columns must be there. Scale factors' addresses have a byte
  // number in the top two bits.
  bool place(size_t operand, unsigned columns, TensorAddress& at) {
    at = tensor_address(w_, op_, operand, lane_);
    at.row &= 0x3fff;
    const bool halves = f_.layout == MmaLayout::kHalf;
    if (at.row != 0 && !(halves && at.row == 16))
      return fail(true, fmt::format("lane {} cannot be the first of a matrix with {} rows", at.row,
                                    f_.rows));
    return check_columns(w_, op_, own(), *block_, at, columns);
  }

  bool load_a() {
    Tile stored;
    if ((op_.variant & kInTensorMemory) == 0) {
      SharedMatrix m;
      if (!descriptor(1, f_.a_mn, *block_, m) ||
          !load_matrix(w_, op_, m, f_.a, 0, f_.rows, stored_k(), true, stored, bad_rows_, lane_))
        return false;
    } else if (!load_a_from_tensor_memory(stored)) {
      return false;
    }
    if (!v_.sparse) {
      a_ = std::move(stored);
      return true;
    }
    TensorAddress at;
    const bool narrow = v_.kind != MmaKind::kF16 && v_.kind != MmaKind::kTf32;
    if (!place(operand_.metadata, narrow ? 2 : 1, at)) return false;
    bool covered = true;
    std::string problem =
        expand_mma(block_->tensor_memory(), at.column, v_, f_, stored, a_, bad_rows_, covered);
    return problem.empty() || fail(covered, std::move(problem));
  }

  bool load_a_from_tensor_memory(Tile& stored) {
    const unsigned bits = element_bits(f_.a), per = 32 / bits;
    if (bits < 8 && per_chunk() != 0)
      return fail(false, "A of less than 8 bits in tensor memory is not covered");
    TensorAddress at;
    if (!place(1, stored_k() / per, at)) return false;
    const TensorMemory& memory = block_->tensor_memory();
    stored.reshape(f_.rows, stored_k(), integer());
    bad_rows_.assign(f_.rows, false);
    for (unsigned r = 0; r < f_.rows; ++r)
      for (unsigned k = 0; k < stored_k(); ++k) {
        const CopiedWord word =
            read_copies(memory, at.row + f_.lane(r, 0), at.column + k / per, f_.copies(), f_.rows);
        if (!word.equal)
          return fail(false, "A that is not the same for all parts of N is not covered");
        if (!word.defined) bad_rows_[r] = true;
        const uint32_t raw =
            (word.value >> (k % per * bits)) & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
        if (integer()) {
          stored.int_at(r, k) = decode_integer(f_.a, raw);
        } else {
          stored.at(r, k) = decode_float(f_.a, raw);
        }
      }
    return true;
  }

  // All of B, from the blocks that hold it.
  bool load_b() {
    const auto parts = static_cast<unsigned>(blocks_.size()), columns = f_.n / parts;
    b_.reshape(f_.k, f_.n, integer());
    bad_columns_.clear();
    for (unsigned p = 0; p < parts; ++p) {
      SharedMatrix m;
      Tile part;
      std::vector<bool> bad;
      if (!descriptor(2, f_.b_mn, *blocks_[p], m) ||
          !load_matrix(w_, op_, m, f_.b, 0, columns, f_.k, false, part, bad, lane_))
        return false;
      bad_columns_.insert(bad_columns_.end(), bad.begin(), bad.end());
      for (unsigned k = 0; k < f_.k; ++k)
        for (unsigned n = 0; n < columns; ++n) {
          if (integer()) {
            b_.int_at(k, p * columns + n) = part.int_at(k, n);
          } else {
            b_.at(k, p * columns + n) = part.at(k, n);
          }
        }
    }
    return true;
  }

  bool scale(Tile& b, std::vector<bool>& bad_columns) {
    TensorAddress a_at, b_at;
    if (!place(operand_.scales, (f_.rows + 31) / 32, a_at) ||
        !place(operand_.scales + 1, (f_.columns() + 31) / 32, b_at))
      return false;
    const TensorMemory& memory = block_->tensor_memory();
    std::string problem = scale_mma_rows(memory, a_at.column, v_, f_, a_, bad_rows_);
    if (problem.empty()) problem = scale_mma_columns(memory, b_at.column, v_, f_, b, bad_columns);
    return problem.empty() || fail(true, std::move(problem));
  }

  // Calls f(row, lane of tensor memory, first column of N that lies there).
  template <class F>
  void for_each_row(F&& f) const {
    for (unsigned first = 0; first < f_.n; first += f_.columns())
      for (unsigned r = 0; r < f_.rows; ++r) f(r, at_.row + f_.lane(r, first), first);
  }

  // The accumulator, scaled by 2^-s when the instruction has a scale; zero when it does not take
  // part. One element a column, halves in its low bits.
  bool load_d(bool accumulate) {
    if (!place(0, f_.columns(), at_)) return false;
    d_.reshape(f_.rows, f_.n, integer());
    if (!accumulate) return true;
    double factor = 1;
    if ((op_.variant & kScaled) != 0)
      factor = 1.0 / static_cast<double>(uint64_t{1} << (op_.imm & 15));
    const TensorMemory& memory = block_->tensor_memory();
    for_each_row([&](unsigned r, unsigned lane, unsigned first) {
      for (unsigned c = 0; c < f_.columns(); ++c) {
        const uint32_t raw = memory.get(lane, at_.column + c);
        if (integer()) {
          d_.int_at(r, first + c) = static_cast<int32_t>(raw);
        } else {
          d_.at(r, first + c) = decode_float(f_.d, raw) * factor;
        }
      }
    });
    return true;
  }

  void store_d(size_t part, bool accumulate, const std::vector<bool>& bad_columns) {
    std::array<uint32_t, 4> disabled{};
    if (operand_.lanes != 0) {
      const auto slots = w_.program().operand(op_, operand_.lanes);
      for (size_t i = 0; i < 4 && 4 * part + i < slots.size(); ++i)
        disabled[i] = static_cast<uint32_t>(w_.get(slots[4 * part + i], lane_));
    }
    TensorMemory& memory = block_->tensor_memory();
    for_each_row([&](unsigned r, unsigned lane, unsigned first) {
      if ((disabled[lane / 32] >> (lane % 32) & 1) != 0) return;
      for (unsigned c = 0; c < f_.columns(); ++c) {
        const unsigned n = first + c, column = at_.column + c;
        const bool bad =
            bad_rows_[r] || bad_columns[n] || (accumulate && !memory.defined(lane, column));
        memory.set(lane, column, static_cast<uint32_t>(encode_element(f_.d, d_, r, n)), !bad);
      }
    });
  }

  Warp& w_;
  const Op& op_;
  unsigned lane_;
  MmaVariant v_;
  MmaOperands operand_;
  MmaDescription f_;
  std::vector<Block*> blocks_;
  Block* block_ = nullptr;  // whose part is at work
  TensorAddress at_;        // of D
  Tile a_, b_, d_;
  std::vector<bool> bad_rows_, bad_columns_;
};

// Each thread that executes the instruction issues a product.
void multiply(Warp& w, const Op& op, LaneMask mask) {
  for_each_lane(mask, [&](unsigned lane) {
    if (!w.stop) Product(w, op, lane).run();
  });
}

bool kind_of(const Selection& s, MmaKind& kind, unsigned& scales) {
  struct Name {
    Mod mod;
    MmaKind kind;
    unsigned scales;  // where the spelling does not say
  };
  constexpr Name kNames[] = {
      {Mod::kKindF16, MmaKind::kF16, 0},           {Mod::kKindTf32, MmaKind::kTf32, 0},
      {Mod::kKindF8f6f4, MmaKind::kF8f6f4, 0},     {Mod::kKindI8, MmaKind::kI8, 0},
      {Mod::kKindMxf8f6f4, MmaKind::kMxf8f6f4, 1}, {Mod::kKindMxf4, MmaKind::kMxf4, 2},
      {Mod::kKindMxf4nvf4, MmaKind::kMxf4nvf4, 2}};
  for (const Name& n : kNames) {
    if (!s.has(n.mod)) continue;
    kind = n.kind;
    scales = n.scales;
    if (kind == MmaKind::kMxf4nvf4 && (s.has(Mod::kScaleVec_4X) || s.has(Mod::kBlock16)))
      scales = 4;
    return true;
  }
  return false;
}

}  // namespace

bool select_tcgen05_mma(Selection& s) {
  if (s.has(Mod::kAshift)) return false;
  MmaKind kind = MmaKind::kF16;
  unsigned scales = 0;
  if (!kind_of(s, kind, scales) || (scales != 0) != s.has(Mod::kBlockScale)) return false;
  auto v = static_cast<uint16_t>(kind);
  if (s.has(Mod::kSp)) v |= kSparse;
  if (s.has(Mod::kWs)) v |= kWeightStationary;
  if (s.has(Mod::kCtaGroup_2)) v |= kPair;
  if (scales == 1) v |= kBlockScales1;
  if (scales == 2) v |= kBlockScales2;
  if (scales == 4) v |= kBlockScales4;
  s.op.variant = v;
  const size_t fixed = operands_of(s.op).predicate;
  if (s.operands.size() <= fixed) return false;
  if (s.operands[1].kind == ptx::OperandKind::kAddress) v |= kInTensorMemory;
  if (s.operands[fixed].kind == ptx::OperandKind::kVector) v |= kDisabledLanes;
  s.op.variant = v;
  const size_t operands = operands_of(s.op).predicate + 1;
  if (s.operands.size() == operands + 1) {
    v |= s.has(Mod::kWs) ? kColumnMask : kScaled;
    s.op.imm = s.lop3_table;  // the last literal
  } else if (s.operands.size() != operands) {
    return false;
  }
  s.op.variant = v;
  s.op.run = multiply;
  return true;
}

}  // namespace pitot::emulator
