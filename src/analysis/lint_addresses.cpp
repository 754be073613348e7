// Addresses that are not multiples of the access size.
#include <algorithm>

#include "analysis/lint_context.h"

namespace pitot::analysis {
namespace {

std::string access_name(const LintContext& c, const MemoryRequest& a) {
  return std::string(c.flow.instruction(a.instruction).opcode->text);
}

// "src is aligned to 16", when the base is known for something.
std::string base_text(const LintContext& c, const MemoryRequest& a) {
  if (a.base == kNone) return {};
  const Atom& base = c.forms.atom(a.base);
  const ptx::Symbol& s = c.module().symbols[base.id];
  uint32_t alignment = base.kind == AtomKind::kSymbol ? s.alignment : s.pointer_alignment;
  if (alignment == 0) return {};
  return std::string(s.name) + " is aligned to " + std::to_string(alignment) + ", ";
}

std::string address_text(const LintContext& c, const MemoryRequest& a) {
  return a.address == kNone ? c.text(c.operand(a.instruction, a.operand).range)
                            : c.forms.to_string_form(a.address);
}

constexpr const char* kAlignHint =
    "use accesses no wider than the alignment, or move the start to an aligned element";

void report_always(LintContext& c, const MemoryRequest& a) {
  uint32_t needed = a.needed_alignment;
  uint32_t over = a.residue & (needed - 1);
  std::string by = a.residue_modulus >= needed
                       ? std::to_string(over) + " more than a multiple of " + std::to_string(needed)
                       : "never a multiple of " + std::to_string(needed);
  c.report(Severity::kError, "misaligned-access", c.operand(a.instruction, a.operand).range,
           "'" + access_name(c, a) + "' " +
               (a.bytes != 0 ? "accesses " + std::to_string(needed) + " bytes at "
                             : "copies from or to multiples of 16 only, not ") +
               address_text(c, a) + ": " + base_text(c, a) + "so the address is " + by,
           kAlignHint);
}

// Lanes whose own address is certainly misaligned although that of others is not.
class LaneCheck {
 public:
  explicit LaneCheck(LintContext& c) : c_(c), lanes_(c.forms, c.flow, c.uniformity) {}

  void run() {
    for (uint32_t n = 0; n < c_.table.accesses.size(); ++n)
      if (worth_it(c_.table.accesses[n])) pending_.push_back(n);
    c_.table.evaluate_lanes(c_.flow, c_.uniformity, c_.forms, pending_);
    std::erase_if(pending_, [&](uint32_t n) {
      const LanePattern pattern = c_.table.accesses[n].pattern;
      return pattern == LanePattern::kUnknown || pattern == LanePattern::kUniform;
    });
    for (uint32_t warp = 0; warp < c_.shape.warps() && !pending_.empty(); ++warp) {
      lanes_.set_warp(c_.shape, warp);
      active_.build(c_.flow, c_.uniformity, c_.forms, lanes_);
      std::erase_if(pending_, [&](uint32_t n) { return check(c_.table.accesses[n], warp); });
    }
  }

 private:
  // Only where the lanes' distances can break an alignment that the base keeps.
  bool worth_it(const MemoryRequest& a) const {
    if (a.address == kNone || a.misaligned || a.bytes < 2 || a.alignment >= a.bytes ||
        !std::has_single_bit(uint32_t{a.bytes}))
      return false;
    for (const Term& t : c_.forms.terms(a.address)) {
      unsigned zeros =
          static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(t.coefficient)));
      bool unknown = false, per_lane = false;
      for (AtomId id : c_.forms.monomial(t.monomial).span()) {
        const Atom& atom = c_.forms.atom(id);
        zeros += std::min(atom.bits.trailing_zeros(), 64u);
        (atom.pure ? per_lane : unknown) = true;
      }
      if (unknown && !per_lane && zeros == 0) return false;
    }
    return true;
  }

  bool check(const MemoryRequest& a, uint32_t warp) {
    ActiveLanes::Executing who =
        active_.at(c_.flow, c_.uniformity, c_.forms, lanes_, a.instruction);
    LaneAddresses l = lanes_.addresses(a.address, 64, c_.flow.cfg.block_of[a.instruction]);
    if (!l.known) return false;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((who.may >> lane & 1) == 0) continue;
      Bits bits = l.address(lane);
      if ((bits.one & (a.bytes - 1u)) == 0) continue;
      report(a, warp * 32 + lane, bits, who.exact);
      return true;
    }
    return false;
  }

  void report(const MemoryRequest& a, uint32_t thread, const Bits& bits, bool exact) {
    std::string lane = "thread " + std::to_string(thread) + " (" + c_.shape_text() + ")";
    uint64_t known = Bits::mask(static_cast<unsigned>(std::countr_one(bits.known())));
    std::string by = (known & (a.bytes - 1u)) == a.bytes - 1u
                         ? std::to_string(bits.one & (a.bytes - 1u)) + " more than a multiple of " +
                               std::to_string(a.bytes)
                         : "no multiple of " + std::to_string(a.bytes);
    std::string when = exact ? "" : ", whenever it takes part";
    c_.report(exact ? c_.severity() : Severity::kWarning, "misaligned-access",
              c_.operand(a.instruction, a.operand).range,
              "'" + access_name(c_, a) + "' accesses " + std::to_string(a.bytes) + " bytes at " +
                  address_text(c_, a) + ": " + base_text(c_, a) + "in " + lane +
                  " the address is " + by + when,
              kAlignHint);
  }

  LintContext& c_;
  LaneEvaluator lanes_;
  ActiveLanes active_;
  std::vector<uint32_t> pending_;
};

}  // namespace

void lint_addresses(LintContext& c) {
  for (const MemoryRequest& a : c.table.accesses) {
    if (a.misaligned) {
      report_always(c, a);
    } else if (c.options.pedantic && a.vector > 1 && a.alignment < a.bytes) {
      c.report(Severity::kNote, "alignment-unproved", c.operand(a.instruction, a.operand).range,
               "'" + access_name(c, a) + "' needs an address that is a multiple of " +
                   std::to_string(a.bytes) + "; the PTX proves " + std::to_string(a.alignment) +
                   " for " + address_text(c, a),
               "declare the pointer's alignment with .ptr .align");
    }
  }
  LaneCheck(c).run();
}

}  // namespace pitot::analysis
