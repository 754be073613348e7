// Dependences of a region's instructions over its turns, and their issue in order of the critical
// path.
#include "analysis/register_regions.h"

#include <algorithm>
#include <iterator>
#include <queue>

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Mnemonic;
using ptx::Space;

// Instructions of a conditional block that ptxas predicates.
constexpr uint32_t kMerged = 20;
// Beyond these a region is taken block by block, and a block not at all.
constexpr size_t kLongestRegion = 1024, kLongestBlock = 4096;

constexpr auto kRegionFence = Effect::kBarrier | Effect::kFence | Effect::kCall | Effect::kVolatile;

}  // namespace

RegisterRegions::RegisterRegions(const FlowFacts& flow, const RegisterValues& values,
                                 const RegisterLoops& loops, bool loaded_parameters)
    : flow_(flow), values_(values), loops_(loops), loaded_parameters_(loaded_parameters) {
  const size_t n = values.root.size();
  linear_.assign(n, 0);
  external_.assign(n, kNone);
  external_stamp_.assign(n, kNone);
  leaves_.assign(n, kNone);
  claimed_.assign(register_slots(*flow.function), kNone);
}

// Whether ptxas makes block b and the one before it one by predication.
bool RegisterRegions::merges(BlockId b) const {
  const auto& blocks = flow_.cfg.blocks;
  if (blocks[b].first != blocks[b - 1].last) return false;
  auto pred = flow_.cfg.predecessors(b);
  if (pred.size() == 1 && pred[0] == b - 1) {
    if (blocks[b].size() > kMerged || flow_.loops.loop_of[b] != flow_.loops.loop_of[b - 1])
      return false;
    auto next = flow_.cfg.successors(b);
    return !next.empty() && next[0] == b + 1 && next.size() == 1;
  }
  // The joint of a block that was merged.
  return b >= 2 && pred.size() == 2 && std::find(pred.begin(), pred.end(), b - 1) != pred.end() &&
         std::find(pred.begin(), pred.end(), b - 2) != pred.end() &&
         flow_.loops.loop_of[b] == flow_.loops.loop_of[b - 1];
}

void RegionPeaks::at_least(double units) {
  for (double* peak : {&any, &small, &large, &text, &stepped, &inner_parameters, &outer_parameters,
                       &banks[0], &banks[1], &text_banks[0], &text_banks[1]})
    *peak = std::max(*peak, units);
}

RegionPeaks RegisterRegions::run(const std::vector<LiveUnits>& entry) {
  RegionPeaks peaks;
  step_ = 0;
  const BlockId n = static_cast<BlockId>(flow_.cfg.size());
  for (BlockId b = 0; b < n;) {
    BlockId end = b + 1;
    size_t size = flow_.cfg.blocks[b].size();
    if (flow_.cfg.blocks[b].reachable) {
      while (end < n && size + flow_.cfg.blocks[end].size() <= kLongestRegion && merges(end))
        size += flow_.cfg.blocks[end++].size();
      if (size <= kLongestBlock)
        region(b, end - 1, entry[b], peaks);
      else
        peaks.incomplete = true;
    }
    b = end;
  }
  peaks.step = RegionPeaks::kSteps[step_];
  peaks.stepped = std::max(peaks.stepped, std::min(peaks.any, peaks.step));
  return peaks;
}

