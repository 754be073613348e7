// Finds the memory accesses of a function and evaluates their addresses for sample warps.
#include "analysis/access.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace pitot::analysis {

using ptx::Group;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

const char* to_string(AccessKind kind) {
  constexpr const char* kNames[] = {"load",       "store",       "atomic",      "reduction",
                                    "async read", "async write", "matrix load", "matrix store"};
  return kNames[static_cast<size_t>(kind)];
}

const char* to_string(LanePattern pattern) {
  constexpr const char* kNames[] = {"unknown", "uniform",   "contiguous",
                                    "strided", "scattered", "rows"};
  return kNames[static_cast<size_t>(pattern)];
}

namespace {

// What is known of alignment is kept up to this power of two.
constexpr unsigned kAlignmentBits = 8;
// Blocks of more warps are sampled evenly.
constexpr uint32_t kSampledWarps = 4;

uint16_t access_bytes(const Opcode& o) {
  unsigned bits = ptx::bits_of(o.type);
  if (bits == 0 || bits > 128) return 0;
  return static_cast<uint16_t>(std::max(1u, bits / 8) * o.vector);
}

// Lanes whose addresses ldmatrix and stmatrix use: one per row of each 8×8 tile.
LaneMask matrix_lanes(const Opcode& o) {
  if (o.has_mod(Mod::kX4)) return 0xffffffffu;
  bool two = o.has_mod(Mod::kX2);
  if (o.has_mod(Mod::kM16n16)) return two ? 0xffffffffu : 0xffffu;
  return two ? 0xffffu : 0xffu;
}

class AccessCollector {
 public:
  AccessCollector(AccessTable& table, const FlowFacts& flow, const Uniformity& u,
                  AffineForms& forms)
      : table_(table), flow_(flow), u_(u), forms_(forms) {}

  void run() {
    // Growing by doubling would hold one and a half times as much in the meantime.
    if (flow_.is_long()) {
      size_t most = 0;
      for (uint32_t i = 0; i < flow_.instruction_count(); ++i)
        most += (flow_.instruction(i).opcode->effects & kTouches) != 0;
      table_.accesses.reserve(most);
    }
    for (BlockId b = 0; b < flow_.cfg.size(); ++b) {
      if (!flow_.cfg.blocks[b].reachable) continue;
      for (uint32_t i = flow_.cfg.blocks[b].first; i < flow_.cfg.blocks[b].last; ++i)
        visit(i, flow_.loops.loop_of[b] != kNone);
    }
  }

 private:
  static constexpr uint32_t kTouches =
      ptx::kLoad | ptx::kStore | ptx::kAtomic | ptx::kRed | ptx::kAsync;

  void visit(uint32_t i, bool in_loop) {
    const ptx::Instruction& ins = flow_.instruction(i);
    const Opcode& o = *ins.opcode;
    if ((o.effects & kTouches) == 0) return;
    MemoryRequest a;
    a.instruction = i;
    a.in_loop = in_loop;
    a.space = ptx::base_space(o.space);
    auto operands = flow_.module->operands_of(ins);
    switch (o.group) {
      case Group::kLoad:
        a.kind = o.has(ptx::kMma) ? AccessKind::kMatrixLoad : AccessKind::kLoad;
        break;
      case Group::kStore:
        a.kind = o.has(ptx::kMma) ? AccessKind::kMatrixStore : AccessKind::kStore;
        break;
      case Group::kAtomic:
        a.kind = o.has(ptx::kAtomic) ? AccessKind::kAtomic : AccessKind::kReduction;
        break;
      case Group::kAsyncCopy:
        copy(a, o, operands);
        return;
      default:
        return;
    }
    if (a.space == Space::kParam) return;
    a.vector = o.vector;
    a.non_coherent = o.has_mod(Mod::kNc);
    a.bytes = o.has(ptx::kMma) ? 16 : access_bytes(o);
    for (uint8_t k = 0; k < std::min<size_t>(operands.size(), UINT8_MAX); ++k) {
      if (operands[k].kind != OperandKind::kAddress) continue;
      a.operand = k;
      add(a);
      return;
    }
  }

  // cp.async.{ca,cg}.shared.global [dst], [src], bytes. Bulk and tensor copies are one thread's.
  void copy(MemoryRequest a, const Opcode& o, std::span<const Operand> operands) {
    if (o.text.starts_with("cp.async.bulk.")) {
      bulk(a, o, operands);
      return;
    }
    if (!o.text.starts_with("cp.async.ca") && !o.text.starts_with("cp.async.cg")) return;
    if (operands.size() < 3 || operands[2].kind != OperandKind::kInteger) return;
    if (operands[2].value < 1 || operands[2].value > 16) return;
    a.bytes = static_cast<uint16_t>(operands[2].value);
    a.kind = AccessKind::kAsyncWrite;
    a.space = Space::kShared;
    a.operand = 0;
    add(a);
    a.kind = AccessKind::kAsyncRead;
    a.space = Space::kGlobal;
    a.operand = 1;
    add(a);
  }

