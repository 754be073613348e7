// narrow_address: sums and products of indices that are made in 64 bits are made in 32, where the
// result is proved to fit. The low half of a sum, difference, product, left shift or bitwise
// operation depends on the low halves of its operands only; so where the 64-bit result is known to
// lie in the range of an unsigned or signed 32-bit number, it is the extension of what 32-bit
// arithmetic on the low halves gives, whatever these overflow on the way.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "analysis/int_ops.h"
#include "analysis/scalar_range.h"
#include "transform/held.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

using namespace analysis;
using ptx::Operand;
using ptx::OperandKind;

// Instructions that a GPU needs: registers have 32 bits.
unsigned wide_cost(IntOp op) {
  switch (op) {
    case IntOp::kMul:
      return 3;
    case IntOp::kMad:
      return 4;
    case IntOp::kMulWide:
    case IntOp::kMadWide:
      return 1;
    default:
      return 2;
  }
}

// "add.s" of add.s64: the same with 32 behind it. Empty: not done in halves.
std::string stem(const ptx::Opcode& o, const IntInstruction& what) {
  const bool word = what.op == IntOp::kMulWide || what.op == IntOp::kMadWide;
  if (what.width != (word ? 32 : 64) || (o.effects & (ptx::kReadsCC | ptx::kWritesCC)) != 0 ||
      o.has_mod(ptx::Mod::kSat))
    return {};
  const char sign = what.is_signed ? 's' : 'u';
  switch (what.op) {
    case IntOp::kAdd:
      return fmt::format("add.{}", sign);
    case IntOp::kSub:
      return fmt::format("sub.{}", sign);
    case IntOp::kMul:
    case IntOp::kMulWide:
      return fmt::format("mul.lo.{}", sign);
    case IntOp::kMad:
    case IntOp::kMadWide:
      return fmt::format("mad.lo.{}", sign);
    case IntOp::kAnd:
      return "and.b";
    case IntOp::kOr:
      return "or.b";
    case IntOp::kXor:
      return "xor.b";
    case IntOp::kShl:
      return "shl.b";
    default:
      return {};
  }
}

// An instruction that can be done in 32 bits.
struct Narrow {
  uint32_t instruction = 0;
  ValueId value = kNone;
  std::string opcode;
  std::array<std::string, 3> sources;                // text; empty: `from` says which
  std::array<ValueId, 3> from{kNone, kNone, kNone};  // narrowed values
  uint8_t count = 0;
  bool is_signed = false;  // how it is extended
  bool wide_use = false;   // somebody wants all 64 bits
  unsigned cost = 0;       // in 64 bits
  size_t tree = 0;         // root of those that belong together, an index
};

class Narrowing {
 public:
  Narrowing(Subject& subject, Edit& edit)
      : subject_(subject),
        edit_(edit),
        flow_(subject.flow()),
        handed_on_(handed_on(flow_)),
        known_{{}, subject.assumptions().block, {}},
        ranges_(flow_, known_) {}

  void run() {
    for (BlockId b : flow_.cfg.order)
      for (uint32_t i = flow_.cfg.blocks[b].first; i < flow_.cfg.blocks[b].last; ++i) look_at(i);
    for (Narrow& n : found_) n.wide_use = is_wide(n.value);
    std::vector<int> gain(found_.size(), 0);
    for (const Narrow& n : found_)
      gain[root(n.tree)] += static_cast<int>(n.cost) - 1 - (n.wide_use ? 1 : 0);
    // An extension that nobody needs any more.
    std::map<uint32_t, size_t> needless;  // instruction → tree
    for (const auto& [value, instruction] : extensions_)
      if (const auto tree = only_tree(value)) {
        gain[*tree] += 1;
        needless[instruction] = *tree;
      }
    for (size_t k = 0; k < found_.size(); ++k)
      if (gain[root(k)] > 0) write(found_[k]);
    for (const auto& [instruction, tree] : needless)
      if (gain[tree] > 0) edit_.rewriter().erase_statement(at(instruction).range);
  }

 private:
  const ptx::Instruction& at(uint32_t i) const { return flow_.instruction(i); }
  std::span<const Operand> operands(uint32_t i) const {
    return subject_.module().operands_of(at(i));
  }
  size_t root(size_t k) const {
    while (found_[k].tree != k) k = found_[k].tree;
    return k;
  }

