#include "ptx/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace pitot::ptx {
namespace {

// Spellings that a form's exceptions forbid are tried with other companions, so many times.
constexpr unsigned kTries = 200;

using Choice = std::vector<std::optional<ModId>>;  // by slot of the form

std::string spelled(Mnemonic mnemonic, const Choice& choice) {
  std::string text(name_of(mnemonic));
  for (const auto& mod : choice)
    if (mod) text += fmt::format(".{}", mod_name(*mod));
  return text;
}

bool legal(const std::string& spelling, const Form& form) {
  const Opcode o = decode(spelling);
  return o.form != nullptr &&
         std::find(o.candidates.begin(), o.candidates.end(), &form) != o.candidates.end();
}

Choice plain_choice(const Form& form) {
  Choice c;
  for (const Slot& s : form.slots)
    c.push_back(s.optional || s.alternatives.empty() ? std::nullopt
                                                     : std::optional(s.alternatives[0].mod));
  return c;
}

// Hands out registers of one instruction by width, in the kernel of module_of.
class InstanceRegisters {
 public:
  std::string take(unsigned bits) {
    switch (bits) {
      case 1:
        return fmt::format("%p{}", used_[0]++);
      case 8:
        return fmt::format("%c{}", used_[1]++);
      case 16:
        return fmt::format("%h{}", used_[2]++);
      case 64:
        return fmt::format("%d{}", used_[3]++);
      case 128:
        return fmt::format("%q{}", used_[4]++);
      default:
        return fmt::format("%r{}", used_[5]++);
    }
  }
  std::string vector(unsigned bits, unsigned count) {
    std::string text = "{";
    for (unsigned k = 0; k < count; ++k) text += (k != 0 ? ", " : "") + take(bits);
    return text + "}";
  }

 private:
  std::array<unsigned, 6> used_{};
};

unsigned register_bits(Type type, const OperandSpec& spec) {
  if (type == Type::kNone) return 32;
  unsigned bits = bits_of(type) * (spec.doubled ? 2 : 1);
  if (bits == 1) return kind_of(type) == TypeKind::kPred ? 1 : 32;
  if (bits <= 8) bits = spec.may_be_wider ? 16 : 8;
  return bits;
}

// The lowest constant that the specification allows: "0..7", "8..256/8", "4|8|16".
std::string constant(const OperandSpec& spec, Mnemonic mnemonic) {
  const std::string_view v = spec.values;
  if (v.empty() && mnemonic == Mnemonic::kSetmaxnreg) return "64";
  if (v.empty()) return "1";
  return std::string(v.substr(0, v.find_first_of(".|/")));
}

// The text of an operand; nothing for what only the verifier's code knows.
std::optional<std::string> operand(const OperandSpec& spec, const Opcode& opcode,
                                   const std::array<Type, 4>& types, InstanceRegisters& registers) {
  const Type type = spec.variable >= 0 ? types[static_cast<size_t>(spec.variable)] : spec.fixed;
  const unsigned bits = register_bits(type, spec);
  switch (spec.cls) {
    case OperandClass::kSpecial:
      if (spec.special == "tensor" || spec.special == "tex" || spec.special == "surf")
        return fmt::format("[{}, {}]", registers.take(64), registers.vector(bits, spec.count_min));
      if (spec.special == "tmem") return fmt::format("[{}]", registers.take(32));
      if (spec.special == "desc") return registers.take(64);
      if (spec.special == "sink") return "_";
      if (spec.special == "texq" || spec.special == "surfq")
        return fmt::format("[{}]", registers.take(64));
      if (spec.special == "targets") return "TS";
      if (spec.special == "call") return "F";
      return std::nullopt;
    case OperandClass::kAddress:
      if (opcode.space == Space::kParamFunc) return "[V]";
      if (base_space(opcode.space) == Space::kParam)
        return opcode.mnemonic == Mnemonic::kSt ? "[V]" : "[P]";
      return fmt::format("[{}]", registers.take(64));
    case OperandClass::kLabel:
      return "L";
    case OperandClass::kSymbol:
      return "G";
    case OperandClass::kFunction:
      return "F";
    case OperandClass::kConstant:
      return constant(spec, opcode.mnemonic);
    case OperandClass::kSource:
    case OperandClass::kRegister:
      break;
  }
  unsigned count = 0;
  if (spec.by_vector) {
    count = opcode.vector > 1 ? opcode.vector : 0;
  } else if (spec.braced) {
    count = spec.count_min;
  }
  if (count != 0) return registers.vector(bits, count);
  std::string text = registers.take(bits);
  if (spec.second_required) text += "|" + registers.take(1);
  return text;
}

std::optional<std::string> instruction(const std::string& spelling, const Form& form) {
  const Opcode opcode = decode(spelling);
  const auto types = bind(opcode, form).types;
  InstanceRegisters registers;
  std::string text = spelling;
  bool first = true;
  for (const OperandSpec& spec : form.operands) {
    if (spec.optional || (spec.when != 0 && !opcode.has_mod(static_cast<Mod>(spec.when)))) continue;
    auto one = operand(spec, opcode, types, registers);
    if (!one) return std::nullopt;
    text += (first ? " " : ", ") + *one;
    first = false;
  }
  return text + ";";
}

}  // namespace

Instances instances_of(Mnemonic mnemonic) {
  Instances out;
  std::set<std::string> seen;
  for (const Form& form : forms_of(mnemonic)) {
    auto add = [&](const std::string& spelling) {
      if (!seen.insert(fmt::format("{}#{}", spelling, &form - forms_of(mnemonic).data())).second)
        return;
      if (auto text = instruction(spelling, form)) {
        out.made.push_back({spelling, std::move(*text)});
      } else {
        out.left_out.push_back(spelling);
      }
    };
    const Choice plain = plain_choice(form);
    if (const auto s = spelled(mnemonic, plain); legal(s, form)) add(s);
    uint32_t random = 1;
    for (size_t slot = 0; slot < form.slots.size(); ++slot)
      for (const SlotAlternative& a : form.slots[slot].alternatives) {
        Choice c = plain;
        c[slot] = a.mod;
        std::string s = spelled(mnemonic, c);
        for (unsigned n = 0; n < kTries && !legal(s, form); ++n) {
          for (size_t other = 0; other < c.size(); ++other) {
            const Slot& o = form.slots[other];
            if (other == slot || o.alternatives.empty()) continue;
            random = random * 1664525 + 1013904223;
            const size_t pick = (random >> 8) % (o.alternatives.size() + (o.optional ? 1 : 0));
            c[other] = pick < o.alternatives.size() ? std::optional(o.alternatives[pick].mod)
                                                    : std::nullopt;
          }
          s = spelled(mnemonic, c);
        }
        if (legal(s, form)) {
          add(s);
        } else {
          c = plain;
          c[slot] = a.mod;
          out.left_out.push_back(spelled(mnemonic, c));
        }
      }
  }
  return out;
}

std::string module_of(const std::vector<Instance>& instances, uint32_t& first_line) {
  std::string text =
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".global .align 16 .b8 G[64];\n.func F() { ret; }\n"
      ".visible .entry example(.param .align 16 .b8 P[64])\n{\n"
      ".reg .pred %p<16>;\n.reg .b8 %c<64>;\n.reg .b16 %h<64>;\n.reg .b32 %r<512>;\n"
      ".reg .b64 %d<256>;\n.reg .b128 %q<16>;\n.param .align 16 .b8 V[64];\nTS: .branchtargets "
      "L;\n";
  first_line = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Instance& i : instances) text += i.text + "\n";
  return text + "L:\nret;\n}\n";
}

}  // namespace pitot::ptx
