// Every instruction of every body: guard, operands, and what the opcode needs of version and
// target.
#include <fmt/format.h>

#include "ptx/special_register.h"
#include "ptx/verify_context.h"
#include "ptx/verify_describe.h"
#include "ptx/verify_operands.h"
#include "ptx/verify_rules.h"

namespace pitot::ptx {
namespace {

// How far a row goes along with an instruction's operands.
struct Attempt {
  bool fits = false;
  size_t matched = 0;  // operands before the first misfit
  Misfit misfit;
  const ReadyOperand* wanted = nullptr;
};

class InstructionVerifier {
 public:
  InstructionVerifier(VerifyContext& ctx, RuleTable& rules, const Function& function)
      : ctx_(ctx), rules_(rules), function_(function), matcher_(ctx.module, function) {}

  void run() {
    for (const Instruction& i : ctx_.module.body(function_)) check(i);
  }

 private:
  void check(const Instruction& i);
  Attempt attempt(const ReadyForm& form, const OpcodeTraits& traits,
                  std::span<const Operand> operands) const;
  Attempt attempt_from(const ReadyForm& form, const OpcodeTraits& traits,
                       std::span<const Operand> operands, size_t w, size_t k) const;
  void report_misfit(const Instruction& i, const OpcodeRules& rules,
                     std::span<const Operand> operands);
  void report_count(const Instruction& i, const ReadyForm& form, size_t given);
  void check_support(const Instruction& i, ReadyForm& form);
  void check_values(const Instruction& i, std::span<const Operand> operands);
  void check_guarded_parameter(const Instruction& i);
  void check_special_registers(std::span<const Operand> operands);
  SourceRange culprit(const Instruction& i, const Form& form) const;

