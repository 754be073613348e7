// Lifetimes of values under several orders and cost views, block by block.
#include "analysis/register_inputs.h"

#include <algorithm>
#include <cmath>

#include "analysis/pressure.h"
#include "analysis/register_estimate.h"
#include "analysis/register_schedule.h"
#include "analysis/register_values.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Mnemonic;

constexpr std::string_view kNames[] = {"live",
                                       "live_varying",
                                       "live_lane",
                                       "live_machine",
                                       "hoisted",
                                       "hoisted_lane",
                                       "hoisted_machine",
                                       "early_machine",
                                       "lazy_machine",
                                       "limited_small",
                                       "limited_large",
                                       "limited_huge",
                                       "live_strict",
                                       "hoisted_strict",
                                       "early_strict",
                                       "limited_small_strict",
                                       "limited_large_strict",
                                       "loop_strict",
                                       "loop_addresses",
                                       "unrolled_many",
                                       "chain_peak",
                                       "single_peak",
                                       "mean_machine",
                                       "slow_path",
                                       "loop_carried",
                                       "loop_loads",
                                       "loop_size",
                                       "unrolled",
                                       "chain_loads",
                                       "chain_addresses",
                                       "block_loads",
                                       "block_global",
                                       "block_size",
                                       "instructions",
                                       "wide",
                                       "fp64",
                                       "half",
                                       "divisions",
                                       "sfu",
                                       "tensor",
                                       "tensor_units",
                                       "global",
                                       "shared",
                                       "barriers",
                                       "calls",
                                       "local",
                                       "loops",
                                       "depth",
                                       "blocks",
                                       "predicates",
                                       "pointers",
                                       "max_vector",
                                       "hoisted_over",
                                       "early_over",
                                       "lazy_over",
                                       "limited_small_over",
                                       "limited_large_over",
                                       "limited_huge_over",
                                       "live_over",
                                       "live_lane_over",
                                       "loop_carried_over",
                                       "mean_over",
                                       "block_loads_over",
                                       "block_global_over",
                                       "unrolled_over",
                                       "chain_loads_over",
                                       "slow_path_over",
                                       "strict_over",
                                       "loop_strict_over",
                                       "limited_large_strict_over",
                                       "bound_threads",
                                       "bound_blocks",
                                       "bound_cap",
                                       "target"};
static_assert(std::size(kNames) == kRegisterInputCount);

// Registers alive at which the limited orders stop hoisting: what remains of
// 32, 64 and 128 when addresses, constants and the stack pointer have theirs.
constexpr double kSmallLimit = 24, kLargeLimit = 54, kHugeLimit = 110;

// Instructions of a conditional block that is predicated rather than branched
// around, and how many such blocks one joint may end.
constexpr uint32_t kMergedBlock = 20, kMergedDepth = 4;

// Registers of the sequence or subroutine that ptxas emits for a full-range
// operation.
double subroutine_units(const ptx::Opcode& op) {
  const bool wide = ptx::bits_of(op.type) == 64;
  const bool real = ptx::kind_of(op.type) == ptx::TypeKind::kFloat;
  switch (op.mnemonic) {
    case Mnemonic::kDiv:
    case Mnemonic::kRem:
      if (real && !op.has_mod(ptx::Mod::kRn)) return 0;
      return wide ? 14 : real ? 8 : 5;
    case Mnemonic::kSqrt:
    case Mnemonic::kRcp:
      return !op.has_mod(ptx::Mod::kRn) ? 0 : wide ? 10 : 4;
    default:
      return 0;
  }
}

class Inputs {
 public:
  Inputs(const FlowFacts& flow, const Uniformity& uniformity, Workspace& ws)
      : flow_(flow), ws_(ws), values_(built(flow, uniformity)), orders_(flow, values_) {
    const size_t values = values_.root.size();
    last_use_.assign(values, 0);
    last_root_.assign(values, 0);
    born_.assign(values, kNone);
    stamp_.assign(values, kNone);
    lives_on_.assign(values, kNone);
    claimed_.assign(register_slots(*flow.function), kNone);
    pass_cost_.resize(flow.function->registers.size());
    pass_known_.assign(flow.function->registers.size(), false);
    seen_.assign(register_slots(*flow.function), kNone);
    free_loop_.assign(flow.cfg.size(), 1);
    entries_.assign(flow.cfg.size(), 0);
    for (const ptx::DirectiveNode& d : flow.function->directives)
      if (d.instruction < flow.instruction_count() &&
          flow.module->slice(d.range).find("nounroll") != std::string_view::npos)
        free_loop_[flow.cfg.block_of[d.instruction]] = 0;
  }

