// Finds an operation's row in machine_costs.inc; what has none costs one instruction on its pipe.
#include "profile/costs.h"

#include <algorithm>

#include "analysis/feature_counts.h"

namespace pitot::profile {
namespace {

struct CostRow {
  std::string_view words;
  unsigned since;
  uint8_t fma, imad, alu, half, fp64, sfu, shuffle;
  uint16_t latency;
};

constexpr CostRow kCostRows[] = {
#define ROW(words, since, fma, imad, alu, half, fp64, sfu, shuffle, latency) \
  {words, since, fma, imad, alu, half, fp64, sfu, shuffle, latency},
#include "profile/machine_costs.inc"
#undef ROW
};

std::string_view next_word(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool stands_for(std::string_view word, std::string_view piece) {
  const ptx::Type t = ptx::type_from_name(piece);
  const ptx::TypeKind kind = ptx::kind_of(t);
  const bool typed = t != ptx::Type::kNone;
  const bool integer = typed && (kind == ptx::TypeKind::kSigned ||
                                 kind == ptx::TypeKind::kUnsigned || kind == ptx::TypeKind::kBits);
  if (word == "int") return integer;
  if (word == "int64") return integer && ptx::bits_of(t) == 64;
  if (word == "half")
    return piece == "f16" || piece == "f16x2" || piece == "bf16" || piece == "bf16x2";
  if (word == "cmp") return !typed;
  return word == piece;
}

// Whether the row's words are in the opcode, in order; the mnemonic first.
bool fits(std::string_view words, std::string_view text) {
  if (next_word(words, ' ') != next_word(text, '.')) return false;
  while (!words.empty()) {
    const std::string_view word = next_word(words, ' ');
    bool found = false;
    while (!found && !text.empty()) found = stands_for(word, next_word(text, '.'));
    if (!found) return false;
  }
  return true;
}

Unit unit_of(ptx::Pipe pipe) {
  switch (pipe) {
    case ptx::Pipe::kFp32:
      return Unit::kFma;
    case ptx::Pipe::kFp64:
      return Unit::kFp64;
    case ptx::Pipe::kHalf:
      return Unit::kHalf;
    case ptx::Pipe::kSfu:
    case ptx::Pipe::kConvert:
      return Unit::kSfu;
    case ptx::Pipe::kInt:
    case ptx::Pipe::kUniform:
      return Unit::kAlu;
    case ptx::Pipe::kTensor:
      return Unit::kTensor;
    default:
      return Unit::kCount;  // no unit of its own: issue alone, or memory
  }
}

// Multiply-adds of a warp, in units of dense FP16 ones: an element of half the width goes twice as
// fast (whitepapers of GA100 and GH100, "Tensor Core": TF32 half of FP16, INT8 and FP8 twice, FP64
// a sixteenth).
double tensor_work(const ptx::Opcode& op) {
  const double multiply_adds = analysis::flops_of(op) * 32 / 2;
  double scale = 1;
  for (ptx::ModId id : op.modifiers) {
    const ptx::Type t = ptx::mod_type(id);
    if (t == ptx::Type::kTf32) scale = 2;
    if (t == ptx::Type::kF64) scale = 16;
    if (t == ptx::Type::kS8 || t == ptx::Type::kU8 || t == ptx::Type::kE4m3 ||
        t == ptx::Type::kE5m2)
      scale = 0.5;
  }
  return multiply_adds * scale;
}

}  // namespace

std::string_view name_of(Unit unit) {
  constexpr std::array<std::string_view, kUnits> kNames = {
      "fma", "imad", "alu", "half", "fp64", "sfu", "shuffle", "tensor", "barrier"};
  return kNames[static_cast<size_t>(unit)];
}

OpCost cost_of(const ptx::Opcode& op, unsigned sm) {
  OpCost cost;
  cost.latency = op.latency;
  auto slots = [&](Unit u) -> double& { return cost.slots[static_cast<size_t>(u)]; };
  for (const CostRow& row : kCostRows) {
    if (sm < row.since || !fits(row.words, op.text)) continue;
    slots(Unit::kFma) = row.fma;
    slots(Unit::kImad) = row.imad;
    slots(Unit::kAlu) = row.alu;
    slots(Unit::kHalf) = row.half;
    slots(Unit::kFp64) = row.fp64;
    slots(Unit::kSfu) = row.sfu;
    slots(Unit::kShuffle) = row.shuffle;
    for (double s : cost.slots) cost.issue += s;
    if (op.group == ptx::Group::kWarp && cost.issue > 0) cost.issue = 1;
    if (row.latency != 0) cost.latency = row.latency;
    if (cost.issue == 0) cost.latency = 0;
    return cost;
  }
  cost.issue = 1;
  if (op.group == ptx::Group::kBarrier && !op.has(ptx::kAsync)) {
    slots(Unit::kBarrier) = 1;
    return cost;
  }
  const Unit unit = unit_of(op.pipe);
  if (unit == Unit::kTensor) {
    slots(unit) = tensor_work(op);
  } else if (unit != Unit::kCount) {
    slots(unit) = 1;
  }
  return cost;
}

std::optional<double> rate_of(const arch::Capability& c, Unit unit) {
  auto known = [](const arch::Figure<uint32_t>& f, double scale = 1) -> std::optional<double> {
    if (!f || *f == 0) return std::nullopt;
    return *f * scale;
  };
  switch (unit) {
    case Unit::kFma:
      return known(c.fp32_lanes);
    case Unit::kImad:
      return known(c.int32_mul_lanes);
    case Unit::kAlu:
      return known(c.int32_lanes);
    case Unit::kHalf:
      return known(c.fp16_lanes, 0.5);
    case Unit::kFp64:
      return known(c.fp64_lanes);
    case Unit::kSfu:
      return known(c.sfu_lanes);
    case Unit::kShuffle:
      return known(c.shuffle_lanes);
    case Unit::kTensor:
      return known(c.tensor_fp16_lanes);
    case Unit::kBarrier:
      return known(c.barrier_lanes);
    case Unit::kCount:
      break;
  }
  return std::nullopt;
}

}  // namespace pitot::profile
