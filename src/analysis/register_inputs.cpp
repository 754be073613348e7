// Lifetimes of values under three orders and three costs, block by block.
#include "analysis/register_inputs.h"

#include <algorithm>
#include <cmath>

#include "analysis/pressure.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Group;
using ptx::Mnemonic;
using ptx::Type;

constexpr std::string_view kNames[] = {
    "live",         "live_varying", "live_lane",  "hoisted",      "hoisted_varying",
    "hoisted_lane", "lazy_lane",    "mean_lane",  "loop_carried", "block_loads",
    "block_size",   "instructions", "wide",       "fp64",         "half",
    "divisions",    "sfu",          "tensor",     "tensor_units", "global",
    "shared",       "barriers",     "calls",      "local",        "loops",
    "predicates",   "pointers",     "max_vector", "target"};
static_assert(std::size(kNames) == kRegisterInputCount);

// What a value costs under the three views: all, without free values, without uniform ones.
struct Cost {
  std::array<uint32_t, 3> units{};
  bool predicate = false;
};

class Inputs {
 public:
  Inputs(const FlowFacts& flow, const Uniformity& uniformity, Workspace& ws)
      : flow_(flow), uniformity_(uniformity), ws_(ws), costs_(flow.values.values.size()) {
    for (ValueId v = 0; v < costs_.size(); ++v) costs_[v] = cost_of(v);
  }

  RegisterInputs run(unsigned sm) {
    auto set = [&](RegisterInput i, double value) { out_[static_cast<size_t>(i)] = value; };
    auto raise = [&](RegisterInput i, double value) {
      double& slot = out_[static_cast<size_t>(i)];
      slot = std::max(slot, value);
    };
    first_use_.assign(costs_.size(), kNone);
    last_use_.assign(costs_.size(), 0);
    born_.assign(costs_.size(), kNone);
    stamp_.assign(costs_.size(), kNone);
    double mean = 0, counted = 0;
    for (BlockId b : flow_.cfg.order) {
      const Block& block = flow_.cfg.blocks[b];
      collect(b);
      text_order(block);
      Peaks text = sweep(b);
      raise(RegisterInput::kLive, text.units[0]);
      raise(RegisterInput::kLiveVarying, text.units[1]);
      raise(RegisterInput::kLiveLane, text.units[2]);
      raise(RegisterInput::kPredicates, text.predicates);
      mean += text.sum_lane;
      counted += block.size();
      loads_first(block);
      Peaks hoisted = sweep(b);
      raise(RegisterInput::kHoisted, hoisted.units[0]);
      raise(RegisterInput::kHoistedVarying, hoisted.units[1]);
      raise(RegisterInput::kHoistedLane, hoisted.units[2]);
      lazy(block);
      raise(RegisterInput::kLazyLane, sweep(b).units[2]);
      raise(RegisterInput::kBlockSize, std::log2(1.0 + block.size()));
      raise(RegisterInput::kBlockLoads, load_units(block));
      bool header =
          flow_.loops.loop_of[b] != kNone && flow_.loops.loops[flow_.loops.loop_of[b]].header == b;
      if (header) raise(RegisterInput::kLoopCarried, entry_units_);
    }
    set(RegisterInput::kMeanLane, counted > 0 ? mean / counted : 0);
    counts();
    set(RegisterInput::kLoops, std::log2(1.0 + static_cast<double>(flow_.loops.loops.size())));
    set(RegisterInput::kTarget, sm);
    return out_;
  }

 private:
  struct Peaks {
    std::array<double, 3> units{};
    double predicates = 0, sum_lane = 0;
  };