  RegisterInputs run(unsigned sm) {
    auto set = [&](RegisterInput i, double value) { out_[static_cast<size_t>(i)] = value; };
    double mean = 0, counted = 0;
    for (BlockId b : flow_.cfg.order) {
      const Block& block = flow_.cfg.blocks[b];
      collect(b);
      entries_[b] = strict_entry_;
      orders_.build(block);
      Peaks text = sweep(orders_.text, b);
      raise(RegisterInput::kLive, text.units[kCostAll]);
      raise(RegisterInput::kLiveVarying, text.units[kCostVarying]);
      raise(RegisterInput::kLiveLane, text.units[kCostLane]);
      raise(RegisterInput::kLiveMachine, text.units[kCostMachine]);
      raise(RegisterInput::kLiveStrict, text.units[kCostStrict]);
      raise(RegisterInput::kSinglePeak, text.both);
      raise(RegisterInput::kPredicates, text.predicates);
      raise(RegisterInput::kSlowPath, text.slow_path);
      mean += text.sum;
      counted += block.size();
      Peaks hoisted = sweep(orders_.loads_first, b);
      raise(RegisterInput::kHoisted, hoisted.units[kCostAll]);
      raise(RegisterInput::kHoistedLane, hoisted.units[kCostLane]);
      raise(RegisterInput::kHoistedMachine, hoisted.units[kCostMachine]);
      raise(RegisterInput::kHoistedStrict, hoisted.units[kCostStrict]);
      Peaks early = sweep(orders_.addresses_first, b);
      raise(RegisterInput::kEarlyMachine, early.units[kCostMachine]);
      raise(RegisterInput::kEarlyStrict, early.units[kCostStrict]);
      raise(RegisterInput::kLazyMachine, sweep(orders_.lazy, b).units[kCostMachine]);
      raise(RegisterInput::kLimitedSmallStrict,
            limited(RegisterInput::kLimitedSmall, b, kSmallLimit));
      raise(RegisterInput::kLimitedLargeStrict,
            limited(RegisterInput::kLimitedLarge, b, kLargeLimit));
      limited(RegisterInput::kLimitedHuge, b, kHugeLimit);
      const double loads = load_units(block, false);
      raise(RegisterInput::kBlockSize, std::log2(1.0 + block.size()));
      raise(RegisterInput::kBlockLoads, loads);
      raise(RegisterInput::kBlockGlobal, load_units(block, true));
      loop(b, loads);
    }
    chains();
    set(RegisterInput::kMeanMachine, counted > 0 ? mean / counted : 0);
    count_register_inputs(flow_, out_);
    set(RegisterInput::kLoops, std::log2(1.0 + static_cast<double>(flow_.loops.loops.size())));
    set(RegisterInput::kBlocks, std::log2(1.0 + flow_.cfg.size()));
    ratios();
    const auto& bounds = flow_.function->bounds;
    const auto threads = static_cast<double>(bounds.threads().value_or(0));
    set(RegisterInput::kThreads, threads);
    set(RegisterInput::kMinBlocks, bounds.minnctapersm.value_or(0));
    set(RegisterInput::kCap, register_cap(*flow_.function));
    set(RegisterInput::kTarget, sm);
    return out_;
  }

 private:
  struct Peaks {
    std::array<double, kCostViews> units{};
    double predicates = 0, sum = 0, slow_path = 0;
    double both = 0;  // strict view, results never in the place of an operand //
                      // sum: of the machine view
  };
  struct Delta {
    std::array<double, kCostViews> units{};
    double predicates = 0;
  };

  static RegisterValues built(const FlowFacts& flow, const Uniformity& uniformity) {
    RegisterValues values;
    values.build(flow, uniformity);
    return values;
  }

  void raise(RegisterInput i, double value) {
    double& slot = out_[static_cast<size_t>(i)];
    slot = std::max(slot, value);
  }

  // Raises the machine view's peak; the strict view's is returned.
  double limited(RegisterInput i, BlockId b, double limit) {
    orders_.build_limited(flow_.cfg.blocks[b], limit, entry_, lives_on_, b);
    const Peaks peaks = sweep(orders_.limited, b);
    raise(i, peaks.units[kCostMachine]);
    return peaks.units[kCostStrict];
  }

