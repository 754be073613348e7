// Neighbouring loads and stores become vector accesses.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "transform/gap.h"
#include "transform/transforms.h"
#include "transform/wide_access.h"

namespace pitot::transform {
namespace {

// The elements of an access as written: those in its braces, or the one operand.
void append_elements(const Subject& subject, const Member& m, std::string& out) {
  const ptx::Operand& data = subject.module().operands_of(subject.body()[m.instruction])[m.data];
  auto append = [&](const ptx::Operand& o) {
    if (!out.empty()) out += ", ";
    out += subject.text(o.range);
  };
  if (data.kind != ptx::OperandKind::kVector) return append(data);
  for (const ptx::Operand& c : subject.module().children_of(data)) append(c);
}

void write(const Subject& subject, Edit& edit, const WideAccess& w) {
  std::string elements;
  for (const Member& m : w.members) {
    append_elements(subject, m, elements);
    const ptx::Instruction& i = subject.body()[m.instruction];
    if (m.instruction != w.place) edit.rewriter().erase_statement(i.range);
  }
  const ptx::Instruction& i = subject.body()[w.place];
  const auto operands = subject.module().operands_of(i);
  edit.respell(i, w.opcode);
  edit.rewriter().replace(operands[w.load ? 0 : 1].range, "{" + elements + "}");
  edit.rewriter().replace(operands[w.load ? 1 : 0].range, w.address);
}

// `.align 4` becomes `.align 16`; a declaration without one gets it behind its state space.
void raise_alignment(const Subject& subject, Edit& edit, ptx::SymbolId id, uint32_t bytes) {
  const SourceRange range = subject.module().symbols[id].declaration;
  const std::string_view text = subject.module().text();
  constexpr std::string_view kDigits = "0123456789", kSpaces[] = {".shared", ".local"};
  uint32_t behind_space = range.begin;
  for (uint32_t at = range.begin; at < range.end;) {
    at = past_trivia(text, at);
    const uint32_t begin = at;
    do ++at;
    while (at < range.end && (std::isalnum(static_cast<unsigned char>(text[at])) != 0));
    const std::string_view word = text.substr(begin, at - begin);
    if (std::find(std::begin(kSpaces), std::end(kSpaces), word) != std::end(kSpaces))
      behind_space = at;
    if (word != ".align") continue;
    const uint32_t digits = past_trivia(text, at);
    const size_t end = text.find_first_not_of(kDigits, digits);
    edit.rewriter().replace({digits, static_cast<uint32_t>(end)}, std::to_string(bytes));
    return;
  }
  edit.rewriter().insert_before(behind_space, fmt::format(" .align {}", bytes));
}

void widen(Subject& subject, Edit& edit, const WideOptions& options, std::string_view what) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be analysed");
  WideAccessFinder finder(subject, options);
  finder.run();
  for (const WideDecline& d : finder.declined)
    edit.decline(subject.body()[d.instruction], d.reason);
  for (const WideAccess& w : finder.found) write(subject, edit, w);
  // Variables may share a declaration.
  std::map<uint32_t, std::pair<ptx::SymbolId, uint32_t>> declarations;
  for (const auto& [id, bytes] : finder.raised) {
    auto& one = declarations[subject.module().symbols[id].declaration.begin];
    one = {id, std::max(one.second, bytes)};
  }
  for (const auto& [begin, one] : declarations)
    raise_alignment(subject, edit, one.first, one.second);
  if (finder.found.empty() && finder.declined.empty())
    edit.decline(fmt::format("no block has {} to neighbouring addresses", what));
}

}  // namespace

void vectorise_loads(Subject& subject, Edit& edit, Action) {
  widen(subject, edit, {.loads = true}, "loads that could be one vector");
}

void vectorise_stores(Subject& subject, Edit& edit, Action) {
  widen(subject, edit, {.stores = true}, "stores that could be one vector");
}

void widen_accesses(Subject& subject, Edit& edit, Action) {
  // The oldest target that takes them; a spelling of each width stands for both.
  const ptx::Opcode probe = ptx::decode("ld.global.v8.b32");
  if (ptx::support(probe, subject.module().version, subject.module().target) != ptx::Support::kYes)
    return edit.decline(
        fmt::format("accesses of 32 bytes want sm_100 and .version 8.8; this is {} and {}.{}",
                    name_of(subject.module().target), subject.module().version / 10,
                    subject.module().version % 10));
  widen(subject, edit, {.loads = true, .stores = true, .least_bytes = 32, .most_bytes = 32},
        "accesses that could be 32 bytes");
}

}  // namespace pitot::transform