  // Values that ptxas keeps in the constant bank, folds into operands or computes again.
  bool free_value(ValueId v, int depth) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone)
      return value.kind == ValueKind::kUndefined;
    uint32_t i = flow_.accesses.instruction_of[value.where];
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    if (op.mnemonic == Mnemonic::kLd && ptx::base_space(op.space) == ptx::Space::kParam)
      return flow_.function->is_entry;
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    bool move = op.mnemonic == Mnemonic::kMov || op.mnemonic == Mnemonic::kCvta;
    if (!move || ops.size() != 2) return false;
    if (ops[1].kind != ptx::OperandKind::kRegister)
      return ops[1].kind == ptx::OperandKind::kInteger ||
             ops[1].kind == ptx::OperandKind::kFloat32 ||
             ops[1].kind == ptx::OperandKind::kFloat64 || ops[1].kind == ptx::OperandKind::kSymbol;
    ValueId source = flow_.read(i, 1);
    return depth < 8 && source != kNone && free_value(source, depth + 1);
  }

  Cost cost_of(ValueId v) const {
    Cost c;
    const Value& value = flow_.values.values[v];
    if (value.reg >= flow_.function->registers.size()) return c;
    const ptx::Register& r = flow_.function->registers[value.reg];
    c.predicate = r.type == Type::kPred;
    uint32_t units = register_units(r);
    c.units = {units, units, units};
    if (free_value(v, 0)) c.units[1] = c.units[2] = 0;
    bool integer = ptx::kind_of(r.type) != ptx::TypeKind::kFloat;
    Scope level = uniformity_.facts[v].level();
    if (integer && (level == Scope::kGrid || level == Scope::kCta)) c.units[2] = 0;
    return c;
  }

  // The values that a block touches or carries: live into it, read, written; and those live at its
  // end.
  void collect(BlockId b) {
    touched_.clear();
    live_end_.clear();
    const Block& block = flow_.cfg.blocks[b];
    auto touch = [&](ValueId v) {
      if (v == kNone || stamp_[v] == b) return;
      stamp_[v] = b;
      first_use_[v] = kNone;
      last_use_[v] = 0;
      born_[v] = kNone;
      touched_.push_back(v);
    };
    auto current =
        ws_.borrow();  // pairs register, value at the end: the last one written in the block
    for (uint32_t i = block.first; i < block.last; ++i)
      for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
        ValueId v = flow_.values.value_of[k];
        touch(v);
        if (v != kNone && flow_.accesses.items[k].write) current->push_back(k);
      }
    // A write's value lives on if its register is live out and no later write of the block replaces
    // it.
    auto out = ws_.borrow();
    flow_.liveness.live_out(flow_.cfg, b, *out);
    if (claimed_.size() < flow_.function->registers.size() + 1)
      claimed_.assign(flow_.function->registers.size() + 1, kNone);
    for (size_t n = current->size(); n-- > 0;) {
      uint32_t k = (*current)[n];
      RegId r = flow_.accesses.items[k].reg;
      if (claimed_[r] == b) continue;
      claimed_[r] = b;
      if (std::binary_search(out->begin(), out->end(), r))
        live_end_.push_back(flow_.values.value_of[k]);
    }
    // Registers that pass through or live on from the entry: by their cost as registers.
    entry_units_ = 0;
    through_ = {};
    auto in = flow_.liveness.live_in(b);
    for (RegId r : in) {
      if (r >= flow_.function->registers.size()) continue;
      entry_units_ += register_cost(r);
    }
    passing(b, *out);
  }

  double register_cost(RegId r) const { return register_units(flow_.function->registers[r]); }

  // Live in and live out but not touched: they occupy registers throughout.
  void passing(BlockId b, const std::vector<uint32_t>& out) {
    const Block& block = flow_.cfg.blocks[b];
    if (seen_.size() < flow_.function->registers.size() + 1)
      seen_.assign(flow_.function->registers.size() + 1, kNone);
    for (uint32_t i = block.first; i < block.last; ++i)
      for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
        const RegAccess& a = flow_.accesses.items[k];
        if (seen_[a.reg] == b) continue;
        seen_[a.reg] = b;
        // Read before any write, not written later and live at the end: its value ends at the
        // block's end.
        ValueId v = flow_.values.value_of[k];
        if (!a.write && v != kNone && claimed_[a.reg] != b &&
            std::binary_search(out.begin(), out.end(), a.reg))
          live_end_.push_back(v);
      }
    auto in = flow_.liveness.live_in(b);
    for (RegId r : out) {
      if (r >= flow_.function->registers.size() || seen_[r] == b ||
          !std::binary_search(in.begin(), in.end(), r))
        continue;
      const std::array<uint32_t, 3> cost =
          pass_cost(r, register_units(flow_.function->registers[r]));
      for (size_t c = 0; c < 3; ++c) through_[c] += cost[c];
    }
  }

  // Cost of a register by the values it ever holds: free only if all of them are.
  std::array<uint32_t, 3> pass_cost(RegId r, uint32_t units) const {
    std::array<uint32_t, 3> cost{units, 0, 0};
    auto items = flow_.accesses.of_register(r);
    size_t looked = 0;
    for (uint32_t k : items) {
      if (!flow_.accesses.items[k].write) continue;
      if (++looked > 8) return {units, units, units};
      ValueId v = flow_.values.value_of[k];
      if (v == kNone) continue;
      cost[1] = std::max(cost[1], costs_[v].units[1]);
      cost[2] = std::max(cost[2], costs_[v].units[2]);
    }
    return cost;
  }

  void text_order(const Block& block) {
    order_.clear();
    for (uint32_t i = block.first; i < block.last; ++i) order_.push_back(i);
  }

  bool fixed(uint32_t i) const {
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    return (op.effects & (Effect::kBarrier | Effect::kFence | Effect::kBranch | Effect::kCall |
                          Effect::kRet | Effect::kExit | Effect::kVolatile | Effect::kTrap)) != 0;
  }

  // Loads, with what their addresses need, before the rest; between instructions that nothing may
  // pass.
  void loads_first(const Block& block) {
    order_.clear();
    placed_.assign(block.size(), 0);
    uint32_t segment = block.first;
    auto flush = [&](uint32_t end) {
      for (uint32_t i = segment; i < end; ++i) {
        const ptx::Opcode& op = *flow_.instruction(i).opcode;
        bool load = op.has(Effect::kLoad) && ptx::base_space(op.space) != ptx::Space::kParam;
        if (load) place(block, segment, i);
      }
      for (uint32_t i = segment; i < end; ++i) place(block, segment, i);
    };
    for (uint32_t i = block.first; i < block.last; ++i) {
      if (!fixed(i)) continue;
      flush(i);
      segment = i;
      place(block, segment, i);
      segment = i + 1;
    }
    flush(block.last);
  }

  // Stores and other effects in order, each value just before its first use.
  void lazy(const Block& block) {
    order_.clear();
    placed_.assign(block.size(), 0);
    for (uint32_t i = block.first; i < block.last; ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      bool effect = op.effects != 0 && !(op.has(Effect::kSfu) && op.effects == Effect::kSfu) &&
                    op.effects != Effect::kCommutative && op.effects != Effect::kLoad;
      if (effect || fixed(i)) place(block, block.first, i);
    }
    for (uint32_t i = block.first; i < block.last; ++i) place(block, block.first, i);
  }

  // Appends i after the instructions of the segment that its sources need; iterative, text order
  // among them.
  void place(const Block& block, uint32_t segment, uint32_t i) {
    stack_.clear();
    stack_.push_back(i);
    while (!stack_.empty()) {
      uint32_t n = stack_.back();
      if (placed_[n - block.first] != 0) {
        stack_.pop_back();
        continue;
      }
      size_t before = stack_.size();
      for (uint32_t k = flow_.accesses.first[n]; k < flow_.accesses.first[n + 1]; ++k) {
        const RegAccess& a = flow_.accesses.items[k];
        ValueId v = flow_.values.value_of[k];
        if (v == kNone) continue;
        if (a.write) v = flow_.values.values[v].from;  // a conditional write keeps the old value
        if (v == kNone || flow_.values.values[v].kind != ValueKind::kWrite) continue;
        uint32_t d = flow_.accesses.instruction_of[flow_.values.values[v].where];
        if (d >= segment && d < n && placed_[d - block.first] == 0) stack_.push_back(d);
      }
      if (stack_.size() == before) {
        placed_[n - block.first] = 1;
        order_.push_back(n);
        stack_.pop_back();
      }
    }
  }

  // Largest sum of live values' units over the order.
  Peaks sweep(BlockId) {
    const uint32_t size = static_cast<uint32_t>(order_.size());
    for (ValueId v : touched_) {
      first_use_[v] = kNone;
      last_use_[v] = 0;
      born_[v] = kNone;
    }
    for (uint32_t t = 0; t < size; ++t)
      for (uint32_t k = flow_.accesses.first[order_[t]]; k < flow_.accesses.first[order_[t] + 1];
           ++k) {
        ValueId v = flow_.values.value_of[k];
        if (v == kNone) continue;
        if (flow_.accesses.items[k].write) {
          born_[v] = t;
          last_use_[v] = std::max(last_use_[v], t);
          if (ValueId old = flow_.values.values[v].from; old != kNone && stamp_[old] == stamp_[v])
            last_use_[old] = std::max(last_use_[old], t);
        } else {
          last_use_[v] = std::max(last_use_[v], t);
        }
      }
    for (ValueId v : live_end_) last_use_[v] = size;
    delta_.assign(static_cast<size_t>(size) + 2, {});
    for (ValueId v : touched_) {
      uint32_t from = born_[v] == kNone ? 0 : born_[v];
      // A result may take the register of an operand that ends there: it lives from the next step
      // on, but one that nobody reads still needs a place at its own.
      uint32_t begin = born_[v] == kNone ? 0 : (last_use_[v] > from ? from + 1 : from);
      uint32_t end = std::min(last_use_[v], size);
      if (end < begin) continue;
      for (size_t c = 0; c < 3; ++c) {
        delta_[begin].units[c] += costs_[v].units[c];
        delta_[end + 1].units[c] -= costs_[v].units[c];
      }
      if (costs_[v].predicate) {
        ++delta_[begin].predicates;
        --delta_[end + 1].predicates;
      }
    }
    Peaks peaks;
    std::array<double, 3> now{through_[0], through_[1], through_[2]};
    double predicates = 0;
    for (uint32_t t = 0; t <= size; ++t) {
      for (size_t c = 0; c < 3; ++c) {
        now[c] += delta_[t].units[c];
        peaks.units[c] = std::max(peaks.units[c], now[c]);
      }
      predicates += delta_[t].predicates;
      peaks.predicates = std::max(peaks.predicates, predicates);
      if (t < size) peaks.sum_lane += now[2];
    }
    return peaks;
  }

  double load_units(const Block& block) const {
    double units = 0;
    for (uint32_t i = block.first; i < block.last; ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if (!op.has(Effect::kLoad) || ptx::base_space(op.space) == ptx::Space::kParam) continue;
      for (const RegAccess& a : flow_.accesses.of(i))
        if (a.write && a.reg < flow_.function->registers.size())
          units += register_units(flow_.function->registers[a.reg]);
    }
    return units;
  }

  void counts() {
    double n = 0, fp64 = 0, half = 0, div = 0, sfu = 0, tensor = 0, global = 0, shared = 0,
           barriers = 0, calls = 0, local = 0;
    double tensor_units = 0, widest = 0;
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      ++n;
      bool float_op = op.group == Group::kArith || op.group == Group::kFma ||
                      op.group == Group::kSpecialFunction;
      fp64 += float_op && op.type == Type::kF64;
      half += float_op && (op.type == Type::kF16 || op.type == Type::kF16x2 ||
                           op.type == Type::kBf16 || op.type == Type::kBf16x2);
      bool full = op.has_mod(ptx::Mod::kRn) || ptx::kind_of(op.type) != ptx::TypeKind::kFloat;
      div += (op.mnemonic == Mnemonic::kDiv || op.mnemonic == Mnemonic::kRem ||
              op.mnemonic == Mnemonic::kSqrt || op.mnemonic == Mnemonic::kRcp) &&
             full;
      sfu += op.has(Effect::kSfu) || op.group == Group::kSpecialFunction;
      calls += op.has(Effect::kCall);
      barriers += op.group == Group::kBarrier;
      bool memory =
          (op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) != 0;
      ptx::Space space = ptx::base_space(op.space);
      global += memory && (space == ptx::Space::kGlobal || space == ptx::Space::kNone);
      shared += memory && space == ptx::Space::kShared;
      local += memory && space == ptx::Space::kLocal;
      double units = 0;
      for (const RegAccess& a : flow_.accesses.of(i))
        if (a.role != Role::kAddress && a.reg < flow_.function->registers.size())
          units += register_units(flow_.function->registers[a.reg]);
      if (op.has(Effect::kMma)) {
        ++tensor;
        tensor_units = std::max(tensor_units, units);
      } else if (memory) {
        widest = std::max(widest, units);
      }
    }
    double wide = 0;
    for (const auto& r : flow_.function->registers) wide += ptx::bits_of(r.type) == 64;
    double pointers = 0;
    for (ptx::SymbolId id : flow_.function->parameters)
      pointers += ptx::bits_of(flow_.module->symbols[id].type) == 64;
    double registers = std::max<double>(1, static_cast<double>(flow_.function->registers.size()));
    auto put = [&](RegisterInput i, double value) { out_[static_cast<size_t>(i)] = value; };
    auto put_log = [&](RegisterInput i, double count) { put(i, std::log2(1 + count)); };
    n = std::max(n, 1.0);
    put_log(RegisterInput::kInstructions, n);
    put(RegisterInput::kWide, wide / registers);
    put(RegisterInput::kFp64, fp64 / n);
    put(RegisterInput::kHalf, half / n);
    put_log(RegisterInput::kDivisions, div);
    put_log(RegisterInput::kSfu, sfu);
    put_log(RegisterInput::kTensor, tensor);
    put(RegisterInput::kTensorUnits, tensor_units);
    put_log(RegisterInput::kGlobal, global);
    put_log(RegisterInput::kShared, shared);
    put_log(RegisterInput::kBarriers, barriers);
    put_log(RegisterInput::kCalls, calls);
    put_log(RegisterInput::kLocal, local);
    put(RegisterInput::kPointers, pointers);
    put(RegisterInput::kMaxVector, widest);
  }

  struct Delta {
    std::array<double, 3> units{};
    double predicates = 0;
  };

  const FlowFacts& flow_;
  const Uniformity& uniformity_;
  Workspace& ws_;
  std::vector<Cost> costs_;
  RegisterInputs out_{};
  std::vector<ValueId> touched_, live_end_;
  std::vector<uint32_t> first_use_, last_use_, born_, stamp_, seen_,
      claimed_;  // by value, then by register
  std::vector<uint32_t> order_, stack_;
  std::vector<uint8_t> placed_;
  std::vector<Delta> delta_;
  std::array<double, 3> through_{};
  double entry_units_ = 0;
};

}  // namespace

std::string_view name_of(RegisterInput input) { return kNames[static_cast<size_t>(input)]; }

RegisterInputs register_inputs(const FlowFacts& flow, const Uniformity& uniformity, unsigned sm,
                               Workspace& ws) {
  return Inputs(flow, uniformity, ws).run(sm);
}

}  // namespace pitot::analysis
