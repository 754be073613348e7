// fma_contract: a product that is only added becomes one fma. Its sum is rounded once where it was
// rounded twice, so this is done with consent only. (`mul.f32` and `add.f32` without a rounding
// modifier may be contracted by ptxas as well; there too the choice is the caller's here.)
#include <fmt/format.h>

#include "transform/held.h"
#include "transform/spelling.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

using namespace analysis;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;

// What is allowed of mul, add and sub here: a rounding to nearest or none, .ftz, .sat.
struct Arithmetic {
  bool ok = false, ftz = false, sat = false;
  ptx::Type type = ptx::Type::kNone;
};

Arithmetic arithmetic_of(const ptx::Opcode& o) {
  Arithmetic a;
  a.type = o.type;
  if (o.form == nullptr) return a;
  for (ptx::ModId id : o.modifiers) {
    if (id == static_cast<ptx::ModId>(Mod::kFtz)) {
      a.ftz = true;
    } else if (id == static_cast<ptx::ModId>(Mod::kSat)) {
      a.sat = true;
    } else if (id != static_cast<ptx::ModId>(Mod::kRn) && ptx::mod_type(id) != a.type) {
      return a;
    }
  }
  switch (a.type) {
    case ptx::Type::kF32:
    case ptx::Type::kF64:
    case ptx::Type::kF16:
    case ptx::Type::kF16x2:
    case ptx::Type::kBf16:
    case ptx::Type::kBf16x2:
    case ptx::Type::kF32x2:
      a.ok = true;
      return a;
    default:
      return a;
  }
}

class Contraction {
 public:
  Contraction(Subject& subject, Edit& edit)
      : subject_(subject), edit_(edit), flow_(subject.flow()), handed_on_(handed_on(flow_)) {}

  void run() {
    const auto body = subject_.body();
    for (uint32_t i = 0; i < body.size(); ++i) {
      const Mnemonic name = body[i].opcode->mnemonic;
      if (name == Mnemonic::kAdd || name == Mnemonic::kSub) look_at(i);
    }
  }

 private:
  const ptx::Instruction& at(uint32_t i) const { return flow_.instruction(i); }
  std::span<const Operand> operands(uint32_t i) const {
    return subject_.module().operands_of(at(i));
  }
  std::string text(const Operand& o) const { return std::string(subject_.text(o.range)); }

  // The product behind operand `k` of the sum, kNone if it is none.
  uint32_t product_of(uint32_t sum, uint8_t k) const {
    const ValueId v = flow_.read(sum, k);
    if (v == kNone || flow_.values.values[v].kind != ValueKind::kWrite) return kNone;
    const uint32_t mul = flow_.values.instruction_of(flow_.accesses, v);
    const ptx::Opcode& o = *at(mul).opcode;
    if (o.mnemonic != Mnemonic::kMul || operands(mul).size() != 3) return kNone;
    const Arithmetic product = arithmetic_of(o);
    return product.ok && product.type == arithmetic_of(*at(sum).opcode).type ? mul : kNone;
  }

  void look_at(uint32_t sum) {
    const Arithmetic a = arithmetic_of(*at(sum).opcode);
    if (!a.ok || operands(sum).size() != 3) return;
    std::string reason;
    for (uint8_t k : {uint8_t{1}, uint8_t{2}}) {
      const uint32_t mul = product_of(sum, k);
      if (mul == kNone) continue;
      std::string why = hindrance(sum, k, mul, a);
      if (why.empty()) why = contract(sum, k, mul, a);
      if (why.empty()) return;
      reason = std::move(why);
    }
    if (!reason.empty()) edit_.decline(at(sum), std::move(reason));
  }

  std::string hindrance(uint32_t sum, uint8_t k, uint32_t mul, const Arithmetic& a) const {
    if (!subject_.assumptions().may_round_otherwise)
      return "results would be rounded otherwise, and nobody consented to that";
    const Arithmetic product = arithmetic_of(*at(mul).opcode);
    if (product.sat) return "the product is clamped before it is added";
    if (product.ftz != a.ftz) return "product and sum treat subnormal numbers differently";
    const ValueId v = flow_.read(sum, k);
    if (flow_.values.uses_of(v).size() != 1 || handed_on_[v] != 0)
      return "the product is used elsewhere too";
    const bool always = at(mul).guard == ptx::kNoId;
    if (!always && !same_guard(flow_, mul, sum)) return "the product is made under another guard";
    if (flow_.loops.loop_of[flow_.cfg.block_of[mul]] !=
        flow_.loops.loop_of[flow_.cfg.block_of[sum]])
      return "the product is made in another loop";
    for (uint8_t s : {uint8_t{1}, uint8_t{2}}) {
      const Operand& factor = operands(mul)[s];
      if (!factor.is_register()) continue;
      if (!still_held(flow_, flow_.read(mul, s), sum))
        return "a factor is gone by the time of the sum";
      if (!is_visible(subject_.function(), factor.id, at(sum)))
        return "a factor cannot be named where the sum is";
    }
    return {};
  }

  // Empty when it is done, else why not.
  std::string contract(uint32_t sum, uint8_t k, uint32_t mul, const Arithmetic& a) {
    const bool minus = at(sum).opcode->mnemonic == Mnemonic::kSub;
    const std::string type(ptx::name_of(a.type));
    const std::string ftz = a.ftz ? ".ftz" : "";
    const std::string fma = fmt::format("fma.rn{}{}.{}", ftz, a.sat ? ".sat" : "", type);
    const std::string neg = fmt::format("neg{}.{}", ftz, type);
    if (!refusal(subject_.module(), fma).empty()) return fmt::format("the target has no {}", fma);
    if (minus && !refusal(subject_.module(), neg).empty())
      return fmt::format("the target has no {}", neg);
    const auto of_sum = operands(sum);
    const auto of_mul = operands(mul);
    std::string first = text(of_mul[1]), addend = text(of_sum[k == 1 ? 2 : 1]);
    if (minus) {
      // p − c: the addend's sign changes; c − p: a factor's.
      const Operand& changed = k == 1 ? of_sum[2] : of_mul[1];
      if (!changed.is_register()) return "a constant's sign would have to change";
      const std::string negated = edit_.new_register(fmt::format("b{}", ptx::bits_of(a.type)));
      edit_.insert_before(at(sum), {fmt::format("{} {}, {};", neg, negated, text(changed))});
      (k == 1 ? addend : first) = negated;
    }
    ptx::Rewriter& r = edit_.rewriter();
    edit_.respell(at(sum), fma);
    r.replace({of_sum[1].range.begin, of_sum[2].range.end},
              fmt::format("{}, {}, {}", first, text(of_mul[2]), addend));
    r.erase_statement(at(mul).range);
    return {};
  }

  Subject& subject_;
  Edit& edit_;
  const FlowFacts& flow_;
  const std::vector<uint8_t> handed_on_;
};

}  // namespace

void contract_products(Subject& subject, Edit& edit, Action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  Contraction(subject, edit).run();
}

}  // namespace pitot::transform
