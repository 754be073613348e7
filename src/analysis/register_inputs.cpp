// Lifetimes of values under several orders and cost views, block by block.
#include "analysis/register_inputs.h"

#include <algorithm>
#include <cmath>

#include "analysis/pressure.h"
#include "analysis/register_estimate.h"
#include "analysis/register_loops.h"
#include "analysis/register_regions.h"
#include "analysis/register_schedule.h"
#include "analysis/register_values.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Mnemonic;

// Instructions of a conditional block that is predicated rather than branched
// around, and how many such blocks one joint may end.
constexpr uint32_t kMergedBlock = 20, kMergedDepth = 4;

// Registers for so many alive, and so many if store data is in odd ones: that stays within the step
// of occupancy. R1 and two that ptxas adds come on top.
double allocated(double live, double in_banks) {
  constexpr double kSteps[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255};
  for (double step : kSteps)
    if (live + 3 <= step) return std::min(in_banks + 2, step);
  return live + 3;
}

class Inputs {
 public:
  Inputs(const FlowFacts& flow, const Uniformity& uniformity, Workspace& ws)
      : flow_(flow), ws_(ws), values_(built(flow, uniformity)), orders_(flow) {
    free_loop_.assign(flow.cfg.size(), 1);
    for (const ptx::DirectiveNode& d : flow.function->directives)
      if (d.instruction < flow.instruction_count() &&
          flow.module->slice(d.range).find("nounroll") != std::string_view::npos)
        free_loop_[flow.cfg.block_of[d.instruction]] = 0;
    // Before the rest is allocated: it needs as much for itself.
    loops_.build(flow, values_, free_loop_);
    const size_t values = values_.root.size();
    last_use_.assign(values, 0);
    last_root_.assign(values, 0);
    born_.assign(values, kNone);
    stamp_.assign(values, kNone);
    lives_on_.assign(values, 0);
    claimed_.assign(register_slots(*flow.function), kNone);
    pass_cost_.resize(flow.function->registers.size());
    pass_known_.assign(flow.function->registers.size(), false);
    seen_.assign(register_slots(*flow.function), kNone);
    entries_.assign(flow.cfg.size(), {});
    first_parameter_.assign(values_.parameters.size(), 0);
    last_parameter_.assign(values_.parameters.size(), kNone);
    fixed_.assign(values, kNone);
  }

  RegisterInputs run(unsigned sm) {
    auto set = [&](RegisterInput i, double value) { out_[static_cast<size_t>(i)] = value; };
    double mean = 0, counted = 0;
    for (BlockId b : flow_.cfg.order) {
      const Block& block = flow_.cfg.blocks[b];
      collect(b);
      entries_[b] = live_entry_;
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
      raise(RegisterInput::kParamLoops, loops_.outer_parameters[b]);
      raise(RegisterInput::kParamStrict, text.with_parameters);
      raise(RegisterInput::kParamInner, text.units[kCostStrict] + loops_.inner_parameters[b]);
      if (text.slow_path > 0)
        raise(RegisterInput::kParamSlow, text.slow_strict + loops_.inner_parameters[b]);
      raise(RegisterInput::kSlowStrict, text.slow_strict);
      raise(RegisterInput::kParamVarying,
            text.with_parameters - text.units[kCostStrict] + text.units[kCostVarying]);
      raise(RegisterInput::kAcrossCalls, text.across_calls);
      mean += text.sum;
      counted += block.size();
      raise(RegisterInput::kFixed, fixed_units(block, b));
      Peaks early = sweep(orders_.addresses_first, b);
      raise(RegisterInput::kEarlyMachine, early.units[kCostMachine]);
      raise(RegisterInput::kEarlyStrict, early.units[kCostStrict]);
      const double loads = load_units(block, false);
      raise(RegisterInput::kBlockSize, std::log2(1.0 + block.size()));
      raise(RegisterInput::kBlockLoads, loads);
      raise(RegisterInput::kBlockGlobal, load_units(block, true));
      loop(b, loads);
    }
    chains();
    // In a long function the next part needs as much again.
    for (auto* done : {&last_use_, &last_root_, &born_, &stamp_, &seen_, &claimed_,
                       &first_parameter_, &last_parameter_, &fixed_})
      std::vector<uint32_t>().swap(*done);
    std::vector<uint8_t>().swap(lives_on_);
    RegionPeaks timed = RegisterRegions(flow_, values_, loops_, sm >= 90).run(entries_);
    // Blocks too long to be ordered stay as they are.
    if (timed.incomplete) timed.at_least(out_[static_cast<size_t>(RegisterInput::kLiveStrict)]);
    set(RegisterInput::kTimedAny, timed.any);
    set(RegisterInput::kTimedSmall, timed.small);
    set(RegisterInput::kTimedLarge, timed.large);
    set(RegisterInput::kTimedInner, timed.inner_parameters);
    set(RegisterInput::kTimedOuter, timed.outer_parameters);
    set(RegisterInput::kTimedLoads, timed.loads);
    set(RegisterInput::kTimedText, timed.text);
    set(RegisterInput::kStep, timed.step);
    set(RegisterInput::kStepped, timed.stepped);
    const size_t too = sm >= 90;
    set(RegisterInput::kBanks, timed.banks[too]);
    set(RegisterInput::kTextBanks, timed.text_banks[too]);
    set(RegisterInput::kAllocated, allocated(timed.stepped, timed.banks[too]));
    set(RegisterInput::kTextAllocated, allocated(timed.text, timed.text_banks[too]));
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
    double with_parameters = 0, across_calls = 0, slow_strict = 0;  // strict view
  };
  struct Delta {
    std::array<float, kCostViews> units{};
    float predicates = 0, parameters = 0;
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

