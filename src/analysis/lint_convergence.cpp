// Barriers, member masks, shuffles and .uni branches against the lanes that can be there.
#include <algorithm>

#include "analysis/lint_context.h"

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Opcode;

namespace {

enum class Kind : uint8_t { kNone, kBarrier, kAligned, kMasked, kUniform };

struct Site {
  uint32_t instruction = 0;
  Kind kind = Kind::kNone;
  bool shuffle = false;
  bool done = false;
  bool fixed = false;  // right where all lanes of a warp are, whichever warp it is
};

bool is_aligned_barrier(const Opcode& o) {
  if (o.mnemonic == Mnemonic::kBar) return !o.has_mod(Mod::kWarp);
  return o.mnemonic == Mnemonic::kBarrier && o.has_mod(Mod::kAligned);
}

// The operand that holds the member mask of a .sync warp operation; −1 if it has none.
int mask_operand(const Opcode& o, size_t operands) {
  switch (o.mnemonic) {
    case Mnemonic::kShfl:
    case Mnemonic::kVote:
    case Mnemonic::kMatch:
    case Mnemonic::kRedux:
    case Mnemonic::kElect:
      return o.has_mod(Mod::kSync) && operands != 0 ? static_cast<int>(operands) - 1 : -1;
    case Mnemonic::kBar:
      return o.has_mod(Mod::kWarp) && operands != 0 ? static_cast<int>(operands) - 1 : -1;
    default:
      return -1;
  }
}

std::string lanes_text(LaneMask mask) {
  int n = std::popcount(mask);
  if (n == 1) return "lane " + std::to_string(std::countr_zero(mask));
  uint32_t low = static_cast<uint32_t>(std::countr_zero(mask));
  uint32_t high = 31u - static_cast<uint32_t>(std::countl_zero(mask));
  if (static_cast<int>(high - low) + 1 == n)
    return "lanes " + std::to_string(low) + "–" + std::to_string(high);
  return std::to_string(n) + " lanes (" + hex_mask(mask) + ")";
}

class ConvergenceChecker {
 public:
  explicit ConvergenceChecker(LintContext& c) : c_(c), lanes_(c.forms, c.flow, c.uniformity) {}

  void run() {
    collect();
    for (Site& s : sites_) threads(s);
    if (c_.options.pedantic) unproved();
    for (uint32_t warp = 0; warp < c_.shape.warps(); ++warp) {
      if (std::all_of(sites_.begin(), sites_.end(), [](const Site& s) { return s.done; })) break;
      warp_ = warp;
      lanes_.set_warp(c_.shape, warp);
      active_.build(c_.flow, c_.uniformity, c_.forms, lanes_);
      for (Site& s : sites_)
        if (!s.done) s.done = check(s);
    }
  }

 private:
  void collect() {
    for (uint32_t i = 0; i < c_.flow.instruction_count(); ++i) {
      const ptx::Instruction& ins = c_.flow.instruction(i);
      const Opcode& o = *ins.opcode;
      constexpr uint32_t kInteresting = ptx::kConvergent | ptx::kBarrier | ptx::kShuffle |
                                        ptx::kVote | ptx::kMma | ptx::kBranch | ptx::kCall |
                                        ptx::kRet;
      if ((o.effects & kInteresting) == 0) continue;
      if (!c_.flow.cfg.blocks[c_.flow.cfg.block_of[i]].reachable) continue;
      Site s;
      s.instruction = i;
      s.shuffle = o.mnemonic == Mnemonic::kShfl;
      if (is_aligned_barrier(o)) {
        s.kind = Kind::kBarrier;
      } else if (mask_operand(o, ins.operand_count) >= 0 || s.shuffle) {
        s.kind = Kind::kMasked;
      } else if (o.has_mod(Mod::kAligned)) {
        s.kind = Kind::kAligned;
      } else if (o.has_mod(Mod::kUni) && ins.guard != kNoId && !o.has(ptx::kVote)) {
        s.kind = Kind::kUniform;
      }
      if (s.kind != Kind::kNone) sites_.push_back(s);
    }
  }

