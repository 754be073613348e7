// Explains spellings that no form of the instruction table has, with the nearest legal spelling.
#include "ptx/isa_decode.h"

#include <algorithm>
#include <string>
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

bool decodes(const Pieces& pieces) { return decode(join(pieces)).form != nullptr; }

// Every modifier that some form of the mnemonic takes.
Pieces modifiers_of(Mnemonic mnemonic) {
  std::vector<ModId> ids;
  for (const Form& form : forms_of(mnemonic))
    for (const Slot& slot : form.slots)
      for (const SlotAlternative& a : slot.alternatives) ids.push_back(a.mod);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Pieces names;
  for (ModId id : ids) names.push_back(mod_name(id));
  return names;
}

// The legal modifiers in order of likeness to `wrong`.
Pieces by_likeness(Pieces names, std::string_view wrong) {
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (std::string_view name : names) ranked.emplace_back(edit_distance(name, wrong), name);
  std::sort(ranked.begin(), ranked.end());
  for (size_t i = 0; i < names.size(); ++i) names[i] = ranked[i].second;
  return names;
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
std::string repair(const Pieces& pieces, Mnemonic mnemonic, size_t where) {
  // Far longer than any instruction: not a slip of the pen, and not worth the search.
  if (pieces.size() > 24) return {};
  const Pieces legal = modifiers_of(mnemonic);
  std::vector<size_t> order;
  if (where < pieces.size()) order.push_back(where);
  for (size_t i = 1; i < pieces.size(); ++i)
    if (i != where) order.push_back(i);
  for (size_t i : order) {
    Pieces dropped = pieces;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
    Pieces changed = pieces;
    for (std::string_view name : by_likeness(legal, pieces[i])) {
      changed[i] = name;
      if (decodes(changed)) return join(changed);
    }
    if (decodes(dropped)) return join(dropped);
  }
  Pieces added = pieces;
  for (size_t i = pieces.size(); i >= 1; --i) {
    added.insert(added.begin() + static_cast<std::ptrdiff_t>(i), std::string_view());
    for (std::string_view name : legal) {
      added[i] = name;
      if (decodes(added)) return join(added);
    }
    added.erase(added.begin() + static_cast<std::ptrdiff_t>(i));
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
  const Pieces legal = modifiers_of(opcode.mnemonic);
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