void RegisterRegions::region(BlockId first, BlockId last, LiveUnits entry, RegionPeaks& peaks) {
  const double parameters = loops_.inner_parameters[first];
  if (loaded_parameters_) entry.all += static_cast<float>(parameters);
  const LoopId l = flow_.loops.loop_of[first];
  begin_ = flow_.cfg.blocks[first].first;
  const uint32_t end = flow_.cfg.blocks[last].last;
  size_ = end - begin_;
  item_begin_ = flow_.accesses.first[begin_];
  items_ = flow_.accesses.first[end] - item_begin_;
  head_ = first;
  loops_back_ = l != kNone && flow_.loops.loops[l].header == first &&
                flow_.loops.blocks_of(l).size() == last - first + 1 && flow_.loops.is_innermost(l);
  uint32_t turns = loops_back_ ? std::min(loops_.turns[l], kMostTurns) : 1;
  while (turns > 1 && size_ * turns > kLongestRegion) --turns;
  // What cannot raise a peak need not be looked at.
  double most = entry.all + loops_.outer_parameters[first];
  for (uint32_t k = item_begin_; k < item_begin_ + items_; ++k)
    if (const ValueId v = flow_.values.value_of[k]; flow_.accesses.items[k].write && v != kNone)
      most += turns * static_cast<double>(values_.units[v][kCostStrict]);
  for (uint32_t i = begin_; i < end; ++i)
    if (const double extra = extra_units(i); extra > 0) most += extra;
  if (most <= peaks.small) return;

  ++stamp_;
  linear_list_.clear();
  if (turns > 1) find_linear(first, begin_, end);
  find_leaving(last, begin_, end);
  build(begin_, end, turns);
  double in_flight = 0;
  const Order free = schedule(entry, 1e9, &in_flight);
  const double any = free.all;
  peaks.any = std::max(peaks.any, any);
  peaks.loads = std::max(peaks.loads, in_flight);
  const double large =
      any <= RegionPeaks::kLarge ? any : schedule(entry, RegionPeaks::kLarge, nullptr).all;
  const double small =
      any <= RegionPeaks::kSmall ? any : schedule(entry, RegionPeaks::kSmall, nullptr).all;
  peaks.large = std::max(peaks.large, large);
  peaks.small = std::max(peaks.small, small);
  const Order text = in_order(entry);
  peaks.text = std::max(peaks.text, text.all);
  Order stepped = free;
  while (any > RegionPeaks::kSteps[step_]) {
    stepped = schedule(entry, RegionPeaks::kSteps[step_], nullptr);
    if (text.all < stepped.all) stepped = text;
    if (stepped.all <= RegionPeaks::kSteps[step_] || step_ + 1 == std::size(RegionPeaks::kSteps))
      break;
    ++step_;
    stepped = free;
  }
  peaks.stepped = std::max(peaks.stepped, stepped.all);
  for (size_t k = 0; k < 2; ++k) {
    peaks.banks[k] = std::max(peaks.banks[k], stepped.banks[k]);
    peaks.text_banks[k] = std::max(peaks.text_banks[k], text.banks[k]);
  }
  peaks.outer_parameters = std::max(peaks.outer_parameters, small + loops_.outer_parameters[first]);
  peaks.inner_parameters = std::max(peaks.inner_parameters, small + parameters);
  for (ValueId v : linear_list_) linear_[v] = 0;
}

// Values that are an affine function of the turn: later turns reach them by displacements.
void RegisterRegions::find_linear(BlockId first, uint32_t begin, uint32_t end) {
  auto mark = [&](ValueId v) {
    linear_[v] = 1;
    linear_list_.push_back(v);
  };
  auto constant = [&](uint32_t i, size_t k) {
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    return k < ops.size() && ops[k].is_constant();
  };
  for (uint32_t i = begin; i < end; ++i) {
    const Mnemonic m = flow_.instruction(i).opcode->mnemonic;
    bool any = false, all = true;
    ValueId written = kNone;
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
      const ValueId v = flow_.values.value_of[k];
      if (v == kNone) continue;
      if (flow_.accesses.items[k].write) {
        written = v;
        continue;
      }
      const Value& value = flow_.values.values[v];
      const bool phi = value.kind == ValueKind::kPhi && value.where == first;
      if (phi && linear_[v] == 0)
        for (ValueId w : flow_.values.operands_of_phi(flow_.cfg, v)) {
          if (w == kNone || flow_.values.values[w].kind != ValueKind::kWrite) continue;
          const uint32_t j = flow_.accesses.instruction_of[flow_.values.values[w].where];
          const Mnemonic step = flow_.instruction(j).opcode->mnemonic;
          if (j >= begin && j < end && (step == Mnemonic::kAdd || step == Mnemonic::kSub) &&
              constant(j, 2) && flow_.read(j, 1) == v)
            mark(v);
        }
      const bool inside = value.kind == ValueKind::kWrite &&
                          flow_.accesses.instruction_of[value.where] >= begin &&
                          flow_.accesses.instruction_of[value.where] < end;
      any |= linear_[v] != 0;
      all &= linear_[v] != 0 || (!inside && !phi);
    }
    if (written == kNone || !any || !all || linear_[written] != 0) continue;
    if (flow_.values.values[written].from != kNone) continue;
    switch (m) {
      case Mnemonic::kAdd:
      case Mnemonic::kSub:
      case Mnemonic::kShl:
      case Mnemonic::kMov:
        // A product or a conversion to 64 bits is made anew every turn: the 32-bit sum before it
        // might have wrapped.
        if (ptx::kind_of(flow_.instruction(i).opcode->type) != ptx::TypeKind::kFloat) mark(written);
        break;
      default:
        break;
    }
  }
}

