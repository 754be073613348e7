// Look-up in the instruction table: names, forms, requirements, and decoding of spellings.
#include "ptx/isa.h"

#include <algorithm>
#include <iterator>

#include "ptx/isa_decode.h"
#include "ptx/isa_hash.h"
#include "support/text.h"

namespace pitot::ptx {
namespace {

// What a modifier says by itself.
struct ModMeaning {
  Type type;
  Space space;
  uint8_t vector;
  bool repeatable;  // may be written twice
};

// Cheap test of a form before its slots are looked at.
struct FormFilter {
  uint8_t required;  // slots that must be filled
  uint64_t mods;     // bit (id mod 64) of every modifier that it knows
  uint64_t must;     // and of every modifier that it cannot do without
};

#include "isa_tables.inc"

template <size_t N, size_t M>
uint16_t look_up(const uint16_t (&cells)[N], const std::string_view (&names)[M],
                 std::string_view name) {
  for (size_t at = isa_hash(name) & (N - 1); cells[at] != 0; at = (at + 1) & (N - 1))
    if (names[cells[at]] == name) return cells[at];
  return 0;
}

constexpr size_t kMaxSlots = 32;

// Modifiers whose order among their like matters: mma's types, the two spaces of a bulk copy.
enum class Ordered : uint8_t { kNo, kType, kSpace, kLayout };

Ordered ordered(ModId mod) {
  const ModMeaning& meaning = kModMeanings[mod];
  if (meaning.type != Type::kNone) return Ordered::kType;
  if (meaning.space != Space::kNone) return Ordered::kSpace;
  bool layout = mod == static_cast<ModId>(Mod::kRow) || mod == static_cast<ModId>(Mod::kCol);
  return layout ? Ordered::kLayout : Ordered::kNo;
}

// A spelling laid over a form: which alternative of which slot each modifier uses.
struct Match {
  bool ok = false;
  size_t count = 0;
  std::array<const SlotAlternative*, kMaxSlots> used;
  std::array<ModId, 4> variables{};  // modifier bound to T, U, V, W
};

bool holds(const Clause& clause, std::span<const ModId> mods, const Match& match) {
  auto among = [&clause](ModId mod) {
    return std::find(clause.mods.begin(), clause.mods.end(), mod) != clause.mods.end();
  };
  bool found = clause.variable >= 0 ? among(match.variables[static_cast<size_t>(clause.variable)])
                                    : std::any_of(mods.begin(), mods.end(), among);
  return found != clause.negated;
}

bool holds(const Exclusion& exclusion, std::span<const ModId> mods, const Match& match) {
  return std::all_of(exclusion.clauses.begin(), exclusion.clauses.end(),
                     [&](const Clause& clause) { return holds(clause, mods, match); });
}

const SlotAlternative* find(const Slot& slot, ModId mod) {
  for (const SlotAlternative& a : slot.alternatives)
    if (a.mod == mod) return &a;
  return nullptr;
}

// The bits that FormFilter has, of a spelling.
uint64_t filter_bits(std::span<const ModId> mods) {
  uint64_t bits = 0;
  for (ModId mod : mods) bits |= uint64_t{1} << (mod % 64);
  return bits;
}

// Whether the form is worth matching with a spelling of these bits.
bool possible(uint64_t bits, const Form& form) {
  const FormFilter& filter = kFilters[&form - kForms];
  return (bits & ~filter.mods) == 0 && (filter.must & ~bits) == 0;
}

// Gives every modifier the first free slot that takes it, types and spaces from left to right.
Match match(std::span<const ModId> mods, const Form& form) {
  Match result;
  const FormFilter& filter = kFilters[&form - kForms];
  if (mods.size() < filter.required) return result;
  uint32_t filled = 0;
  size_t required = 0;
  size_t first_free[] = {0, 0, 0, 0};  // by Ordered
  auto take = [&](size_t i, const SlotAlternative& a) {
    const Slot& slot = form.slots[i];
    filled |= 1u << i;
    if (slot.variable >= 0) result.variables[static_cast<size_t>(slot.variable)] = a.mod;
    required += !slot.optional;
    result.used[result.count++] = &a;
  };
  size_t m = 0;
  // The operation's own name ("cta.red" of bar.cta.red.popc) comes first.
  for (size_t i = 0; i < form.leading; ++i) {
    const SlotAlternative* a = m < mods.size() ? find(form.slots[i], mods[m]) : nullptr;
    if (a) {
      take(i, *a);
      ++m;
    } else if (!form.slots[i].optional) {
      return result;
    }
  }
  for (; m < mods.size(); ++m) {
    ModId mod = mods[m];
    bool found = false;
    Ordered order = ordered(mod);
    size_t& first = first_free[static_cast<size_t>(order)];
    for (size_t i = std::max<size_t>(first, form.leading); i < form.slots.size() && !found; ++i) {
      if (filled >> i & 1) continue;
      const SlotAlternative* a = find(form.slots[i], mod);
      if (!a) continue;
      take(i, *a);
      if (order != Ordered::kNo) first = i + 1;
      found = true;
    }
    if (found) continue;
    bool repeated = kModMeanings[mod].repeatable &&
                    std::find(mods.begin(), mods.begin() + static_cast<std::ptrdiff_t>(m), mod) !=
                        mods.begin() + static_cast<std::ptrdiff_t>(m);
    if (!repeated) return result;
  }
  result.ok = required == filter.required &&
              std::none_of(form.exclusions.begin(), form.exclusions.end(), [&](const Exclusion& e) {
                return e.requirement == 0 && holds(e, mods, result);
              });
  return result;
}

// How many of the modifiers the form has a slot for, minus what it misses.
int closeness(std::span<const ModId> mods, const Form& form) {
  uint32_t filled = 0;
  int score = 0;
  for (ModId mod : mods)
    for (size_t i = 0; i < form.slots.size(); ++i) {
      const auto& alternatives = form.slots[i].alternatives;
      bool takes = std::any_of(alternatives.begin(), alternatives.end(),
                               [mod](const SlotAlternative& a) { return a.mod == mod; });
      if (!takes || (filled >> i & 1)) continue;
      filled |= 1u << i;
      score += 2;
      break;
    }
  for (size_t i = 0; i < form.slots.size(); ++i)
    if (!form.slots[i].optional && !(filled >> i & 1)) --score;
  return score;
}

void take_class(Opcode& opcode, const Form& form) {
  opcode.effects = form.effects;
  opcode.group = form.group;
  opcode.pipe = form.pipe;
  opcode.latency = form.latency;
}

}  // namespace

std::span<const Form> forms_of(Mnemonic m) {
  size_t index = static_cast<size_t>(m);
  if (index + 1 >= std::size(kFormRanges)) return {};
  return {kForms + kFormRanges[index], kForms + kFormRanges[index + 1]};
}

std::string_view name_of(Mnemonic m) {
  size_t index = static_cast<size_t>(m);
  return index == 0 || index >= std::size(kMnemonicNames) ? "" : kMnemonicNames[index];
}

Mnemonic mnemonic_from_name(std::string_view name) {
  return static_cast<Mnemonic>(look_up(kMnemonicHash, kMnemonicNames, name));
}

std::string_view mod_name(ModId id) {
  return id == 0 || id >= std::size(kModNames) ? "" : kModNames[id];
}

ModId mod_from_name(std::string_view name) { return look_up(kModHash, kModNames, name); }

Type mod_type(ModId id) { return kModMeanings[id < std::size(kModMeanings) ? id : 0].type; }
Space mod_space(ModId id) { return kModMeanings[id < std::size(kModMeanings) ? id : 0].space; }

Needs needs(uint16_t requirement_index) {
  return kRequirements[requirement_index < std::size(kRequirements) ? requirement_index : 0];
}

std::span<const std::string_view> mnemonic_names() {
  return std::span<const std::string_view>(kMnemonicNames).subspan(1);
}

bool is_legal(Mnemonic mnemonic, std::span<const ModId> modifiers) {
  const uint64_t bits = filter_bits(modifiers);
  return std::ranges::any_of(forms_of(mnemonic), [&](const Form& form) {
    return possible(bits, form) && match(modifiers, form).ok;
  });
}

Opcode decode(std::string_view spelling, DecodeProblem* problem) {
  Opcode opcode;
  opcode.text = spelling;
  size_t dot = std::min(spelling.find('.'), spelling.size());
  opcode.mnemonic = mnemonic_from_name(spelling.substr(0, dot));
  opcode.modifiers.reserve(static_cast<size_t>(std::count(spelling.begin(), spelling.end(), '.')));
  while (dot < spelling.size()) {
    size_t next = std::min(spelling.find('.', dot + 1), spelling.size());
    ModId id = mod_from_name(spelling.substr(dot + 1, next - dot - 1));
    opcode.modifiers.push_back(id);
    const ModMeaning& meaning = kModMeanings[id];
    if (meaning.type != Type::kNone) opcode.type = meaning.type;
    if (meaning.space != Space::kNone && opcode.space == Space::kNone) opcode.space = meaning.space;
    if (meaning.vector != 0) opcode.vector = meaning.vector;
    dot = next;
  }
  const uint64_t bits = filter_bits(opcode.modifiers);
  for (const Form& form : forms_of(opcode.mnemonic))
    if (possible(bits, form) && match(opcode.modifiers, form).ok)
      opcode.candidates.push_back(&form);
  if (!opcode.candidates.empty()) {
    opcode.form = opcode.candidates.front();
    opcode.types = bind(opcode, *opcode.form).types;
    take_class(opcode, *opcode.form);
    return opcode;
  }
  const Form* nearest_form = nullptr;
  int best = 0;
  for (const Form& form : forms_of(opcode.mnemonic)) {
    int score = closeness(opcode.modifiers, form);
    if (nearest_form && score <= best) continue;
    nearest_form = &form;
    best = score;
  }
  if (nearest_form) take_class(opcode, *nearest_form);
  if (problem) *problem = explain_decode_problem(opcode, nearest_form);
  return opcode;
}

Binding bind(const Opcode& opcode, const Form& form) {
  Match found = match(opcode.modifiers, form);
  Binding binding;
  binding.matches = found.ok;
  for (size_t i = 0; i < 4; ++i) binding.types[i] = mod_type(found.variables[i]);
  return binding;
}

std::vector<Needs> requirements(const Opcode& opcode, const Form& form) {
  std::vector<Needs> all;
  if (form.requirement) all.push_back(needs(form.requirement));
  Match found = match(opcode.modifiers, form);
  for (size_t i = 0; i < found.count; ++i)
    if (found.used[i]->requirement) all.push_back(needs(found.used[i]->requirement));
  for (const Exclusion& e : form.exclusions)
    if (e.requirement && holds(e, opcode.modifiers, found)) all.push_back(needs(e.requirement));
  return all;
}

std::vector<Needs> requirements(const Opcode& opcode) {
  return opcode.form ? requirements(opcode, *opcode.form) : std::vector<Needs>{};
}

Support support(const Opcode& opcode, const Form& form, uint16_t ptx, Target target) {
  if (form.unless && satisfies(needs(form.unless), ptx, target)) return Support::kRemoved;
  for (Needs group : requirements(opcode, form))
    if (!satisfies(group, ptx, target)) return Support::kNeedsMore;
  if (form.deprecated && satisfies(needs(form.deprecated), ptx, target))
    return Support::kDeprecated;
  return Support::kYes;
}

Support support(const Opcode& opcode, uint16_t ptx, Target target) {
  Support best = Support::kNeedsMore;
  for (const Form* form : opcode.candidates) {
    Support one = support(opcode, *form, ptx, target);
    if (one == Support::kYes) return one;
    if (one == Support::kDeprecated || best == Support::kNeedsMore) best = one;
  }
  return best;
}

}  // namespace pitot::ptx