  void loop(BlockId b, double loads) {
    LoopId l = flow_.loops.loop_of[b];
    if (l == kNone) return;
    raise(RegisterInput::kDepth, flow_.loops.loops[l].depth);
    if (flow_.loops.loops[l].header != b) return;
    raise(RegisterInput::kLoopCarried, entry_);
    raise(RegisterInput::kLoopStrict, strict_entry_);
    raise(RegisterInput::kParamEntry, strict_entry_ + loops_.outer_parameters[b]);
    if (free_loop_[b] == 0) return;
    double all_loads = 0, all_addresses = 0;
    for (BlockId inside : flow_.loops.blocks_of(l)) {
      if (flow_.loops.loop_of[inside] != l) return;  // not innermost
      all_loads += load_units(flow_.cfg.blocks[inside], false);
      all_addresses += address_units(flow_.cfg.blocks[inside], inside);
    }
    if (const uint32_t turns = loops_.turns[l]; turns > 1) {
      size_t size = 0;
      for (BlockId inside : flow_.loops.blocks_of(l)) size += flow_.cfg.blocks[inside].size();
      const double peak = strict_entry_ + turns * all_loads + all_addresses;
      if (peak > out_[static_cast<size_t>(RegisterInput::kTurnPeak)]) {
        out_[static_cast<size_t>(RegisterInput::kTurns)] = std::log2(turns);
        raise(RegisterInput::kTurnPeak, peak);
      }
      raise(RegisterInput::kTurnParam, peak + loops_.outer_parameters[b]);
      raise(RegisterInput::kTurnLoads, turns * all_loads);
      raise(RegisterInput::kTurnSize, std::log2(1.0 + turns * static_cast<double>(size)));
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
    for (auto [over, of] : {std::pair{R::kEarlyOver, R::kEarlyMachine},
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
                            {R::kParamStrictOver, R::kParamStrict},
                            {R::kParamEntryOver, R::kParamEntry},
                            {R::kTurnPeakOver, R::kTurnPeak},
                            {R::kTimedSmallOver, R::kTimedSmall},
                            {R::kTimedLargeOver, R::kTimedLarge}})
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
        start = entries_[b].all;
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
    for (ValueId v : touched_) lives_on_[v] = 0;
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
      if (leaves(a.reg)) lives_on_[v] = 1;
    }
    through_ = {};
    entry_ = strict_entry_ = 0;
    live_entry_ = {};
    for (RegId r : flow_.liveness.live_in(b)) {
      if (r >= flow_.function->registers.size()) continue;
      const CostUnits& cost = pass_cost(r);
      entry_ += static_cast<double>(cost[kCostMachine]);
      strict_entry_ += static_cast<double>(cost[kCostStrict]);
      live_entry_.add(static_cast<double>(cost[kCostStrict]), values_.data[r], 1);
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
    const auto units = static_cast<uint8_t>(register_units(flow_.function->registers[r]));
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
      last_use_[v] = last_root_[v] = lives_on_[v] != 0 ? size : 0;
      born_[v] = kNone;
    }
    const bool straight = flow_.loops.loop_of[b] == kNone;
    parameters_.clear();
    for (uint32_t t = 0; t < size; ++t) {
      const bool copies = !straight || values_.copies_parameter(flow_, order[t]);
      for (uint32_t k = flow_.accesses.first[order[t]]; k < flow_.accesses.first[order[t] + 1];
           ++k) {
        ValueId v = flow_.values.value_of[k];
        if (v == kNone) continue;
        if (const uint32_t p = values_.parameter[v];
            !copies && p != kNone && !flow_.accesses.items[k].write) {
          if (last_parameter_[p] == kNone) {
            parameters_.push_back(p);
            first_parameter_[p] = t;
          }
          last_parameter_[p] = t;
        }
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
    }
    delta_.assign(static_cast<size_t>(size) + 2, {});
    for (uint32_t p : parameters_) {
      const float units = static_cast<float>(values_.units[values_.parameters[p]][kCostAll]);
      delta_[first_parameter_[p]].parameters += units;
      delta_[last_parameter_[p] + 1].parameters -= units;
      last_parameter_[p] = kNone;
    }
    for (ValueId v : touched_) {
      const uint32_t from = born_[v] == kNone ? 0 : born_[v];
      for (size_t c = 0; c < kCostViews; ++c) {
        const float units = static_cast<float>(values_.units[v][c]);
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
    double predicates = 0, parameters = loops_.outer_parameters[b];
    for (uint32_t t = 0; t <= size; ++t) {
      for (size_t c = 0; c < kCostViews; ++c) {
        now[c] += static_cast<double>(delta_[t].units[c]);
        peaks.units[c] = std::max(peaks.units[c], now[c]);
      }
      predicates += static_cast<double>(delta_[t].predicates);
      parameters += static_cast<double>(delta_[t].parameters);
      peaks.with_parameters = std::max(peaks.with_parameters, now[kCostStrict] + parameters);
      peaks.predicates = std::max(peaks.predicates, predicates);
      if (t == size) break;
      peaks.sum += now[kCostMachine];
      peaks.both = std::max(peaks.both, now[kCostStrict] + written_units(order[t]));
      if (flow_.instruction(order[t]).opcode->has(Effect::kCall))
        peaks.across_calls = std::max(peaks.across_calls, now[kCostStrict]);
      if (double extra = subroutine_units(*flow_.instruction(order[t]).opcode); extra > 0) {
        peaks.slow_path = std::max(peaks.slow_path, now[kCostMachine] + extra);
        peaks.slow_strict = std::max(peaks.slow_strict, now[kCostStrict] + extra);
      }
    }
    return peaks;
  }

  // Parameters and constants of the block that a store, an atomic or an address takes, and so need
  // a register after all.
  double fixed_units(const Block& block, BlockId b) {
    double units = 0;
    for (uint32_t i = block.first; i < block.last; ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if ((op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) == 0 ||
          ptx::base_space(op.space) == ptx::Space::kParam)
        continue;
      for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
        ValueId v = flow_.values.value_of[k];
        if (v == kNone || flow_.accesses.items[k].write || values_.units[v][kCostVarying] > 0)
          continue;
        if (values_.parameter[v] != kNone) v = values_.parameters[values_.parameter[v]];
        if (fixed_[v] == b) continue;
        fixed_[v] = b;
        units += static_cast<double>(values_.units[v][kCostAll]);
      }
    }
    return units;
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
  RegisterLoops loops_;
  RegisterInputs out_{};
  std::vector<uint32_t> parameters_;                           // that the block reads
  std::vector<BlockId> fixed_;                                 // by value
  std::vector<uint32_t> first_parameter_, last_parameter_;     // by parameter: where in the order
  std::vector<ValueId> touched_;                               // of the block
  std::vector<uint32_t> last_use_, last_root_, born_, stamp_;  // by value
  std::vector<uint8_t> lives_on_;         // by value: of those touched, alive at the block's end
  std::vector<uint32_t> seen_, claimed_;  // by register
  std::vector<CostUnits> pass_cost_;
  std::vector<bool> pass_known_;
  std::vector<LiveUnits> entries_;  // by block: strict view, at its start
  std::vector<uint8_t> free_loop_;  // by block: no pragma forbids to unroll the loop it heads
  std::vector<Delta> delta_;
  std::array<double, kCostViews> through_{};
  LiveUnits live_entry_;
  double entry_ = 0,
         strict_entry_ = 0;  // machine and strict view, at the block's start
};

}  // namespace

RegisterInputs register_inputs(const FlowFacts& flow, const Uniformity& uniformity, unsigned sm,
                               Workspace& ws) {
  return Inputs(flow, uniformity, ws).run(sm);
}

}  // namespace pitot::analysis