// A register's last value in the region lives on if the register does.
void RegisterRegions::find_leaving(BlockId last, uint32_t begin, uint32_t end) {
  flow_.liveness.live_out(flow_.cfg, last, out_);
  for (uint32_t k = flow_.accesses.first[end]; k-- > flow_.accesses.first[begin];) {
    const RegAccess& a = flow_.accesses.items[k];
    const ValueId v = flow_.values.value_of[k];
    if (v == kNone || claimed_[a.reg] == stamp_) continue;
    claimed_[a.reg] = stamp_;
    if (std::binary_search(out_.begin(), out_.end(), a.reg)) leaves_[v] = stamp_;
  }
}

uint32_t RegisterRegions::external(ValueId v) {
  if (external_stamp_[v] != stamp_) {
    external_stamp_[v] = stamp_;
    external_[v] = static_cast<uint32_t>(held_.size());
    held_.push_back({static_cast<float>(values_.units[v][kCostStrict]), kNone, 0,
                     leaves_[v] == stamp_, data_of(v)});
  }
  return external_[v];
}

uint8_t RegisterRegions::data_of(ValueId v) const {
  const uint32_t reg = flow_.values.values[v].reg;
  return reg < values_.data.size() ? values_.data[reg] : uint8_t{RegisterValues::kNoData};
}

// What a read of v in this turn takes: into held_.
uint32_t RegisterRegions::resolve(ValueId v, uint32_t turn, int depth) {
  if (turn > 0 && linear_[v] != 0) turn = 0;
  const Value& value = flow_.values.values[v];
  if (value.kind == ValueKind::kWrite) {
    if (value.where < item_begin_ || value.where >= item_begin_ + items_) return external(v);
    return turn * items_ + (value.where - item_begin_);
  }
  if (value.kind != ValueKind::kPhi || depth > 6 || flow_.cfg.size() <= value.where)
    return external(v);
  const bool head = value.where == head_;
  if (head && (!loops_back_ || turn == 0)) return external(v);
  ValueId best = kNone;
  for (ValueId w : flow_.values.operands_of_phi(flow_.cfg, v)) {
    if (w == kNone) continue;
    const Value& x = flow_.values.values[w];
    const bool inside =
        x.kind == ValueKind::kWrite && x.where >= item_begin_ && x.where < item_begin_ + items_;
    const bool inner_phi = x.kind == ValueKind::kPhi && x.where > head_ && x.where != value.where &&
                           flow_.cfg.blocks[x.where].first >= begin_ &&
                           flow_.cfg.blocks[x.where].first < begin_ + size_;
    if (!inside && !inner_phi) continue;
    if (best == kNone || (inside && x.where > flow_.values.values[best].where)) best = w;
  }
  if (best == kNone) return external(v);
  return resolve(best, head ? turn - 1 : turn, depth + 1);
}

uint32_t RegisterRegions::latency(uint32_t i) const {
  const ptx::Opcode& op = *flow_.instruction(i).opcode;
  if (is_load(i) || op.has(Effect::kAtomic)) {
    const Space space = ptx::base_space(op.space);
    return space == Space::kGlobal || space == Space::kNone ? 100 : 28;
  }
  if (calls_subroutine(op)) return 60;
  if (op.has(Effect::kMma)) return 24;
  if (op.has(Effect::kSfu) || op.mnemonic == Mnemonic::kCvt) return 16;
  return op.type == ptx::Type::kF64 ? 10 : 4;
}

bool RegisterRegions::is_load(uint32_t i) const {
  const ptx::Opcode& op = *flow_.instruction(i).opcode;
  return op.has(Effect::kLoad) && ptx::base_space(op.space) != Space::kParam;
}

