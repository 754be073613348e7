// Builds an opcode's rules from the instruction table.
#include "ptx/verify_rules.h"

#include "ptx/verify_types.h"

namespace pitot::ptx {
namespace {

// The state space of the n-th address: the n-th one the spelling names, in source order. A barrier
// object, which stands last, is always in shared memory.
Space address_space(const Opcode& opcode, size_t n, size_t addresses) {
  std::vector<Space> named;
  bool barrier = false;
  for (ModId mod : opcode.modifiers) {
    if (mod_space(mod) != Space::kNone) named.push_back(mod_space(mod));
    barrier = barrier || mod_name(mod).starts_with("mbarrier");
  }
  if (named.empty()) return Space::kNone;
  if (barrier && addresses > 1 && n + 1 == addresses) return Space::kShared;
  return named[std::min(n, named.size() - 1)];
}

ReadyForm make_form(const Opcode& opcode, const Form& form) {
  ReadyForm ready;
  ready.form = &form;
  const Binding binding = bind(opcode, form);
  size_t addresses = 0, next = 0;
  auto is_address = [](const OperandSpec& spec) {
    return spec.cls == OperandClass::kAddress || spec.special == "tensor";
  };
  for (const OperandSpec& spec : form.operands) addresses += is_address(spec);
  for (const OperandSpec& spec : form.operands) {
    if (spec.when != 0 && !opcode.has_mod(static_cast<Mod>(spec.when))) continue;
    ReadyOperand r;
    r.spec = &spec;
    r.type = spec.variable >= 0 ? binding.types[static_cast<size_t>(spec.variable)] : spec.fixed;
    if (spec.doubled) r.type = doubled(r.type);
    r.count_min = spec.by_vector ? opcode.vector : spec.count_min;
    r.count_max = spec.by_vector ? opcode.vector : spec.count_max;
    r.vector = r.count_max > 1 || spec.braced;
    r.exact_bits = opcode.mnemonic == Mnemonic::kCvt && spec.variable < 0;
    if (is_address(spec)) r.space = address_space(opcode, next++, addresses);
    ready.required += !spec.optional;
    ready.operands.push_back(r);
  }
  return ready;
}

bool all_integer_types(const Opcode& opcode) {
  bool any = false;
  for (ModId mod : opcode.modifiers) {
    Type type = mod_type(mod);
    if (type == Type::kNone) continue;
    any = true;
    TypeKind kind = kind_of(type);
    if (kind != TypeKind::kUnsigned && kind != TypeKind::kSigned) return false;
  }
  return any;
}

}  // namespace

OpcodeRules& RuleTable::rules_for(const Opcode& opcode) {
  if (&opcode == last_opcode_) return *last_;
  auto& rules = rules_[&opcode];
  if (!rules) {
    rules = std::make_unique<OpcodeRules>();
    rules->opcode = &opcode;
    OpcodeTraits& t = rules->traits;
    t.is_mov = opcode.mnemonic == Mnemonic::kMov;
    if (opcode.group == Group::kVideo) {
      const char last = name_of(opcode.mnemonic).back();
      t.video_elements = last == '2' ? 2 : last == '4' ? 4 : 1;
    }
    t.is_cvta = opcode.mnemonic == Mnemonic::kCvta;
    t.takes_special = t.is_mov || (opcode.mnemonic == Mnemonic::kCvt && all_integer_types(opcode));
    t.takes_scalar_braces = opcode.mnemonic == Mnemonic::kLd || opcode.mnemonic == Mnemonic::kSt ||
                            opcode.mnemonic == Mnemonic::kLdu;
    // Tensor and bulk operations take what they get; a missing conversion shows only at run time.
    t.wide_addresses = (opcode.effects & (kAsync | kMma)) == 0 &&
                       opcode.group != Group::kAsyncCopy && opcode.group != Group::kTensor &&
                       opcode.mnemonic != Mnemonic::kCreatepolicy;
    t.no_constant_predicates = opcode.mnemonic == Mnemonic::kCp;
    t.is_load = (opcode.effects & kLoad) != 0;
    t.is_store = (opcode.effects & (kStore | kAtomic | kRed)) != 0;
    // Instructions that take a variable's address within its window.
    if (opcode.mnemonic == Mnemonic::kMapa || opcode.mnemonic == Mnemonic::kGetctarank)
      t.is_cvta = true;
    if (t.is_cvta && !opcode.has_mod(Mod::kTo)) t.symbol_space = opcode.space;
    for (const Form* form : opcode.candidates) {
      rules->forms.push_back(make_form(opcode, *form));
      rules->forms.back().support = support(opcode, *form, ptx_, target_);
    }
  }
  last_opcode_ = &opcode;
  last_ = rules.get();
  return *last_;
}

}  // namespace pitot::ptx