  // Both ends of a bulk copy have to be multiples of 16 (PTX ISA, "cp.async.bulk").
  void bulk(MemoryRequest a, const Opcode& o, std::span<const Operand> operands) {
    if (o.text.find(".tensor") != std::string_view::npos || operands.size() < 3 ||
        operands[0].kind != OperandKind::kAddress || operands[1].kind != OperandKind::kAddress)
      return;
    std::array<Space, 2> ends{};
    size_t n = 0;
    for (ptx::ModId id : o.modifiers)
      if (Space s = ptx::mod_space(id); s != Space::kNone && n < 2) ends[n++] = ptx::base_space(s);
    if (n < 2) return;
    a.needed_alignment = 16;
    a.kind = AccessKind::kAsyncWrite;
    a.space = ends[0];
    a.operand = 0;
    add(a);
    a.kind = AccessKind::kAsyncRead;
    a.space = ends[1];
    a.operand = 1;
    add(a);
  }

  void add(MemoryRequest a) {
    if (a.bytes != 0) a.needed_alignment = a.bytes;
    a.address = forms_.of_operand(a.instruction, a.operand);
    ValueFacts facts = u_.address(flow_, a.instruction, a.operand);
    if (facts.bits.is_bottom()) facts = {Bits::varying(64), Scope::kWarp};
    a.level = facts.level();
    Bits low = facts.bits;
    if (a.address != kNone) {
      a.base = forms_.base(a.address);
      Bits more = forms_.bits(a.address, 64);
      low.zero |= more.zero & Bits::mask(kAlignmentBits);
      low.one |= more.one & Bits::mask(kAlignmentBits);
      if ((low.zero & low.one) != 0) low = facts.bits;
    }
    unsigned zeros = std::min(low.trailing_zeros(), kAlignmentBits);
    unsigned known = std::min(static_cast<unsigned>(std::countr_one(low.known())), kAlignmentBits);
    a.alignment = static_cast<uint16_t>(1u << zeros);
    a.residue_modulus = static_cast<uint16_t>(1u << known);
    a.residue = static_cast<uint16_t>(low.one & Bits::mask(known));
    uint32_t needed = a.needed_alignment;
    a.misaligned = std::has_single_bit(needed) && (low.one & (needed - 1)) != 0;
    a.resolved = a.space == Space::kNone ? resolve(a.address) : a.space;
    table_.accesses.push_back(a);
  }

  // The space of a generic address: a variable with its window's base, or a pointer that says so.
  Space resolve(FormId f) const {
    if (f == kNone) return Space::kNone;
    Space found = Space::kNone;
    for (const Term& t : forms_.terms(f)) {
      auto atoms = forms_.monomial(t.monomial).span();
      if (atoms.size() != 1 || t.coefficient != 1) continue;
      const Atom& a = forms_.atom(atoms[0]);
      if (a.kind == AtomKind::kWindow) return static_cast<Space>(a.id);
      if (a.kind == AtomKind::kSymbol && flow_.module->symbols[a.id].space == Space::kGlobal)
        found = Space::kGlobal;
      if (a.kind == AtomKind::kParameter &&
          flow_.module->symbols[a.id].pointer_space == Space::kGlobal)
        found = Space::kGlobal;
    }
    return found;
  }

  AccessTable& table_;
  const FlowFacts& flow_;
  const Uniformity& u_;
  AffineForms& forms_;
};

void classify_pattern(MemoryRequest& a, const LaneAddresses& l, LaneMask active) {
  uint32_t first = static_cast<uint32_t>(std::countr_zero(active));
  if (!l.one_row) {
    a.pattern = LanePattern::kRows;
    return;
  }
  uint32_t second = 32;
  bool linear = true, same = true;
  int64_t stride = 0;
  for (uint32_t lane = first + 1; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    int64_t distance = l.offset[lane] - l.offset[first];
    if (second == 32) {
      second = lane;
      int64_t steps = int64_t{lane} - first;
      linear = distance % steps == 0;
      stride = distance / steps;
    }
    same = same && distance == 0;
    linear = linear && distance == stride * (int64_t{lane} - first);
  }
  if (same) {
    a.pattern = LanePattern::kUniform;
  } else if (linear) {
    a.pattern = stride == a.bytes ? LanePattern::kContiguous : LanePattern::kStrided;
    a.stride = stride;
  } else {
    a.pattern = LanePattern::kScattered;
  }
}

// Warps of the sample that an access was followed for. What they do is summed in the access itself.
struct Followed {
  uint8_t warps = 0, bank_warps = 0;
};

class AccessEvaluator {
 public:
  AccessEvaluator(AccessTable& table, const FlowFacts& flow, const Uniformity& u,
                  AffineForms& forms)
      : table_(table), flow_(flow), u_(u), forms_(forms), lanes_(forms, flow, u) {}

