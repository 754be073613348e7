#include "spellings.h"

#include <algorithm>
#include <set>

namespace pitot::conformance {
namespace {

using ptx::Type;

std::string spelled(const ptx::Form& form, const std::vector<int>& choice) {
  std::string text(ptx::name_of(form.mnemonic));
  for (size_t k = 0; k < choice.size(); ++k)
    if (choice[k] >= 0)
      text += "." + std::string(ptx::mod_name(
                        form.slots[k].alternatives[static_cast<size_t>(choice[k])].mod));
  return text;
}

bool legal(const std::string& text, const ptx::Form& form, Spelling& out) {
  out.text = text;
  out.opcode = ptx::decode(text);
  out.form = &form;
  const auto& c = out.opcode.candidates;
  if (std::find(c.begin(), c.end(), &form) == c.end()) return false;
  const ptx::Binding binding = ptx::bind(out.opcode, form);
  if (!binding.matches) return false;
  const ptx::Support support = ptx::support(out.opcode, form, kVersion, kTarget);
  if (support != ptx::Support::kYes && support != ptx::Support::kDeprecated) return false;
  out.types = binding.types;
  return true;
}

}  // namespace

std::vector<Spelling> spellings_of(const ptx::Form& form, size_t most, property::Random& r) {
  std::vector<Spelling> out;
  std::set<std::string> seen;
  std::vector<int> first, count;  // of each slot: from −1 (left out) or 0
  double all = 1;
  for (const ptx::Slot& s : form.slots) {
    const int n = static_cast<int>(s.alternatives.size());
    first.push_back(s.optional || n == 0 ? -1 : 0);
    count.push_back(n);
    all *= std::max(1, n - first.back());
  }
  const auto take = [&](const std::vector<int>& choice) {
    const std::string text = spelled(form, choice);
    if (!seen.insert(text).second) return;
    Spelling s;
    if (legal(text, form, s)) out.push_back(std::move(s));
  };
  if (all <= 20000) {
    std::vector<int> choice = first;
    for (bool more = true; more;) {
      take(choice);
      more = false;
      for (size_t k = 0; k < choice.size(); ++k) {
        if (++choice[k] < count[k]) {
          more = true;
          break;
        }
        choice[k] = first[k];
      }
    }
    for (size_t k = out.size(); k > most; --k)
      out.erase(out.begin() + r.below(static_cast<uint32_t>(k)));
    return out;
  }
  for (size_t tries = 0; tries < 60 * most && out.size() < most; ++tries) {
    std::vector<int> choice;
    for (size_t k = 0; k < first.size(); ++k) {
      const int range = count[k] - first[k];
      choice.push_back(first[k] == -1 && (range <= 1 || r.chance(55))
                           ? -1
                           : static_cast<int>(r.below(static_cast<uint32_t>(count[k]))));
    }
    take(choice);
  }
  return out;
}

Type operand_type(const Spelling& s, const ptx::OperandSpec& spec) {
  Type t = spec.variable >= 0 ? s.types[static_cast<size_t>(spec.variable)] : spec.fixed;
  if (!spec.doubled) return t;
  switch (t) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kU64;
  }
}

unsigned operand_bits(const Spelling& s, const ptx::OperandSpec& spec) {
  return ptx::bits_of(operand_type(s, spec));
}

bool present(const Spelling& s, const ptx::OperandSpec& spec) {
  const auto& m = s.opcode.modifiers;
  return spec.when == 0 || std::find(m.begin(), m.end(), spec.when) != m.end();
}

unsigned operand_count(const Spelling& s, const ptx::OperandSpec& spec) {
  if (spec.by_vector) return std::max<unsigned>(1, s.opcode.vector);
  return spec.count_min;
}

}  // namespace pitot::conformance