  // A guard or a member mask that differs between warps has to be looked at in each.
  bool varies_by_warp(const Site& s) {
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    if (ins.guard != kNoId) return true;
    if (s.kind != Kind::kMasked) return false;
    for (uint8_t k = 2; k < ins.operand_count || k == 2; ++k) {
      size_t operand = ins.operand_count < 3 ? 0 : k;
      FormId f = c_.forms.of_operand(s.instruction, static_cast<uint8_t>(operand));
      if (f == kNone || !c_.forms.is_constant(f)) return true;
    }
    return false;
  }

  bool check(Site& s) {
    BlockId b = c_.flow.cfg.block_of[s.instruction];
    const bool complete = active_.may[b] == lanes_.lanes();
    if (s.fixed && complete) return false;
    bool found = check_once(s);
    if (!found && complete && active_.exact[b] != 0) s.fixed = !varies_by_warp(s);
    return found;
  }

  bool check_once(const Site& s) {
    ActiveLanes::Executing who =
        active_.at(c_.flow, c_.uniformity, c_.forms, lanes_, s.instruction);
    if (s.kind == Kind::kUniform) return uniform_branch(s);
    if (who.may == 0) return false;
    if (s.kind != Kind::kMasked) return aligned(s, who);
    bool found = member_mask(s, who);
    if (s.shuffle && !found) found = shuffle(s, who);
    return found;
  }

  // Where lanes were lost: the nearest branch above that splits the warp, for the message.
  std::string cause(uint32_t instruction) const {
    const FlowFacts& flow = c_.flow;
    if (flow.instruction(instruction).guard != kNoId &&
        (active_.may[flow.cfg.block_of[instruction]] == lanes_.lanes()))
      return "its guard";
    BlockId b = flow.cfg.block_of[instruction];
    while (b != 0 && b != kNone) {
      BlockId d = flow.dom.idom[b];
      if (d == kNone) break;
      if (active_.may[d] != active_.may[b]) {
        uint32_t decides = flow.cfg.deciding_instruction(c_.module(), *flow.function, d);
        if (decides == kNone) break;
        const ptx::Instruction& ins = flow.instruction(decides);
        std::string what = "the branch on ";
        if ((ins.opcode->effects & (ptx::kRet | ptx::kExit)) != 0) what = "the exit on ";
        return what + std::string(flow.function->registers[ins.guard].name) + " at line " +
               std::to_string(c_.line(ins.range));
      }
      b = d;
    }
    return "a branch";
  }

  bool aligned(const Site& s, const ActiveLanes::Executing& who) {
    LaneMask all = lanes_.lanes();
    if (who.may == all) return false;
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    std::string op(ins.opcode->text);
    bool barrier = s.kind == Kind::kBarrier;
    c_.report(c_.severity(), barrier ? "barrier-divergent" : "aligned-divergent", ins.opcode_range,
              "'" + op + "' is reached by " + std::to_string(std::popcount(who.may)) + " of the " +
                  std::to_string(std::popcount(all)) + " lanes of warp " + std::to_string(warp_) +
                  " (" + hex_mask(who.may) + "), " + c_.shape_text() + ": " + cause(s.instruction) +
                  " differs between lanes",
              barrier ? "move the barrier out of the divergent code, where all threads reach it"
                      : "let all 32 lanes execute it");
    return true;
  }

  bool uniform_branch(const Site& s) {
    BlockId b = c_.flow.cfg.block_of[s.instruction];
    LaneMask may = active_.may[b];
    std::optional<LaneMask> holds = lanes_.predicate(c_.forms.of_guard(s.instruction));
    if (!holds || active_.exact[b] == 0) return false;
    LaneMask taken = may & *holds;
    if (taken == 0 || taken == may) return false;
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    c_.report(c_.severity(), "uni-divergent", ins.opcode_range,
              "'" + std::string(ins.opcode->text) + "' promises one direction, but " +
                  c_.text(guard_range(ins)) + " holds in " + lanes_text(taken) + " of the " +
                  std::to_string(std::popcount(may)) + " in warp " + std::to_string(warp_) + ", " +
                  c_.shape_text(),
              "drop .uni");
    return true;
  }

