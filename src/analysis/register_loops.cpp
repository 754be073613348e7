// Rules found by trying: loops of our own, with each property by itself, through ptxas 13.0 for
// sm_80 and sm_90 (both alike).
#include "analysis/register_loops.h"

#include <algorithm>
#include <cmath>

#include "analysis/loop_counter.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Mnemonic;

// Instructions of a body that is unrolled, loads twice; of all turns together if their number is
// known.
constexpr size_t kUnrolledBody = 42, kUnrolledWhole = 700;
constexpr uint32_t kTurns = 4, kMostTurns = 128;

bool calls(const FlowFacts& flow, BlockId b) {
  const Block& block = flow.cfg.blocks[b];
  for (uint32_t i = block.first; i < block.last; ++i) {
    const ptx::Opcode& op = *flow.instruction(i).opcode;
    if (op.has(Effect::kCall) || calls_subroutine(op)) return true;
  }
  return false;
}

// Turns of a loop that counts by a constant between constants, 0 if that is not known.
double known_turns(const LoopCounter& c) {
  if (c.start != kNone || c.bound != kNone) return 0;
  const double way = (static_cast<double>(c.bound_offset) - static_cast<double>(c.start_offset)) /
                     static_cast<double>(c.step);
  if (way < 0) return 0;
  const bool meets = c.order == Order::kLe || c.order == Order::kGe;
  const double steps = meets ? std::floor(way) + 1 : std::ceil(way);
  return steps + (c.at_bottom && !c.stepped ? 1 : 0);
}

uint32_t turns_of(const FlowFacts& flow, LoopId l) {
  size_t size = 0, loads = 0;
  BlockId exit = kNone;
  for (BlockId b : flow.loops.blocks_of(l)) {
    size += flow.cfg.blocks[b].size();
    if (size > kUnrolledWhole || calls(flow, b)) return 1;
    for (uint32_t i = flow.cfg.blocks[b].first; i < flow.cfg.blocks[b].last; ++i)
      loads += flow.instruction(i).opcode->has(Effect::kLoad);
    if (!loop_is_left(flow, l, b)) continue;
    if (exit != kNone) return 1;
    exit = b;
  }
  if (exit == kNone || flow.loops.loops[l].irreducible) return 1;
  const LoopCounter c = exit_test(flow, l, exit).counter;
  if (c.test == kNone || c.shift != 0 || c.step == 0 || c.step_value != kNone) return 1;
  if (double turns = known_turns(c); turns > 0) {
    if (turns <= kMostTurns && turns * static_cast<double>(size) <= kUnrolledWhole)
      return static_cast<uint32_t>(turns);
    return 2 * size * kTurns <= kUnrolledWhole ? kTurns : 1;
  }
  return size + loads <= kUnrolledBody ? kTurns : 1;
}

}  // namespace

bool calls_subroutine(const ptx::Opcode& op) {
  const bool wide = ptx::bits_of(op.type) == 64;
  const bool real = ptx::kind_of(op.type) == ptx::TypeKind::kFloat;
  switch (op.mnemonic) {
    case Mnemonic::kDiv:
    case Mnemonic::kRem:
      return real ? op.has_mod(ptx::Mod::kRn) : wide;
    case Mnemonic::kSqrt:
    case Mnemonic::kRcp:
      return op.has_mod(ptx::Mod::kRn);
    default:
      return false;
  }
}

double subroutine_units(const ptx::Opcode& op) {
  const bool wide = ptx::bits_of(op.type) == 64;
  const bool real = ptx::kind_of(op.type) == ptx::TypeKind::kFloat;
  switch (op.mnemonic) {
    case Mnemonic::kDiv:
    case Mnemonic::kRem:
      if (real && !op.has_mod(ptx::Mod::kRn)) return 0;
      return wide ? (real ? 14 : 12) : real ? 11 : 3;
    case Mnemonic::kSqrt:
      return !op.has_mod(ptx::Mod::kRn) ? 0 : wide ? 10 : 8;
    case Mnemonic::kRcp:
      return !op.has_mod(ptx::Mod::kRn) ? 0 : wide ? 6 : 8;
    default:
      return 0;
  }
}

void RegisterLoops::build(const FlowFacts& flow, const RegisterValues& values,
                          const std::vector<uint8_t>& may_unroll) {
  const LoopForest& loops = flow.loops;
  turns.assign(loops.loops.size(), 1);
  for (LoopId l = 0; l < loops.loops.size(); ++l)
    if (loops.is_innermost(l) && may_unroll[loops.loops[l].header] != 0)
      turns[l] = turns_of(flow, l);

  const size_t blocks = flow.cfg.size();
  block_parameters.assign(blocks, 0);
  inner_parameters.assign(blocks, 0);
  outer_parameters.assign(blocks, 0);
  std::vector<uint32_t> seen_block(values.parameters.size(), kNone), seen_inner(seen_block),
      seen_outer(seen_block);
  std::vector<LoopId> outermost(loops.loops.size());
  std::vector<float> inner(loops.loops.size(), 0), outer(inner);
  for (LoopId l = 0; l < loops.loops.size(); ++l)
    outermost[l] = loops.loops[l].parent == kNone ? l : outermost[loops.loops[l].parent];
  // A loop's blocks lie together once sorted by loop; the order of blocks alone would let stamps
  // of one loop be overwritten by another's.
  std::vector<BlockId> order(blocks);
  for (BlockId b = 0; b < blocks; ++b) order[b] = b;
  std::stable_sort(order.begin(), order.end(), [&](BlockId a, BlockId b) {
    const LoopId x = loops.loop_of[a], y = loops.loop_of[b];
    const LoopId p = x == kNone ? kNone : outermost[x], q = y == kNone ? kNone : outermost[y];
    return p != q ? p < q : x < y;
  });
  for (BlockId b : order) {
    const Block& block = flow.cfg.blocks[b];
    const LoopId l = loops.loop_of[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      if (values.copies_parameter(flow, i)) continue;
      for (uint32_t k = flow.accesses.first[i]; k < flow.accesses.first[i + 1]; ++k) {
        if (flow.accesses.items[k].write || flow.values.value_of[k] == kNone) continue;
        const uint32_t p = values.parameter[flow.values.value_of[k]];
        if (p == kNone) continue;
        const float units = values.units[values.parameters[p]][kCostAll];
        auto count = [&](std::vector<uint32_t>& seen, uint32_t mark, float& sum) {
          if (seen[p] == mark) return;
          seen[p] = mark;
          sum += units;
        };
        count(seen_block, b, block_parameters[b]);
        if (l == kNone) continue;
        count(seen_inner, l, inner[l]);
        count(seen_outer, outermost[l], outer[outermost[l]]);
      }
    }
  }
  for (BlockId b = 0; b < blocks; ++b)
    if (const LoopId l = loops.loop_of[b]; l != kNone) {
      inner_parameters[b] = inner[l];
      outer_parameters[b] = outer[outermost[l]];
    }
}

}  // namespace pitot::analysis
