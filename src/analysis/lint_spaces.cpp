// Addresses of one state space used as those of another, and read-only loads of written data.
#include <algorithm>
#include <array>

#include "analysis/lint_context.h"

namespace pitot::analysis {

using ptx::Space;

namespace {

std::string_view opcode_text(const LintContext& c, const MemoryRequest& a) {
  return c.flow.instruction(a.instruction).opcode->text;
}

std::string dotted(Space s) { return "." + std::string(ptx::name_of(s)); }

bool has_window(Space s) {
  return s == Space::kShared || s == Space::kLocal || s == Space::kConst || s == Space::kParam;
}

// Pointer atom and window of an address with coefficient 1; windows that were subtracted count −1.
struct Parts {
  AtomId pointer = kNone;
  Space space = Space::kNone;  // of the pointer
  std::array<int, 16> window{};
  bool clear = false;  // exactly one pointer
};

Parts parts_of(const LintContext& c, FormId f) {
  Parts out;
  uint32_t pointers = 0;
  for (const Term& t : c.forms.terms(f)) {
    auto atoms = c.forms.monomial(t.monomial).span();
    if (atoms.size() != 1) continue;
    const Atom& a = c.forms.atom(atoms[0]);
    if (a.kind == AtomKind::kWindow) {
      out.window[a.id % out.window.size()] = static_cast<int>(t.coefficient);
      continue;
    }
    Space space = Space::kNone;
    if (a.kind == AtomKind::kSymbol) {
      space = ptx::base_space(c.module().symbols[a.id].space);
    } else if (a.kind == AtomKind::kParameter && c.module().symbols[a.id].is_pointer &&
               a.offset == 0) {
      space = ptx::base_space(c.module().symbols[a.id].pointer_space);
    }
    if (space == Space::kNone) continue;
    ++pointers;
    if (t.coefficient != 1) ++pointers;
    out.pointer = atoms[0];
    out.space = space;
  }
  out.clear = pointers == 1;
  return out;
}

void check_space(LintContext& c, const MemoryRequest& a) {
  if (a.address == kNone) return;
  Parts p = parts_of(c, a.address);
  if (!p.clear) return;
  const Atom& atom = c.forms.atom(p.pointer);
  const ptx::Symbol& symbol = c.module().symbols[atom.id];
  const bool variable = atom.kind == AtomKind::kSymbol;
  std::string name(symbol.name);
  int window = has_window(p.space) ? p.window[static_cast<size_t>(p.space)] : 0;
  SourceRange range = c.operand(a.instruction, a.operand).range;
  std::string op(opcode_text(c, a));
  if (a.space == Space::kNone) {
    if (!has_window(p.space) || window == 1) return;
    std::string space = dotted(p.space);
    std::string mnemonic = op.substr(0, op.find('.'));
    c.report(Severity::kError, "window-generic", range,
             "'" + op + "' takes a generic address, but " + c.forms.to_string_form(a.address) +
                 " is an offset in the " + space + " window (" +
                 (variable ? "the address of " + name + ", taken without cvta"
                           : name + " is declared .ptr " + space) +
                 ")",
             "use " + mnemonic + space + ", or convert the address with cvta" + space);
    return;
  }
  if (a.space == p.space) {
    if (window == 1 && variable)
      c.report(Severity::kError, "space-mismatch", range,
               "'" + op + "' takes an offset in the " + dotted(a.space) +
                   " window, but the address of " + name + " was made generic by cvta" +
                   dotted(p.space),
               "drop the cvta, or convert back with cvta.to" + dotted(p.space));
    return;
  }
  c.report(Severity::kError, "space-mismatch", range,
           "'" + op + "' accesses " + dotted(a.space) + " memory, but " + name +
               (variable ? " is a " + dotted(p.space) + " variable"
                         : " is declared .ptr " + dotted(p.space)),
           "use the " + dotted(p.space) + " form of the instruction");
}

// Both touch the same single address only, apart from each other.
bool apart(const LintContext& c, const MemoryRequest& x, const MemoryRequest& y) {
  int64_t distance = 0;
  if (x.level != Scope::kGrid || y.level != Scope::kGrid || x.address == kNone ||
      y.address == kNone || !c.forms.constant_difference(x.address, y.address, distance))
    return false;
  return distance >= y.bytes || -distance >= x.bytes;
}

void check_non_coherent(LintContext& c) {
  // Base → the first write through it.
  std::vector<std::pair<AtomId, uint32_t>> written;
  for (uint32_t n = 0; n < c.table.accesses.size(); ++n) {
    const MemoryRequest& a = c.table.accesses[n];
    if (a.writes() && a.base != kNone) written.emplace_back(a.base, n);
  }
  if (written.empty()) return;
  std::sort(written.begin(), written.end());
  for (const MemoryRequest& load : c.table.accesses) {
    if (!load.non_coherent || load.base == kNone) continue;
    auto it = std::lower_bound(written.begin(), written.end(), std::pair(load.base, 0u));
    while (it != written.end() && it->first == load.base &&
           apart(c, load, c.table.accesses[it->second]))
      ++it;
    if (it == written.end() || it->first != load.base) continue;
    const MemoryRequest& store = c.table.accesses[it->second];
    SourceRange at = c.flow.instruction(store.instruction).range;
    int64_t distance = 0;
    bool same = load.address != kNone && store.address != kNone &&
                c.forms.constant_difference(load.address, store.address, distance) &&
                distance < store.bytes && -distance < load.bytes;
    c.report(Severity::kWarning, "nc-of-written", c.operand(load.instruction, load.operand).range,
             "'" + std::string(opcode_text(c, load)) + "' reads through " +
                 c.forms.to_string(load.base) + ", which the kernel writes at line " +
                 std::to_string(c.line(at)) + (same ? " (the same bytes)" : "") +
                 ": the read may return old data",
             "drop .nc; it is for data that is read-only while the kernel runs");
  }
}

}  // namespace

void lint_spaces(LintContext& c) {
  for (const MemoryRequest& a : c.table.accesses) check_space(c, a);
  check_non_coherent(c);
}

}  // namespace pitot::analysis