  static SourceRange guard_range(const ptx::Instruction& ins) {
    SourceRange r = ins.range;
    r.end = ins.opcode_range.begin;
    return r;
  }

  // The mask that each lane gives; false if some cannot be told.
  bool masks_of(const Site& s, LaneValues& out) {
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    int k = mask_operand(*ins.opcode, ins.operand_count);
    if (k < 0) return false;
    FormId f = c_.forms.of_operand(s.instruction, static_cast<uint8_t>(k));
    return lanes_.values(f, 32, out);
  }

  bool member_mask(const Site& s, const ActiveLanes::Executing& who) {
    LaneValues mask;
    if (!masks_of(s, mask)) return false;
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    int k = mask_operand(*ins.opcode, ins.operand_count);
    SourceRange range = c_.operand(s.instruction, static_cast<size_t>(k)).range;
    LaneMask outside = 0, waiting = 0, absent_of = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((who.may >> lane & 1) == 0) continue;
      LaneMask m = static_cast<LaneMask>(mask[lane]);
      if ((m >> lane & 1) == 0) outside |= 1u << lane;
      LaneMask absent = m & lanes_.lanes() & ~who.may & ~who.gone;
      if (absent != 0) {
        waiting |= 1u << lane;
        absent_of |= absent;
      }
    }
    uint32_t first = static_cast<uint32_t>(std::countr_zero(who.may));
    std::string op(ins.opcode->text), where = ", " + c_.shape_text();
    if (outside != 0 && (who.exact || outside == who.may)) {
      uint32_t example = static_cast<uint32_t>(std::countr_zero(outside));
      c_.report(c_.severity(), "membermask", range,
                "'" + op + "' is executed by " + lanes_text(outside) + " of warp " +
                    std::to_string(warp_) + ", which the member mask " +
                    hex_mask(static_cast<LaneMask>(mask[example])) + " leaves out" + where +
                    ": the result is undefined there",
                "name every lane that executes it: " + hex_mask(who.may));
      return true;
    }
    if (waiting == 0 || !(who.exact || waiting == who.may) || others_pair(s, absent_of))
      return false;
    c_.report(c_.severity(), "membermask", range,
              "'" + op + "' waits for " + lanes_text(absent_of) + " of warp " +
                  std::to_string(warp_) + ", which the member mask " +
                  hex_mask(static_cast<LaneMask>(mask[first])) +
                  " names but which never execute it" + where + ": " + cause(s.instruction) +
                  " keeps them away",
              "use the mask of the lanes that do: " + hex_mask(who.may));
    return true;
  }

  // Another instruction of the same spelling, which the missing lanes may execute: those pair up.
  bool others_pair(const Site& s, LaneMask missing) {
    const Opcode* o = c_.flow.instruction(s.instruction).opcode;
    for (const Site& other : sites_) {
      if (other.instruction == s.instruction || c_.flow.instruction(other.instruction).opcode != o)
        continue;
      ActiveLanes::Executing who =
          active_.at(c_.flow, c_.uniformity, c_.forms, lanes_, other.instruction);
      if ((who.may & missing) != 0) return true;
    }
    return false;
  }