  VerifyContext& ctx_;
  RuleTable& rules_;
  const Function& function_;
  OperandMatcher matcher_;
};

Attempt InstructionVerifier::attempt(const ReadyForm& form, const OpcodeTraits& traits,
                                     std::span<const Operand> operands) const {
  Attempt result;
  if (operands.size() < form.required || operands.size() > form.operands.size()) {
    result.misfit.fault = operands.size() < form.required ? Fault::kMissing : Fault::kExtra;
    return result;
  }
  return attempt_from(form, traits, operands, 0, 0);
}

// Operands from `k` on against the row's from `w` on. An optional operand is taken where it fits
// and left out where it does not, or where taking it leaves too few for the rest.
Attempt InstructionVerifier::attempt_from(const ReadyForm& form, const OpcodeTraits& traits,
                                          std::span<const Operand> operands, size_t w,
                                          size_t k) const {
  Attempt result;
  for (; w < form.operands.size(); ++w) {
    const ReadyOperand& wanted = form.operands[w];
    const bool spare = operands.size() - k < form.operands.size() - w;
    if (k == operands.size()) {
      if (wanted.spec->optional) continue;
      result.matched = k;
      result.misfit.fault = Fault::kMissing;
      return result;
    }
    Misfit misfit = matcher_.match(wanted, operands[k], traits);
    const bool fits = misfit.fault == Fault::kNone || misfit.fault == Fault::kUnresolved;
    if (fits && wanted.spec->optional && spare) {
      Attempt taken = attempt_from(form, traits, operands, w + 1, k + 1);
      if (taken.fits) return taken;
      continue;
    }
    if (fits) {
      ++k;
      continue;
    }
    if (wanted.spec->optional && spare) continue;
    result.matched = k;
    result.misfit = misfit;
    result.wanted = &wanted;
    return result;
  }
  result.matched = k;
  result.fits = k == operands.size();
  if (!result.fits) result.misfit.fault = Fault::kExtra;
  return result;
}

void InstructionVerifier::check(const Instruction& i) {
  if (i.guard != kNoId && function_.registers[i.guard].type != Type::kPred) {
    const Register& reg = function_.registers[i.guard];
    auto at = static_cast<uint32_t>(ctx_.module.slice(i.range).find(reg.name));
    ctx_.out.error(
        "guard-not-predicate",
        {i.range.begin + at, i.range.begin + at + static_cast<uint32_t>(reg.name.size())},
        fmt::format("register '{}' (.{}) cannot guard an instruction: a predicate is needed",
                    reg.name, name_of(reg.type)),
        "compare with setp to get a predicate");
  }
  if (i.guard != kNoId) check_guarded_parameter(i);
  const Opcode& opcode = *i.opcode;
  if (opcode.candidates.empty()) return;  // the parser reported the spelling
  OpcodeRules& rules = rules_.rules_for(opcode);
  const auto operands = ctx_.module.operands_of(i);
  if (opcode.has(kCall)) {
    verify_call(ctx_, function_, i);
    check_support(i, rules.forms.front());
    return;
  }
  ReadyForm* best = nullptr;
  for (ReadyForm& form : rules.forms) {
    if (!attempt(form, rules.traits, operands).fits) continue;
    if (best == nullptr || (best->support != Support::kYes && form.support == Support::kYes) ||
        (best->support > Support::kDeprecated && form.support == Support::kDeprecated))
      best = &form;
    if (best->support == Support::kYes) break;
  }
  if (best == nullptr) {
    report_misfit(i, rules, operands);
    return;
  }
  if (best->support != Support::kYes) check_support(i, *best);
  check_values(i, operands);
  if (rules.traits.takes_special) check_special_registers(operands);
}

// Building a call's arguments and reading its results cannot be conditional.
void InstructionVerifier::check_guarded_parameter(const Instruction& i) {
  if (base_space(i.opcode->space) != Space::kParam) return;
  for (const Operand& o : ctx_.module.operands_of(i)) {
    if (o.kind != OperandKind::kAddress || o.base_kind != OperandKind::kSymbol) continue;
    const Symbol& s = ctx_.module.symbols[o.id];
    if (s.kind == SymbolKind::kVariable && s.space == Space::kParam)
      ctx_.out.error(
          "guarded-argument", o.range,
          fmt::format("'{}' of '{}' cannot be guarded by a predicate", i.opcode->text, s.name),
          "branch around the whole call instead");
  }
}

void InstructionVerifier::report_count(const Instruction& i, const ReadyForm& form, size_t given) {
  size_t least = form.required, most = form.operands.size();
  std::string counts =
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  auto operands = ctx_.module.operands_of(i);
  SourceRange where = given > most ? operands[most].range : i.opcode_range;
  ctx_.out.error("operand-count", where,
                 fmt::format("'{}' takes {} operand{}, not {}", i.opcode->text, counts,
                             most == 1 && least == 1 ? "" : "s", given),
                 fmt::format("usage: {}", usage(*i.opcode, form.operands)));
}

// Explains by the row that goes along farthest, among those that this version and target have if
// any.
void InstructionVerifier::report_misfit(const Instruction& i, const OpcodeRules& rules,
                                        std::span<const Operand> operands) {
  const ReadyForm* best = nullptr;
  Attempt best_attempt;
  auto rank = [](const Attempt& a, const ReadyForm& form) {
    bool counts = a.misfit.operand != nullptr;
    return (counts ? 100 : 0) + static_cast<int>(a.matched) * 2 +
           (form.support == Support::kYes || form.support == Support::kDeprecated ? 1 : 0);
  };
  for (const ReadyForm& form : rules.forms) {
    Attempt a = attempt(form, rules.traits, operands);
    if (best != nullptr && rank(a, form) <= rank(best_attempt, *best)) continue;
    best = &form;
    best_attempt = a;
  }
  if (best_attempt.misfit.operand == nullptr) {
    report_count(i, *best, operands.size());
    return;
  }
  FaultText text =
      explain(ctx_.module, function_, *i.opcode, *best_attempt.wanted, best_attempt.misfit);
  ctx_.out.error(std::move(text.code), best_attempt.misfit.operand->range, std::move(text.message),
                 std::move(text.hint));
}

// The modifier whose need is not met, or the whole opcode.
SourceRange InstructionVerifier::culprit(const Instruction& i, const Form& form) const {
  const Opcode& opcode = *i.opcode;
  const SourceRange whole = i.opcode_range;
  if (!satisfies(needs(form.requirement), ctx_.ptx, ctx_.target)) return whole;
  if (whole.end - whole.begin != opcode.text.size()) return whole;
  size_t at = opcode.text.find('.');
  for (ModId mod : opcode.modifiers) {
    if (at == std::string_view::npos) break;
    size_t next = std::min(opcode.text.find('.', at + 1), opcode.text.size());
    for (const Slot& slot : form.slots)
      for (const SlotAlternative& a : slot.alternatives)
        if (a.mod == mod && !satisfies(needs(a.requirement), ctx_.ptx, ctx_.target))
          return {whole.begin + static_cast<uint32_t>(at),
                  whole.begin + static_cast<uint32_t>(next)};
    at = next;
  }
  return whole;
}

void InstructionVerifier::check_support(const Instruction& i, ReadyForm& form) {
  if (form.support == Support::kYes) return;
  if (form.ticket != UINT32_MAX) {
    ctx_.requirements.again(form.ticket);
    return;
  }
  const std::string_view what = i.opcode->text;
  switch (form.support) {
    case Support::kRemoved:
      form.ticket = ctx_.requirements.removed(what, i.opcode_range, needs(form.form->unless));
      break;
    case Support::kDeprecated:
      form.ticket =
          ctx_.requirements.deprecated(what, i.opcode_range, needs(form.form->deprecated));
      break;
    default:
      form.ticket = ctx_.requirements.unmet(what, culprit(i, *form.form),
                                            requirements(*i.opcode, *form.form));
  }
}

void InstructionVerifier::check_special_registers(std::span<const Operand> operands) {
  for (const Operand& o : operands) {
    if (o.kind != OperandKind::kSpecialRegister) continue;
    const SpecialRegister& special = special_registers()[o.id];
    if (satisfies(special.need, ctx_.ptx, ctx_.target)) continue;
    const Needs group(&special.need, 1);
    ctx_.requirements.unmet(special.name, o.range, std::span(&group, 1));
  }
}

// Rules on constants that the table's rows do not say.
void InstructionVerifier::check_values(const Instruction& i, std::span<const Operand> operands) {
  const Mnemonic m = i.opcode->mnemonic;
  if (m == Mnemonic::kMov) {
    auto is_vector = [&](const Operand& o) {
      return o.kind == OperandKind::kVector || (o.is_register() && o.selector == Selector::kNone &&
                                                function_.registers[o.id].vector > 1);
    };
    if (operands.size() == 2 && i.opcode->vector == 1 && is_vector(operands[0]) &&
        is_vector(operands[1]))
      ctx_.out.error(
          "vector-operand", operands[1].range,
          fmt::format("'{}' packs or unpacks: one operand must be a scalar", i.opcode->text));
    return;
  }
  if (m == Mnemonic::kElect && operands.size() == 2 && operands[0].kind != OperandKind::kPair)
    ctx_.out.error("predicate-pair", operands[0].range,
                   "'elect.sync' writes a register and a predicate: d|p",
                   "write _|p for the predicate alone");
  auto in_range = [&](size_t k, std::string_view values) {
    if (k >= operands.size() || operands[k].kind != OperandKind::kInteger ||
        value_allowed(values, static_cast<uint32_t>(operands[k].value)))
      return;
    ctx_.out.error("value-out-of-range", operands[k].range,
                   fmt::format("the constant {} is out of range for '{}': {} is allowed",
                               ctx_.module.slice(operands[k].range), i.opcode->text, values));
  };
  if (m == Mnemonic::kBar || m == Mnemonic::kBarrier) {
    if (i.opcode->has_mod(Mod::kWarp) || i.opcode->has_mod(Mod::kCluster)) return;
    const bool reduces = i.opcode->has_mod(Mod::kRed);
    const size_t number = reduces ? 1 : 0;
    in_range(number, "0..15");
    // Warps arrive whole.
    if (operands.size() > (reduces ? 3 : 1) && operands[number + 1].kind == OperandKind::kInteger &&
        operands[number + 1].value % 32 != 0)
      ctx_.out.error(
          "value-out-of-range", operands[number + 1].range,
          fmt::format(
              "{} threads cannot wait at a barrier: a multiple of the warp size 32 is needed",
              operands[number + 1].value));
  } else if (m == Mnemonic::kMbarrier && i.opcode->has_mod(Mod::kParity)) {
    in_range(2, "0..1");
  } else if (m == Mnemonic::kBfe) {
    in_range(2, "0..255");
    in_range(3, "0..255");
  } else if (m == Mnemonic::kBfi) {
    in_range(3, "0..255");
    in_range(4, "0..255");
  } else if (m == Mnemonic::kPmevent && !i.opcode->has_mod(Mod::kMask)) {
    in_range(0, "0..15");
  } else if (m == Mnemonic::kSetmaxnreg) {
    in_range(0, "24..256/8");
  }
}

// `.loc … inlined_at` is from PTX 7.0 on.
void verify_line_marks(VerifyContext& ctx) {
  static constexpr Need kInlined{70, 0, Need::Suffix::kOrHigher};
  if (ctx.ptx >= kInlined.ptx) return;
  const Needs group(&kInlined, 1);
  for (const Function& f : ctx.module.functions)
    for (const LineMark& mark : f.line_marks)
      if (ctx.module.slice(mark.range).find("inlined_at") != std::string_view::npos)
        ctx.requirements.unmet(".loc with inlined_at", mark.range, std::span(&group, 1));
}

}  // namespace

void verify_instructions(VerifyContext& ctx) {
  verify_line_marks(ctx);
  RuleTable rules(ctx.ptx, ctx.target);
  for (const Function& f : ctx.module.functions) InstructionVerifier(ctx, rules, f).run();
}

}  // namespace pitot::ptx
