// Explains spellings that no form of the instruction table has, with the nearest legal spelling.
#include "ptx/isa_decode.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "support/text.h"

namespace pitot::ptx {
namespace {

using Pieces = std::vector<std::string_view>;  // mnemonic, then modifiers

Pieces split(std::string_view text) {
  Pieces pieces;
  for (size_t at = 0;;) {
    size_t dot = std::min(text.find('.', at), text.size());
    pieces.push_back(text.substr(at, dot - at));
    if (dot == text.size()) return pieces;
    at = dot + 1;
  }
}

std::string join(const Pieces& pieces) {
  std::string text(pieces[0]);
  for (size_t i = 1; i < pieces.size(); ++i) text.append(".").append(pieces[i]);
  return text;
}

using Mods = std::vector<ModId>;

Mods ids_of(const Pieces& pieces) {
  Mods ids;
  for (size_t i = 1; i < pieces.size(); ++i) ids.push_back(mod_from_name(pieces[i]));
  return ids;
}

bool decodes(const Pieces& pieces) {
  return is_legal(mnemonic_from_name(pieces[0]), ids_of(pieces));
}

// Every modifier that some form of the mnemonic takes.
Mods modifiers_of(Mnemonic mnemonic) {
  Mods ids;
  for (const Form& form : forms_of(mnemonic))
    for (const Slot& slot : form.slots)
      for (const SlotAlternative& a : slot.alternatives) ids.push_back(a.mod);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Pieces names_of(const Mods& ids) {
  Pieces names;
  for (ModId id : ids) names.push_back(mod_name(id));
  return names;
}

// The legal modifiers in order of likeness to `wrong`.
Mods by_likeness(const Mods& legal, std::string_view wrong) {
  std::vector<std::tuple<size_t, std::string_view, ModId>> ranked;
  for (ModId id : legal) ranked.emplace_back(edit_distance(mod_name(id), wrong), mod_name(id), id);
  std::sort(ranked.begin(), ranked.end());
  Mods ids;
  for (const auto& r : ranked) ids.push_back(std::get<2>(r));
  return ids;
}

// First modifier that the form has no free slot for, or the number of modifiers.
size_t first_stranger(const Opcode& opcode, const Form& form) {
  uint32_t filled = 0;
  for (size_t m = 0; m < opcode.modifiers.size(); ++m) {
    bool found = false;
    for (size_t i = 0; i < form.slots.size() && !found; ++i) {
      if (filled >> i & 1) continue;
      for (const SlotAlternative& a : form.slots[i].alternatives)
        found |= a.mod == opcode.modifiers[m];
      if (found) filled |= 1u << i;
    }
    if (!found) return m;
  }
  return opcode.modifiers.size();
}

// One replaced, dropped or added modifier that makes the spelling legal; `where` is tried first.
// Positions count the mnemonic as piece 0.
std::string repair(const Pieces& pieces, Mnemonic mnemonic, size_t where) {
  // Far longer than any instruction: not a slip of the pen, and not worth the search.
  if (pieces.size() > 24) return {};
  const Mods legal = modifiers_of(mnemonic);
  const Mods given = ids_of(pieces);
  auto spelled = [&](const Mods& ids) {
    Pieces words = names_of(ids);
    words.insert(words.begin(), pieces[0]);
    return join(words);
  };
  std::vector<size_t> order;
  if (where < pieces.size()) order.push_back(where);
  for (size_t i = 1; i < pieces.size(); ++i)
    if (i != where) order.push_back(i);
  for (size_t i : order) {
    const auto at = static_cast<std::ptrdiff_t>(i - 1);
    Mods changed = given;
    for (ModId id : by_likeness(legal, pieces[i])) {
      changed[i - 1] = id;
      if (is_legal(mnemonic, changed)) return spelled(changed);
    }
    Mods dropped = given;
    dropped.erase(dropped.begin() + at);
    if (is_legal(mnemonic, dropped)) return spelled(dropped);
  }
  for (size_t i = pieces.size(); i >= 1; --i) {
    Mods added = given;
    added.insert(added.begin() + static_cast<std::ptrdiff_t>(i - 1), ModId{0});
    for (ModId id : legal) {
      added[i - 1] = id;
      if (is_legal(mnemonic, added)) return spelled(added);
    }
  }
  return {};
}

uint32_t offset_of(const Opcode& opcode, std::string_view piece) {
  return static_cast<uint32_t>(piece.data() - opcode.text.data());
}

}  // namespace

DecodeProblem explain_decode_problem(const Opcode& opcode, const Form* nearest_form) {
  DecodeProblem problem;
  Pieces pieces = split(opcode.text);
  if (opcode.mnemonic == Mnemonic::kUnknown) {
    problem.kind = DecodeProblem::Kind::kUnknownMnemonic;
    problem.length = static_cast<uint32_t>(pieces[0].size());
    std::string_view like = nearest(pieces[0], mnemonic_names());
    if (like.empty()) return problem;
    pieces[0] = like;
    problem.suggestion = decodes(pieces) ? join(pieces) : std::string(like);
    return problem;
  }
  problem.kind = DecodeProblem::Kind::kIllegalCombination;
  problem.length = static_cast<uint32_t>(opcode.text.size());
  const Pieces legal = names_of(modifiers_of(opcode.mnemonic));
  for (size_t i = 0; i < opcode.modifiers.size(); ++i) {
    if (opcode.modifiers[i] != 0) continue;
    std::string_view wrong = pieces[i + 1];
    problem.kind = DecodeProblem::Kind::kUnknownModifier;
    problem.offset = offset_of(opcode, wrong);
    problem.length = static_cast<uint32_t>(wrong.size());
    std::string_view like = nearest(wrong, legal);
    if (like.empty()) {
      problem.suggestion = repair(pieces, opcode.mnemonic, i + 1);
      return problem;
    }
    // The corrected word is the best answer even where the rest is wrong or missing ("ld.gobal").
    pieces[i + 1] = like;
    problem.suggestion = join(pieces);
    return problem;
  }
  size_t stranger = nearest_form ? first_stranger(opcode, *nearest_form) : 0;
  if (stranger < opcode.modifiers.size()) {
    problem.offset = offset_of(opcode, pieces[stranger + 1]);
    problem.length = static_cast<uint32_t>(pieces[stranger + 1].size());
  }
  problem.suggestion = repair(pieces, opcode.mnemonic, stranger + 1);
  return problem;
}

}  // namespace pitot::ptx
