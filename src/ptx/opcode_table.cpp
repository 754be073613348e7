// Distinct opcode spellings of a module: interned once, an unknown one reported once with a count.
#include <algorithm>
#include <cstring>

#include "ptx/parser_impl.h"
#include "support/text.h"

namespace pitot::ptx {
uint64_t OpcodeTable::hash(std::string_view s) {
  uint64_t h = s.size() * 0x9E3779B97F4A7C15ull;
  const char* p = s.data();
  size_t n = s.size();
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t w;
    std::memcpy(&w, p, 8);
    h = (h ^ w) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 31;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, p, n);
  h = (h ^ tail) * 0xC4CEB9FE1A85EC53ull;
  return h ^ (h >> 30);
}

const Opcode* OpcodeTable::find(std::string_view spelling, uint64_t hash) const {
  size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].opcode != nullptr; i = (i + 1) & mask)
    if (slots_[i].hash == hash && slots_[i].opcode->text == spelling) return slots_[i].opcode;
  return nullptr;
}

void OpcodeTable::insert(const Opcode* opcode, uint64_t hash) {
  if ((used_ + 1) * 2 > slots_.size()) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    used_ = 0;
    for (const Slot& s : old)
      if (s.opcode != nullptr) insert(s.opcode, s.hash);
  }
  size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].opcode != nullptr) i = (i + 1) & mask;
  slots_[i] = {hash, opcode};
  ++used_;
}

const Opcode* Parser::intern_opcode(std::string_view spelling, SourceRange range) {
  uint64_t hash = OpcodeTable::hash(spelling);
  if (const Opcode* known = opcode_table_.find(spelling, hash)) {
    if (known->form == nullptr) report_opcode(*known, range);
    return known;
  }
  m_.opcodes.push_back(decode(spelling));
  Opcode& opcode = m_.opcodes.back();
  opcode.text = spelling;
  opcode_table_.insert(&opcode, hash);
  if (opcode.form == nullptr) report_opcode(opcode, range);
  return &opcode;
}

namespace {

// Looking for the nearest legal spelling tries many; a file that needs more is no PTX of this age.
constexpr size_t kSuggestions = 100;

// What is wrong, without a suggestion.
void explain_briefly(const Opcode& opcode, DecodeProblem& problem) {
  const size_t dot = std::min(opcode.text.find('.'), opcode.text.size());
  problem.kind = opcode.mnemonic == Mnemonic::kUnknown ? DecodeProblem::Kind::kUnknownMnemonic
                                                       : DecodeProblem::Kind::kIllegalCombination;
  problem.length =
      static_cast<uint32_t>(opcode.mnemonic == Mnemonic::kUnknown ? dot : opcode.text.size());
  size_t begin = dot;
  for (ModId id : opcode.modifiers) {
    const size_t end = std::min(opcode.text.find('.', begin + 1), opcode.text.size());
    if (id == 0 && opcode.mnemonic != Mnemonic::kUnknown) {
      problem.kind = DecodeProblem::Kind::kUnknownModifier;
      problem.offset = static_cast<uint32_t>(begin + 1);
      problem.length = static_cast<uint32_t>(end - begin - 1);
      return;
    }
    begin = end;
  }
}

}  // namespace

// One diagnostic a spelling, with a count: a bad modifier tends to come by the hundred.
void Parser::report_opcode(const Opcode& opcode, SourceRange range) {
  if (auto it = bad_opcodes_.find(&opcode); it != bad_opcodes_.end()) {
    ++m_.diagnostics.items()[it->second].count;
    return;
  }
  DecodeProblem problem;
  if (bad_opcodes_.size() < kSuggestions) {
    decode(opcode.text, &problem);
  } else {
    explain_briefly(opcode, problem);
  }
  std::string text(opcode.text);
  std::string piece = text.substr(std::min<size_t>(problem.offset, text.size()), problem.length);
  SourceRange where = range;
  if (range.end - range.begin == text.size() && problem.length > 0)
    where = {range.begin + problem.offset, range.begin + problem.offset + problem.length};
  std::string hint = problem.suggestion.empty() ? "" : "did you mean '" + problem.suggestion + "'?";
  size_t before = m_.diagnostics.items().size();
  switch (problem.kind) {
    case DecodeProblem::Kind::kUnknownMnemonic:
      error("unknown-instruction", where, "unknown instruction '" + piece + "'", hint);
      break;
    case DecodeProblem::Kind::kUnknownModifier:
      error("unknown-modifier", where, "unknown modifier '" + piece + "' in '" + text + "'", hint);
      break;
    default:
      error("illegal-modifier", where,
            "'" + piece + "' does not fit here: '" + text + "' is not a legal combination", hint);
  }
  if (m_.diagnostics.items().size() > before)
    bad_opcodes_.emplace(&opcode, static_cast<uint32_t>(before));
}

}  // namespace pitot::ptx