  void loop(BlockId b, double loads) {
    LoopId l = flow_.loops.loop_of[b];
    if (l == kNone) return;
    raise(RegisterInput::kDepth, flow_.loops.loops[l].depth);
    if (flow_.loops.loops[l].header != b) return;
    raise(RegisterInput::kLoopCarried, entry_);
    raise(RegisterInput::kLoopStrict, strict_entry_);
    if (free_loop_[b] == 0) return;
    double all_loads = 0, all_addresses = 0;
    for (BlockId inside : flow_.loops.blocks_of(l)) {
      if (flow_.loops.loop_of[inside] != l) return;  // not innermost
      all_loads += load_units(flow_.cfg.blocks[inside], false);
      all_addresses += address_units(flow_.cfg.blocks[inside], inside);
    }
    raise(RegisterInput::kUnrolledMany, strict_entry_ + 4 * (all_loads + all_addresses));
    if (flow_.loops.blocks_of(l).size() != 1) return;
    raise(RegisterInput::kLoopLoads, loads);
    raise(RegisterInput::kLoopSize, std::log2(1.0 + flow_.cfg.blocks[b].size()));
    raise(RegisterInput::kLoopAddresses, all_addresses);
    raise(RegisterInput::kUnrolled, strict_entry_ + 4 * (loads + all_addresses));
  }

  void ratios() {
    using R = RegisterInput;
    auto at = [&](R i) -> double& { return out_[static_cast<size_t>(i)]; };
    for (auto [over, of] : {std::pair{R::kHoistedOver, R::kHoistedMachine},
                            {R::kEarlyOver, R::kEarlyMachine},
                            {R::kLazyOver, R::kLazyMachine},
                            {R::kLimitedSmallOver, R::kLimitedSmall},
                            {R::kLimitedLargeOver, R::kLimitedLarge},
                            {R::kLimitedHugeOver, R::kLimitedHuge},
                            {R::kLiveOver, R::kLive},
                            {R::kLiveLaneOver, R::kLiveLane},
                            {R::kLoopCarriedOver, R::kLoopCarried},
                            {R::kMeanOver, R::kMeanMachine},
                            {R::kBlockLoadsOver, R::kBlockLoads},
                            {R::kBlockGlobalOver, R::kBlockGlobal},
                            {R::kUnrolledOver, R::kUnrolled},
                            {R::kChainLoadsOver, R::kChainLoads},
                            {R::kSlowPathOver, R::kSlowPath},
                            {R::kStrictOver, R::kLiveStrict},
                            {R::kLoopStrictOver, R::kLoopStrict},
                            {R::kLimitedLargeStrictOver, R::kLimitedLargeStrict}})
      at(over) = (at(of) + 4) / (at(R::kLiveMachine) + 4);
  }