void RegisterRegions::build(uint32_t begin, uint32_t end, uint32_t turns) {
  nodes_.clear();
  edges_.clear();
  reads_.clear();
  held_.assign(static_cast<size_t>(turns) * items_, {});
  node_of_.assign(static_cast<size_t>(turns) * size_, kNone);
  for (uint32_t t = 0; t < turns; ++t)
    for (uint32_t i = begin; i < end; ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if (op.has(Effect::kBranch) || values_.copies_parameter(flow_, i) ||
          (op.has(Effect::kLoad) && ptx::base_space(op.space) == Space::kParam))
        continue;
      // A later turn's counter and addresses are the first one's.
      bool writes = false, moves_on = true;
      for (uint32_t k = flow_.accesses.first[i]; t > 0 && k < flow_.accesses.first[i + 1]; ++k) {
        if (!flow_.accesses.items[k].write) continue;
        writes = true;
        moves_on &= flow_.values.value_of[k] != kNone && linear_[flow_.values.value_of[k]] != 0;
      }
      if (writes && moves_on) continue;
      const uint32_t n = static_cast<uint32_t>(nodes_.size());
      node_of_[t * size_ + (i - begin)] = n;
      Node node;
      node.instruction = i;
      node.extra = static_cast<float>(extra_units(i));
      node.turn = t;
      node.first_read = static_cast<uint32_t>(reads_.size());
      auto read = [&](ValueId v) {
        const uint32_t direct = resolve(v, t);
        if (const uint32_t from = held_[direct].node; from != kNone && from < n)
          edges_.push_back({from, n, latency(nodes_[from].instruction)});
        const uint32_t kept_alive = values_.root[v] == v ? direct : resolve(values_.root[v], t);
        for (uint32_t r = node.first_read; r < reads_.size(); ++r)
          if (reads_[r] == kept_alive) return;
        reads_.push_back(kept_alive);
        ++held_[kept_alive].uses;
      };
      for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
        const ValueId v = flow_.values.value_of[k];
        if (v == kNone) continue;
        if (!flow_.accesses.items[k].write) {
          read(v);
          continue;
        }
        if (const ValueId old = flow_.values.values[v].from; old != kNone) read(old);
        Held& h = held_[t * items_ + (k - item_begin_)];
        h.units = static_cast<float>(values_.units[v][kCostStrict]);
        h.node = n;
        h.data = data_of(v);
        h.leaves = leaves_[v] == stamp_ && (t + 1 == turns || linear_[v] != 0);
        node.made += h.units;
      }
      node.last_read = static_cast<uint32_t>(reads_.size());
      nodes_.push_back(node);
    }
  memory_edges();
  connect();
}

// Stores stay in order and behind the loads before them; nothing passes a barrier or a call.
void RegisterRegions::memory_edges() {
  uint32_t fence = kNone, since = 0;
  uint32_t last_store[3] = {kNone, kNone, kNone};
  std::vector<uint32_t> loads[3];
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const ptx::Opcode& op = *flow_.instruction(nodes_[n].instruction).opcode;
    if (fence != kNone) edges_.push_back({fence, n, 1});
    if ((op.effects & kRegionFence) != 0) {
      for (uint32_t m = since; m < n; ++m) edges_.push_back({m, n, 1});
      fence = n;
      since = n + 1;
      for (auto& s : last_store) s = kNone;
      for (auto& l : loads) l.clear();
      continue;
    }
    const bool store = (op.effects & (Effect::kStore | Effect::kAtomic | Effect::kRed)) != 0;
    if (!store && !is_load(nodes_[n].instruction)) continue;
    const Space space = ptx::base_space(op.space);
    if (op.has_mod(ptx::Mod::kNc) || space == Space::kConst || space == Space::kParam) continue;
    const int s = space == Space::kShared ? 0 : space == Space::kLocal ? 1 : 2;
    if (last_store[s] != kNone) edges_.push_back({last_store[s], n, 1});
    if (!store) {
      loads[s].push_back(n);
      continue;
    }
    for (uint32_t m : loads[s]) edges_.push_back({m, n, 1});
    loads[s].clear();
    last_store[s] = n;
  }
}