  // The value that the instruction writes to its only destination, a plain 64-bit register.
  ValueId result(uint32_t i) const {
    const auto o = operands(i);
    if (o.empty() || !o[0].is_register() || o[0].selector != ptx::Selector::kNone ||
        at(i).guard != kNoId)
      return kNone;
    const ptx::Register& r = subject_.function().registers[o[0].id];
    if (r.vector != 1 || value_width(r.type) != 64 || ptx::kind_of(r.type) == ptx::TypeKind::kFloat)
      return kNone;
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k)
      if (flow_.accesses.items[k].write) return flow_.values.value_of[k];
    return kNone;
  }

  // The low half of a 64-bit operand at the instruction: false if there is none at hand.
  bool low_half(uint32_t i, uint8_t k, Narrow& n, uint8_t source) {
    const Operand& o = operands(i)[k];
    if (o.kind == OperandKind::kInteger) {
      n.sources[source] = fmt::format("{}", static_cast<int32_t>(static_cast<uint64_t>(o.value)));
      return true;
    }
    if (!o.is_register() || o.selector != ptx::Selector::kNone) return false;
    const ValueId v = flow_.read(i, k);
    if (by_value_.count(v) != 0) {
      n.from[source] = v;
      return true;
    }
    const uint32_t w = sole_writer(flow_, v);
    if (w == kNone) return false;
    const IntInstruction what = classify(*at(w).opcode);
    if (what.op != IntOp::kConvert || what.width != 32 || what.result_width != 64 ||
        result(w) != v || !operands(w)[1].is_register() ||
        operands(w)[1].selector != ptx::Selector::kNone ||
        !still_held(flow_, flow_.read(w, 1), i) ||
        !is_visible(subject_.function(), operands(w)[1].id, at(i)))
      return false;
    const ptx::Register& r = subject_.function().registers[operands(w)[1].id];
    if (value_width(r.type) != 32) return false;
    n.sources[source] = std::string(r.name);
    extensions_seen_[v] = w;
    return true;
  }
  // A 32-bit operand as it is.
  bool word(uint32_t i, uint8_t k, Narrow& n, uint8_t source) const {
    const Operand& o = operands(i)[k];
    if (o.kind != OperandKind::kInteger && !o.is_register()) return false;
    n.sources[source] = std::string(subject_.text(o.range));
    return true;
  }

  void look_at(uint32_t i) {
    const ptx::Opcode& o = *at(i).opcode;
    const IntInstruction what = classify(o);
    Narrow n;
    n.opcode = stem(o, what);
    if (n.opcode.empty()) return;
    n.opcode += "32";
    n.value = result(i);
    if (n.value == kNone) return;
    n.instruction = i;
    n.cost = wide_cost(what.op);
    n.count = what.op == IntOp::kMad || what.op == IntOp::kMadWide ? 3 : 2;
    if (operands(i).size() != n.count + size_t{1}) return;
    extensions_seen_.clear();
    bool any = false;
    for (uint8_t k = 0; k < n.count; ++k) {
      const bool is_word = (what.op == IntOp::kMulWide || what.op == IntOp::kMadWide) && k < 2;
      if (what.op == IntOp::kShl && k == 1) {
        const Operand& by = operands(i)[2];
        if (by.kind != OperandKind::kInteger || by.value < 0 || by.value > 31) return;
        n.sources[k] = std::string(subject_.text(by.range));
        continue;
      }
      if (!(is_word ? word(i, k + 1, n, k) : low_half(i, k + 1, n, k))) return;
      any = any || is_word || n.from[k] != kNone || !extensions_seen_.empty();
    }
    if (!any) return;
    const ScalarRange r = ranges_.of(n.value);
    const bool fits_unsigned = r.low >= 0 && r.high < power(32);
    const bool fits_signed = r.low >= -power(31) && r.high < power(31);
    if (!fits_unsigned && !fits_signed) {
      if (what.op != IntOp::kMulWide && what.op != IntOp::kMadWide)
        edit_.decline(at(i), "that the result fits 32 bits is not proved");
      return;
    }
    n.is_signed = !fits_unsigned;
    n.tree = found_.size();
    by_value_[n.value] = n.tree;
    found_.push_back(n);
    for (ValueId v : n.from)
      if (v != kNone) found_[root(by_value_[v])].tree = root(found_.size() - 1);
    for (const auto& [v, w] : extensions_seen_) extensions_[v] = w;
  }

  // Read by something that is not done in 32 bits, or handed on.
  bool is_wide(ValueId v) const {
    if (handed_on_[v] != 0) return true;
    for (uint32_t item : flow_.values.uses_of(v))
      if (!is_narrow_reader(flow_.accesses.instruction_of[item])) return true;
    return flow_.values.uses_of(v).empty();
  }
  bool is_narrow_reader(uint32_t i) const {
    const ValueId out = result(i);
    return out != kNone && by_value_.count(out) != 0;
  }
  // The tree in which all reads of an extension are, if there is one.
  std::optional<size_t> only_tree(ValueId extension) const {
    if (is_wide(extension)) return std::nullopt;
    std::optional<size_t> out;
    for (uint32_t item : flow_.values.uses_of(extension)) {
      const size_t tree = root(by_value_.at(result(flow_.accesses.instruction_of[item])));
      if (out && *out != tree) return std::nullopt;
      out = tree;
    }
    return out;
  }

  const std::string& narrow_name(ValueId v) {
    std::string& name = names_[v];
    if (name.empty()) name = edit_.new_register("b32");
    return name;
  }

  void write(const Narrow& n) {
    std::string out = n.opcode + " " + narrow_name(n.value);
    for (uint8_t k = 0; k < n.count; ++k)
      out += ", " + (n.from[k] != kNone ? narrow_name(n.from[k]) : n.sources[k]);
    out += ";";
    if (n.wide_use)
      out += fmt::format(" cvt.{} {}, {};", n.is_signed ? "s64.s32" : "u64.u32",
                         subject_.text(operands(n.instruction)[0].range), narrow_name(n.value));
    edit_.rewriter().replace(at(n.instruction).range, std::move(out));
    edit_.changed();
  }

  Subject& subject_;
  Edit& edit_;
  const FlowFacts& flow_;
  const std::vector<uint8_t> handed_on_;
  const KnownValues known_;
  ScalarRanges ranges_;
  std::vector<Narrow> found_;
  std::map<ValueId, size_t> by_value_;
  std::map<ValueId, uint32_t> extensions_, extensions_seen_;  // value → the instruction
  std::map<ValueId, std::string> names_;
};

}  // namespace

void narrow_addresses(Subject& subject, Edit& edit, Action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  Narrowing(subject, edit).run();
}

}  // namespace pitot::transform