  void run(std::span<const uint32_t> which) {
    if (which.empty()) return;
    followed_.resize(which.size());
    for (uint32_t n : which) {
      MemoryRequest& a = table_.accesses[n];
      a.active_lanes = a.sectors = a.useful_bytes = a.wavefronts = a.ideal_wavefronts = 0;
    }
    uint32_t warps = table_.shape.warps(), samples = std::min(warps, kSampledWarps);
    for (uint32_t k = 0; k < samples; ++k) {
      uint32_t warp = samples == 1 ? 0 : k * (warps - 1) / (samples - 1);
      lanes_.set_warp(table_.shape, warp);
      active_.build(flow_, u_, forms_, lanes_);
      for (size_t n = 0; n < which.size(); ++n) evaluate(table_.accesses[which[n]], followed_[n]);
    }
    for (size_t n = 0; n < which.size(); ++n) finish(table_.accesses[which[n]], followed_[n]);
  }

 private:
  void evaluate(MemoryRequest& a, Followed& followed) {
    ActiveLanes::Executing who = active_.at(flow_, u_, forms_, lanes_, a.instruction);
    LaneMask active = who.may;
    bool matrix = a.kind == AccessKind::kMatrixLoad || a.kind == AccessKind::kMatrixStore;
    if (matrix) active &= matrix_lanes(*flow_.instruction(a.instruction).opcode);
    if (active == 0 || a.bytes == 0) return;
    a.guard_followed = a.guard_followed && who.exact;
    LaneAddresses l = lanes_.addresses(a.address, 64, flow_.cfg.block_of[a.instruction]);
    if (!l.known) {
      if (a.level == Scope::kVarying) return;
      l = LaneAddresses{};  // one address that all lanes share
      l.known = true;
    }
    a.assumes_no_wrap = a.assumes_no_wrap || l.assumes_no_wrap;
    if (followed.warps++ == 0) classify_pattern(a, l, active);
    a.active_lanes += static_cast<float>(std::popcount(active));
    Space space = a.resolved == Space::kNone ? Space::kGlobal : a.resolved;
    if (space == Space::kGlobal || space == Space::kLocal) {
      SectorCount c = space == Space::kGlobal ? count_sectors(l, active, a.bytes)
                                              : count_local_sectors(l, active, a.bytes);
      a.sectors += static_cast<float>(c.sectors);
      a.useful_bytes += static_cast<float>(c.useful_bytes);
    } else if (space == Space::kShared) {
      BankCount c = count_bank_passes(l, active, a.bytes);
      if (!c.known) return;
      ++followed.bank_warps;
      a.wavefronts += static_cast<float>(c.wavefronts);
      a.ideal_wavefronts += static_cast<float>(c.ideal);
    }
  }

  static void finish(MemoryRequest& a, const Followed& f) {
    if (f.warps != 0)
      for (float* sum : {&a.active_lanes, &a.sectors, &a.useful_bytes}) *sum /= f.warps;
    if (f.bank_warps != 0)
      for (float* sum : {&a.wavefronts, &a.ideal_wavefronts}) *sum /= f.bank_warps;
  }

  AccessTable& table_;
  const FlowFacts& flow_;
  const Uniformity& u_;
  AffineForms& forms_;
  LaneEvaluator lanes_;
  ActiveLanes active_;
  std::vector<Followed> followed_;
};

}  // namespace

void AccessTable::build_addresses(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                                  const std::optional<BlockShape>& block_shape) {
  accesses.clear();
  shape_assumed = !block_shape.has_value();
  shape = block_shape.value_or(BlockShape{{128, 1, 1}, false});
  AccessCollector(*this, flow, u, forms).run();
}

void AccessTable::evaluate_lanes(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                                 std::span<const uint32_t> which) {
  AccessEvaluator(*this, flow, u, forms).run(which);
}

void AccessTable::build(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                        const std::optional<BlockShape>& block_shape) {
  build_addresses(flow, u, forms, block_shape);
  std::vector<uint32_t> all(accesses.size());
  std::iota(all.begin(), all.end(), 0);
  evaluate_lanes(flow, u, forms, all);
}

std::string AccessTable::describe(const MemoryRequest& a, const AffineForms& forms) const {
  std::string out = a.address == kNone ? "address not followed" : forms.to_string_form(a.address);
  out += ": aligned to " + std::to_string(a.alignment) + ", " + to_string(a.pattern);
  if (a.pattern == LanePattern::kStrided || a.pattern == LanePattern::kContiguous)
    out += ", stride " + std::to_string(a.stride);
  auto number = [](double v) {
    std::string s = std::to_string(std::lround(v * 10) / 10.0);
    s.resize(s.find('.') + 2);
    return s.ends_with(".0") ? s.substr(0, s.size() - 2) : s;
  };
  if (a.sectors > 0)
    out += ", " + number(a.sectors) + " sectors a request, " + number(100 * a.efficiency()) +
           " % used";
  if (a.wavefronts > 0)
    out += ", " + number(a.wavefronts) + " bank passes a request where " +
           number(a.ideal_wavefronts) + " would do";
  return out;
}

}  // namespace pitot::analysis