  // `@p bra over; few instructions; over:` again and again: predication makes
  // one block of it.
  void chains() {
    const auto& blocks = flow_.cfg.blocks;
    double loaded = 0, addresses = 0, own = 0, start = 0;
    ValueId last = kNone;
    for (BlockId b = 0; b < blocks.size(); ++b) {
      auto next = flow_.cfg.successors(b);
      auto pred = flow_.cfg.predecessors(b);
      const bool small = b > 0 && blocks[b].size() <= kMergedBlock;
      const bool inner =
          small && !next.empty() && next[0] == b + 1 && pred.size() == 1 && pred[0] == b - 1;
      const bool joint = small && std::find(pred.begin(), pred.end(), b - 1) != pred.end() &&
                         std::all_of(pred.begin(), pred.end(),
                                     [&](BlockId p) { return p < b && p + kMergedDepth >= b; });
      if (!inner && !joint) {
        loaded = addresses = own = 0;
        start = entries_[b];
      }
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        const ptx::Opcode& op = *flow_.instruction(i).opcode;
        if ((op.effects & (Effect::kBarrier | Effect::kCall)) != 0) loaded = addresses = own = 0;
        const ptx::Space space = ptx::base_space(op.space);
        if ((op.effects & (Effect::kLoad | Effect::kStore)) == 0 || space == ptx::Space::kParam)
          continue;
        if (space == ptx::Space::kGlobal || space == ptx::Space::kNone) addresses += 2;
        for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
          const ValueId v = flow_.values.value_of[k];
          if (v == kNone || flow_.accesses.items[k].write ||
              flow_.accesses.items[k].role != Role::kAddress || values_.root[v] == last)
            continue;
          last = values_.root[v];
          own += static_cast<double>(values_.units[last][kCostStrict]);
        }
        if (op.has(Effect::kLoad)) loaded += written_units(i);
        raise(RegisterInput::kChainLoads, loaded);
        raise(RegisterInput::kChainAddresses, addresses);
        raise(RegisterInput::kChainPeak, start + loaded + own);
      }
    }
  }

  // The values that a block touches, those alive at its end, and what passes
  // through it.
  void collect(BlockId b) {
    touched_.clear();
    const Block& block = flow_.cfg.blocks[b];
    auto touch = [&](ValueId v) {
      if (v == kNone || stamp_[v] == b) return;
      stamp_[v] = b;
      touched_.push_back(v);
    };
    auto out = ws_.borrow();
    flow_.liveness.live_out(flow_.cfg, b, *out);
    auto leaves = [&](RegId r) { return std::binary_search(out->begin(), out->end(), r); };
    for (uint32_t i = block.first; i < block.last; ++i)
      for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
        touch(flow_.values.value_of[k]);
        seen_[flow_.accesses.items[k].reg] = b;
      }
    // A register's last value in the block lives on if the register does.
    // Backwards, an instruction's writes come before its reads.
    for (uint32_t k = flow_.accesses.first[block.last]; k-- > flow_.accesses.first[block.first];) {
      const RegAccess& a = flow_.accesses.items[k];
      ValueId v = flow_.values.value_of[k];
      if (v == kNone || claimed_[a.reg] == b) continue;
      claimed_[a.reg] = b;
      if (leaves(a.reg)) lives_on_[v] = b;
    }
    through_ = {};
    entry_ = strict_entry_ = 0;
    for (RegId r : flow_.liveness.live_in(b)) {
      if (r >= flow_.function->registers.size()) continue;
      const CostUnits& cost = pass_cost(r);
      entry_ += static_cast<double>(cost[kCostMachine]);
      strict_entry_ += static_cast<double>(cost[kCostStrict]);
      if (seen_[r] == b || !leaves(r)) continue;
      for (size_t c = 0; c < kCostViews; ++c) through_[c] += static_cast<double>(cost[c]);
    }
  }

  // Asked for in every block that a register is alive in: worked out once.
  const CostUnits& pass_cost(RegId r) {
    if (!pass_known_[r]) {
      pass_known_[r] = true;
      pass_cost_[r] = find_pass_cost(r);
    }
    return pass_cost_[r];
  }

  // Cost of a register by the values it ever holds: free only if all of them
  // are.
  CostUnits find_pass_cost(RegId r) const {
    const float units = static_cast<float>(register_units(flow_.function->registers[r]));
    CostUnits cost{units, 0, 0, 0, 0};
    size_t looked = 0;
    for (uint32_t k : flow_.accesses.of_register(r)) {
      if (!flow_.accesses.items[k].write) continue;
      if (++looked > 8) return {units, units, units, units, units};
      ValueId v = flow_.values.value_of[k];
      if (v == kNone) continue;
      for (size_t c = kCostVarying; c < kCostViews; ++c)
        cost[c] = std::max(cost[c], values_.units[v][c]);
    }
    return cost;
  }

  // Largest sums of live values' units over the order.
  Peaks sweep(const std::vector<uint32_t>& order, BlockId b) {
    const uint32_t size = static_cast<uint32_t>(order.size());
    for (ValueId v : touched_) {
      last_use_[v] = last_root_[v] = lives_on_[v] == b ? size : 0;
      born_[v] = kNone;
    }
    for (uint32_t t = 0; t < size; ++t)
      for (uint32_t k = flow_.accesses.first[order[t]]; k < flow_.accesses.first[order[t] + 1];
           ++k) {
        ValueId v = flow_.values.value_of[k];
        if (v == kNone) continue;
        auto use = [&](ValueId u) {
          last_use_[u] = std::max(last_use_[u], t);
          ValueId root = values_.root[u];
          last_root_[root] = std::max(last_root_[root], t);
        };
        use(v);
        if (!flow_.accesses.items[k].write) continue;
        born_[v] = t;
        if (ValueId old = flow_.values.values[v].from; old != kNone && stamp_[old] == b) use(old);
      }
    delta_.assign(static_cast<size_t>(size) + 2, {});
    for (ValueId v : touched_) {
      const uint32_t from = born_[v] == kNone ? 0 : born_[v];
      for (size_t c = 0; c < kCostViews; ++c) {
        const double units = static_cast<double>(values_.units[v][c]);
        if (units == 0 && !(c == 0 && values_.predicate[v] != 0)) continue;
        const uint32_t end = c >= kCostMachine ? last_root_[v] : last_use_[v];
        // A result may take the register of an operand that ends there: it
        // lives from the next step on, but one that nobody reads still needs a
        // place at its own.
        const uint32_t begin = born_[v] == kNone ? 0 : (end > from ? from + 1 : from);
        if (end < begin) continue;
        delta_[begin].units[c] += units;
        delta_[end + 1].units[c] -= units;
        if (c == 0 && values_.predicate[v] != 0) {
          ++delta_[begin].predicates;
          --delta_[end + 1].predicates;
        }
      }
    }
    Peaks peaks;
    std::array<double, kCostViews> now = through_;
    double predicates = 0;
    for (uint32_t t = 0; t <= size; ++t) {
      for (size_t c = 0; c < kCostViews; ++c) {
        now[c] += delta_[t].units[c];
        peaks.units[c] = std::max(peaks.units[c], now[c]);
      }
      predicates += delta_[t].predicates;
      peaks.predicates = std::max(peaks.predicates, predicates);
      if (t == size) break;
      peaks.sum += now[kCostMachine];
      peaks.both = std::max(peaks.both, now[kCostStrict] + written_units(order[t]));
      if (double extra = subroutine_units(*flow_.instruction(order[t]).opcode); extra > 0)
        peaks.slow_path = std::max(peaks.slow_path, now[kCostMachine] + extra);
    }
    return peaks;
  }

  double written_units(uint32_t i) const {
    double units = 0;
    for (const RegAccess& a : flow_.accesses.of(i))
      if (a.write && a.reg < flow_.function->registers.size())
        units += register_units(flow_.function->registers[a.reg]);
    return units;
  }

  // Registers written in the block that its accesses use as addresses,
  // displacements apart.
  double address_units(const Block& block, BlockId b) const {
    double units = 0;
    ValueId last = kNone;
    for (uint32_t k = flow_.accesses.first[block.first]; k < flow_.accesses.first[block.last];
         ++k) {
      const RegAccess& a = flow_.accesses.items[k];
      if (a.write || a.role != Role::kAddress || flow_.values.value_of[k] == kNone) continue;
      const ValueId v = values_.root[flow_.values.value_of[k]];
      if (v == last) continue;
      last = v;
      const Value& value = flow_.values.values[v];
      if (value.kind == ValueKind::kWrite &&
          flow_.cfg.block_of[flow_.accesses.instruction_of[value.where]] == b)
        units += static_cast<double>(values_.units[v][kCostVarying]);
    }
    return units;
  }

  // The most that loads write between two barriers.
  double load_units(const Block& block, bool global_only) const {
    double units = 0, most = 0;
    for (uint32_t i = block.first; i < block.last; ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if (op.has(Effect::kBarrier)) units = 0;
      const ptx::Space space = ptx::base_space(op.space);
      if (!op.has(Effect::kLoad) || space == ptx::Space::kParam) continue;
      if (global_only && space != ptx::Space::kGlobal && space != ptx::Space::kNone) continue;
      units += written_units(i);
      most = std::max(most, units);
    }
    return most;
  }

  const FlowFacts& flow_;
  Workspace& ws_;
  RegisterValues values_;
  BlockSchedules orders_;
  RegisterInputs out_{};
  std::vector<ValueId> touched_;  // of the block
  std::vector<uint32_t> last_use_, last_root_, born_, stamp_,
      lives_on_;                          // by value
  std::vector<uint32_t> seen_, claimed_;  // by register
  std::vector<CostUnits> pass_cost_;
  std::vector<bool> pass_known_;
  std::vector<double> entries_;     // by block: strict view, at its start
  std::vector<uint8_t> free_loop_;  // by block: no pragma forbids to unroll the loop it heads
  std::vector<Delta> delta_;
  std::array<double, kCostViews> through_{};
  double entry_ = 0,
         strict_entry_ = 0;  // machine and strict view, at the block's start
};

}  // namespace

std::string_view name_of(RegisterInput input) { return kNames[static_cast<size_t>(input)]; }

RegisterInputs register_inputs(const FlowFacts& flow, const Uniformity& uniformity, unsigned sm,
                               Workspace& ws) {
  return Inputs(flow, uniformity, ws).run(sm);
}

}  // namespace pitot::analysis