void RegisterRegions::connect() {
  for (const Edge& e : edges_) ++nodes_[e.from].last_edge;
  uint32_t at = 0;
  for (Node& n : nodes_) {
    n.first_edge = at;
    at += n.last_edge;
    n.last_edge = n.first_edge;
  }
  std::vector<Edge> sorted(edges_.size());
  for (const Edge& e : edges_) sorted[nodes_[e.from].last_edge++] = e;
  edges_ = std::move(sorted);
  for (size_t n = nodes_.size(); n-- > 0;) {
    float height = 0;
    for (uint32_t e = nodes_[n].first_edge; e < nodes_[n].last_edge; ++e)
      height =
          std::max(height, nodes_[edges_[e].to].height + static_cast<float>(edges_[e].latency));
    nodes_[n].height = height;
  }
}

// Registers that issuing n adds: its results less the operands that end there.
double RegisterRegions::net(const Node& n) const {
  double units = static_cast<double>(n.made);
  for (uint32_t r = n.first_read; r < n.last_read; ++r)
    if (left_[reads_[r]] == 1 && !held_[reads_[r]].leaves)
      units -= static_cast<double>(held_[reads_[r]].units);
  return units;
}

void LiveUnits::add(double units, uint8_t data, double sign) {
  all += static_cast<float>(sign * units);
  if (units != 1) return;
  (data == RegisterValues::kGlobalData   ? global
   : data == RegisterValues::kSharedData ? shared
                                         : single) += static_cast<float>(sign);
}

double LiveUnits::in_banks(bool too) const {
  const double odd = 1.0 + std::max(0.0f, global + (too ? shared : 0));
  const double free = std::max(0.0f, single + (too ? 0 : shared));
  return all - (odd - 1) - free + odd + std::max(odd, free);
}

// Takes what n makes and frees what it reads last.
void RegisterRegions::issue(const Node& n, LiveUnits& live, Order& peaks) {
  auto raise = [&](double extra) {
    peaks.all = std::max(peaks.all, live.all + extra);
    for (size_t k = 0; k < 2; ++k)
      peaks.banks[k] = std::max(peaks.banks[k], live.in_banks(k == 1) + extra);
  };
  if (n.extra > 0) raise(static_cast<double>(n.extra));
  for (uint32_t r = n.first_read; r < n.last_read; ++r) {
    const uint32_t h = reads_[r];
    if (--left_[h] == 0 && !held_[h].leaves)
      live.add(static_cast<double>(held_[h].units), held_[h].data, -1);
  }
  const uint32_t i = n.instruction;
  auto results = [&](auto&& visit) {
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k)
      if (flow_.accesses.items[k].write) visit(held_[n.turn * items_ + (k - item_begin_)]);
  };
  results([&](const Held& h) { live.add(static_cast<double>(h.units), h.data, 1); });
  raise(0);
  results([&](const Held& h) {
    if (h.uses == 0 && !h.leaves) live.add(static_cast<double>(h.units), h.data, -1);
  });
}

RegisterRegions::Order RegisterRegions::in_order(const LiveUnits& entry) {
  left_.resize(held_.size());
  for (size_t h = 0; h < held_.size(); ++h) left_[h] = held_[h].uses;
  LiveUnits live = entry;
  Order peaks{entry.all, {entry.in_banks(false), entry.in_banks(true)}};
  for (const Node& n : nodes_) issue(n, live, peaks);
  return peaks;
}

// What a machine instruction needs in registers that is in none: constants, parameters and uniform
// values that are stored or are an address, and the temporaries of a sequence or subroutine.
double RegisterRegions::extra_units(uint32_t i) const {
  const ptx::Opcode& op = *flow_.instruction(i).opcode;
  if (const double units = subroutine_units(op); units > 0) return units;
  if (op.mnemonic == Mnemonic::kMul || op.mnemonic == Mnemonic::kMad) return product_units(i);
  if ((op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) == 0 ||
      ptx::base_space(op.space) == Space::kParam)
    return 0;
  double units = 0;
  for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
    const ValueId v = flow_.values.value_of[k];
    if (v == kNone || flow_.accesses.items[k].write) continue;
    if (values_.units[v][kCostStrict] == 0 && values_.root[v] == v && values_.predicate[v] == 0 &&
        values_.zero[v] == 0)
      units += static_cast<double>(values_.units[v][kCostAll]);
  }
  return units;
}