  // shfl d|p, a, b, c: c holds the clamp (bits 0–4) and the segment mask (bits 8–12); PTX ISA,
  // "shfl".
  bool shuffle(const Site& s, const ActiveLanes::Executing& who) {
    LaneValues b, c;
    if (!lanes_.values(c_.forms.of_operand(s.instruction, 2), 32, b) ||
        !lanes_.values(c_.forms.of_operand(s.instruction, 3), 32, c))
      return false;
    const Opcode& o = *c_.flow.instruction(s.instruction).opcode;
    SourceRange range = c_.operand(s.instruction, 3).range;
    uint32_t first = static_cast<uint32_t>(std::countr_zero(who.may));
    uint32_t segment = static_cast<uint32_t>(c[first] >> 8 & 31);
    uint32_t width = (~segment & 31) + 1;
    if (!std::has_single_bit(width)) {
      c_.report(Severity::kWarning, "shfl-clamp", range,
                "the segment mask " + std::to_string(segment) + " of '" + std::string(o.text) +
                    "' divides the warp into no segments of 2, 4, 8, 16 or 32 lanes",
                "for segments of w lanes use (32 − w) << 8, and for idx, bfly and down | 31");
      return true;
    }
    if (o.has_mod(Mod::kIdx)) return false;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((who.may >> lane & 1) == 0) continue;
      if ((b[lane] & 31) == 0 || source(o, lane, b[lane], c[lane]) != lane) return false;
    }
    c_.report(Severity::kWarning, "shfl-clamp", range,
              "'" + std::string(o.text) + "' moves nothing: with clamp " +
                  std::to_string(c[first] & 31) + " and segment mask " + std::to_string(segment) +
                  " every source lane is out of range, so each lane keeps its own value",
              o.has_mod(Mod::kUp) ? "up takes clamp 0" : "down and bfly take clamp 31");
    return true;
  }

  static uint32_t source(const Opcode& o, uint32_t lane, uint64_t b, uint64_t c) {
    uint32_t value = static_cast<uint32_t>(b & 31), clamp = static_cast<uint32_t>(c & 31);
    uint32_t segment = static_cast<uint32_t>(c >> 8 & 31);
    int limit = static_cast<int>((lane & segment) | (clamp & ~segment));
    int j = static_cast<int>(lane);
    bool inside = false;
    if (o.has_mod(Mod::kUp)) {
      j -= static_cast<int>(value);
      inside = j >= limit;
    } else if (o.has_mod(Mod::kDown)) {
      j += static_cast<int>(value);
      inside = j <= limit;
    } else {
      j ^= static_cast<int>(value);
      inside = j <= limit;
    }
    return inside ? static_cast<uint32_t>(j) : lane;
  }

  // Thread counts of barriers that come from a register; constants are the verifier's.
  void threads(Site& s) {
    if (s.kind != Kind::kBarrier) return;
    const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
    bool reduces = ins.opcode->has_mod(Mod::kRed);
    uint8_t k = reduces ? 2 : 1;
    if (ins.operand_count <= k || (reduces && ins.operand_count < 4)) return;
    ValueFacts count = c_.uniformity.operand(c_.flow, s.instruction, k);
    if (!count.bits.is_constant()) return;
    uint64_t n = count.bits.one;
    bool literal = c_.operand(s.instruction, k).kind == ptx::OperandKind::kInteger;
    std::string op(ins.opcode->text);
    if ((n == 0 || n % 32 != 0) && !literal) {
      c_.report(Severity::kError, "barrier-threads", c_.operand(s.instruction, k).range,
                "'" + op + "' waits for " + std::to_string(n) +
                    " threads; the count has to be a multiple of the warp size, 32",
                "round the count up to " + std::to_string((n + 31) / 32 * 32));
    } else if (c_.shape.certain && n > c_.shape.warps() * 32) {
      c_.report(Severity::kError, "barrier-threads", c_.operand(s.instruction, k).range,
                "'" + op + "' waits for " + std::to_string(n) + " threads, " + c_.shape_text() +
                    " only " + std::to_string(c_.shape.warps() * 32) + " can arrive",
                "lower the count");
    }
  }

  void unproved() {
    for (const Site& s : sites_) {
      BlockId b = c_.flow.cfg.block_of[s.instruction];
      if (s.kind != Kind::kBarrier || c_.uniformity.context[b] != Scope::kVarying) continue;
      const ptx::Instruction& ins = c_.flow.instruction(s.instruction);
      c_.report(Severity::kNote, "barrier-unproved", ins.opcode_range,
                "'" + std::string(ins.opcode->text) +
                    "' lies under a branch that is not proved to be the same in all lanes",
                "");
    }
  }

  LintContext& c_;
  LaneEvaluator lanes_;
  ActiveLanes active_;
  std::vector<Site> sites_;
  uint32_t warp_ = 0;
};

}  // namespace

void lint_convergence(LintContext& c) { ConvergenceChecker(c).run(); }

}  // namespace pitot::analysis