// Integer products: a constant factor beside an addend from the constant bank is in a register, and
// those of 64 bits are sums of several.
double RegisterRegions::product_units(uint32_t i) const {
  const ptx::Opcode& op = *flow_.instruction(i).opcode;
  if (ptx::kind_of(op.type) == ptx::TypeKind::kFloat) return 0;
  if (op.has_mod(ptx::Mod::kWide)) {
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    if (ops.size() <= 2 || !ops[2].is_constant()) return 0;
    return loaded_parameters_ ? 2 : 1;
  }
  if (op.has_mod(ptx::Mod::kHi)) return ptx::bits_of(op.type) == 64 ? 3 : 1;
  return ptx::bits_of(op.type) == 64 ? 1 : 0;
}

RegisterRegions::Order RegisterRegions::schedule(const LiveUnits& entry, double limit,
                                                 double* in_flight) {
  left_.resize(held_.size());
  for (size_t h = 0; h < held_.size(); ++h) left_[h] = held_[h].uses;
  for (Node& n : nodes_) n.waits_for = n.ready = 0;
  for (const Edge& e : edges_) ++nodes_[e.to].waits_for;
  auto lower = [&](uint32_t a, uint32_t b) {
    return nodes_[a].height != nodes_[b].height ? nodes_[a].height < nodes_[b].height : a > b;
  };
  auto later = [&](uint32_t a, uint32_t b) {
    return nodes_[a].ready != nodes_[b].ready ? nodes_[a].ready > nodes_[b].ready : a > b;
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(lower)> ready(lower);
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> pending(later);
  // Without results: they never add to what is alive.
  decltype(ready) quiet(lower);
  auto makes = [&](uint32_t n) { return nodes_[n].made > 0; };
  auto wake = [&](uint32_t n) { (makes(n) ? ready : quiet).push(n); };
  auto take = [&](auto& queue) {
    const uint32_t n = queue.top();
    queue.pop();
    return n;
  };
  auto first = [&] {
    if (ready.empty() || (!quiet.empty() && lower(ready.top(), quiet.top()))) return take(quiet);
    return take(ready);
  };
  for (uint32_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].waits_for == 0) wake(n);
  LiveUnits live = entry;
  Order peaks{entry.all, {entry.in_banks(false), entry.in_banks(true)}};
  uint32_t cycle = 0;
  std::vector<uint32_t> passed;
  while (!ready.empty() || !quiet.empty() || !pending.empty()) {
    if (ready.empty() && quiet.empty()) cycle = std::max(cycle, nodes_[pending.top()].ready);
    while (!pending.empty() && nodes_[pending.top()].ready <= cycle) wake(take(pending));
    uint32_t n = first();
    if (live.all >= limit && net(nodes_[n]) > 0) {
      // Something that does not add to what is alive; failing that, wait for operands; then n.
      passed.clear();
      uint32_t other = quiet.empty() ? kNone : take(quiet);
      while (!ready.empty() && passed.size() < 8 && other == kNone) {
        const uint32_t m = take(ready);
        if (net(nodes_[m]) <= 0)
          other = m;
        else
          passed.push_back(m);
      }
      for (uint32_t m : passed) ready.push(m);
      if (other != kNone) {
        wake(n);
        n = other;
      } else if (!pending.empty()) {
        wake(n);
        cycle = std::max(cycle, nodes_[pending.top()].ready);
        const uint32_t m = take(pending);
        if (net(nodes_[m]) > 0) {
          wake(m);
          n = first();
        } else {
          n = m;
        }
      }
    }
    const Node& node = nodes_[n];
    const uint32_t i = node.instruction;
    issue(node, live, peaks);
    if (in_flight != nullptr && is_load(i)) *in_flight += static_cast<double>(node.made);
    ++cycle;
    for (uint32_t e = node.first_edge; e < node.last_edge; ++e) {
      Node& to = nodes_[edges_[e].to];
      to.ready = std::max(to.ready, cycle - 1 + edges_[e].latency);
      if (--to.waits_for == 0) pending.push(edges_[e].to);
    }
  }
  return peaks;
}

}  // namespace pitot::analysis
