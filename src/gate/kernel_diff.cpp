// The comparison of a kernel pair: every function reached from it, then the variables.
#include "gate/kernel_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "gate/declaration_diff.h"
#include "gate/excerpt.h"
#include "gate/pair_changes.h"
#include "gate/program_match.h"
#include "gate/structural_diff.h"

namespace pitot::gate {

namespace {

using ptx::Function;
using ptx::Module;
using ptx::Symbol;
using ptx::SymbolKind;

class KernelComparer {
 public:
  KernelComparer(ModuleSides& a, ModuleSides& b, KernelDiff& out)
      : a_(a), b_(b), ma_(a.module()), mb_(b.module()), out_(out) {}

  void run(const Function& fa, const Function& fb) {
    if (fa.symbol != ptx::kNoId && fb.symbol != ptx::kNoId) symbols_.bind(fa.symbol, fb.symbol);
    if (fa.name != fb.name) raise(ChangeClass::kRenamed);
    compared_.insert({&fa, &fb});
    compare_functions(fa, fb, true);
    while (!functions_.empty()) {
      auto [x, y] = functions_.back();
      functions_.pop_back();
      compare_functions(*x, *y, false);
    }
    for (size_t k = 0; k < variables_.size(); ++k)
      diff_variable(ma_, variables_[k].first, mb_, variables_[k].second, out_);
    for (const DeclarationChange& d : out_.declarations) raise(d.cls);
    if (!out_.constants.empty()) raise(ChangeClass::kConstants);
    if (out_.cls == ChangeClass::kIdentical && !bytes_equal_) raise(ChangeClass::kRenamed);
    add_notes();
  }

 private:
  void raise(ChangeClass c) { out_.cls = std::max(out_.cls, c); }

  void compare_functions(const Function& fa, const Function& fb, bool kernel) {
    if (ma_.slice(fa.range) != mb_.slice(fb.range)) bytes_equal_ = false;
    diff_signature(ma_, fa, mb_, fb, out_.declarations);
    for (auto [xs, ys] : {std::pair{&fa.parameters, &fb.parameters}, {&fa.returns, &fb.returns}})
      for (size_t k = 0; k < std::min(xs->size(), ys->size()) && xs->size() == ys->size(); ++k)
        symbols_.bind((*xs)[k], (*ys)[k]);
    if (fa.has_body != fb.has_body) {
      out_.declarations.push_back({fmt::format("body of {}", fb.name),
                                   fa.has_body ? "here" : "elsewhere",
                                   fb.has_body ? "here" : "elsewhere", line(ma_, fa.header),
                                   line(mb_, fb.header), ChangeClass::kStructural});
      return;
    }
    if (!fa.has_body) {
      // Defined elsewhere: the name is all that is known of it.
      if (fa.name != fb.name) {
        out_.declarations.push_back({"called function", std::string(fa.name), std::string(fb.name),
                                     line(ma_, fa.header), line(mb_, fb.header),
                                     ChangeClass::kStructural});
      }
      return;
    }
    const Side& a = a_.side(fa);
    const Side& b = b_.side(fb);
    const ChangeClass before = std::exchange(out_.cls, ChangeClass::kIdentical);
    if (auto match = match_programs(a, b, symbols_)) {
      take(a, b, *match);
      take_symbols();
    } else {
      raise(ChangeClass::kStructural);
      diff_structure(a, b, out_);
      pair_by_name(a, b);
    }
    if (!kernel && out_.cls > ChangeClass::kRenamed) changed_callees_.insert(std::string(fb.name));
    raise(before);
  }

  void take(const Side& a, const Side& b, const ProgramMatch& match) {
    if (match.permuted || match.any.swapped) raise(ChangeClass::kReordered);
    if (match.blocks_moved) {
      raise(ChangeClass::kReordered);
      out_.blocks_moved = true;
    }
    if (match.any.modifiers) raise(ChangeClass::kModifiers);
    if (match.any.constants) raise(ChangeClass::kConstants);
    register_class_ |= match.any.register_class;
    spelling_ |= match.any.spelling;
    swapped_ |= match.any.swapped;
    for (size_t k = 0; k < match.pairs.size(); ++k) {
      auto [i, j] = match.pairs[k];
      if (match.differences[k].constants) list_constants(a, i, b, j, out_);
      if (match.differences[k].modifiers) list_modifiers(a, i, b, j, out_);
    }
    if (match.permuted || match.any.constants || match.any.modifiers)
      excerpt_of_match(a, b, match, out_);
  }

  // Symbols that the proof paired.
  void take_symbols() {
    const std::vector<uint32_t>& map = symbols_.forward();
    for (uint32_t x = 0; x < map.size(); ++x)
      if (map[x] != ptx::kNoId) pair_symbols(x, map[x]);
  }

  // Without a proof: symbols of like name and kind that both sides use.
  void pair_by_name(const Side& a, const Side& b) {
    std::unordered_map<std::string_view, uint32_t> names;
    for_symbols(b, [&](uint32_t y) { names.emplace(mb_.symbols[y].name, y); });
    for_symbols(a, [&](uint32_t x) {
      auto it = names.find(ma_.symbols[x].name);
      if (it != names.end() && ma_.symbols[x].kind == mb_.symbols[it->second].kind)
        pair_symbols(x, it->second);
    });
  }

  template <class F>
  static void for_symbols(const Side& s, const F& f) {
    auto visit = [&](auto&& self, const ptx::Operand& o) -> void {
      const bool base =
          o.kind == ptx::OperandKind::kAddress && o.base_kind == ptx::OperandKind::kSymbol;
      if ((o.kind == ptx::OperandKind::kSymbol || base) && o.id < s.m.symbols.size()) f(o.id);
      for (const ptx::Operand& child : s.m.children_of(o)) self(self, child);
    };
    for (uint32_t i = 0; i < s.size(); ++i)
      for (const ptx::Operand& o : s.operands(i)) visit(visit, o);
  }

  void pair_symbols(uint32_t x, uint32_t y) {
    if (x >= ma_.symbols.size() || y >= mb_.symbols.size() || !seen_.insert({x, y}).second) return;
    const Symbol& a = ma_.symbols[x];
    const Symbol& b = mb_.symbols[y];
    if (a.kind != b.kind) {
      out_.declarations.push_back({fmt::format("kind of {}", b.name), std::string(a.name),
                                   std::string(b.name), line(ma_, a.range), line(mb_, b.range),
                                   ChangeClass::kStructural});
      return;
    }
    switch (a.kind) {
      case SymbolKind::kVariable:
        if (ma_.slice(a.declaration) != mb_.slice(b.declaration)) bytes_equal_ = false;
        variables_.emplace_back(x, y);
        break;
      case SymbolKind::kFunction:
      case SymbolKind::kAlias:
        pair_functions(a, b);
        break;
      case SymbolKind::kPrototype:
        compare_prototypes(a, b);
        break;
      case SymbolKind::kCallTargets:
        compare_call_targets(a, b);
        break;
      case SymbolKind::kParameter:
      case SymbolKind::kReturn:
      case SymbolKind::kBranchTargets:  // compared as control flow
        break;
    }
  }

  void pair_functions(const Symbol& a, const Symbol& b) {
    const Function* fa = definition(ma_, a);
    const Function* fb = definition(mb_, b);
    if (fa == nullptr || fb == nullptr) {
      if (a.name != b.name || (fa == nullptr) != (fb == nullptr))
        out_.declarations.push_back({"called function", std::string(a.name), std::string(b.name),
                                     line(ma_, a.range), line(mb_, b.range),
                                     ChangeClass::kStructural});
      return;
    }
    if (compared_.insert({fa, fb}).second) functions_.emplace_back(fa, fb);
  }

  static const Function* definition(const Module& m, const Symbol& s) {
    if (const Function* f = m.find_function(s.name)) return f;
    return s.function < m.functions.size() ? &m.functions[s.function] : nullptr;
  }

  void compare_prototypes(const Symbol& a, const Symbol& b) {
    auto signature = [](const Module& m, const Symbol& s) {
      std::string text(m.slice(s.declaration));
      size_t at = text.find(s.name);
      if (at != std::string::npos && !s.name.empty()) text.erase(at, s.name.size());
      std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
      return text;
    };
    std::string x = signature(ma_, a), y = signature(mb_, b);
    if (x != y)
      out_.declarations.push_back({"call prototype", x, y, line(ma_, a.range), line(mb_, b.range),
                                   ChangeClass::kStructural});
  }

  void compare_call_targets(const Symbol& a, const Symbol& b) {
    bool same = a.target_count == b.target_count;
    for (uint32_t k = 0; same && k < a.target_count; ++k) {
      const ptx::Operand& x = ma_.children[a.first_target + k];
      const ptx::Operand& y = mb_.children[b.first_target + k];
      if (x.kind == ptx::OperandKind::kSymbol && y.kind == x.kind) {
        same = symbols_.bind(x.id, y.id);
        if (same) pair_symbols(x.id, y.id);
      } else {
        same = ma_.slice(x.range) == mb_.slice(y.range);
      }
    }
    if (!same)
      out_.declarations.push_back({"call targets", std::string(a.name), std::string(b.name),
                                   line(ma_, a.range), line(mb_, b.range),
                                   ChangeClass::kStructural});
  }

  static uint32_t line(const Module& m, SourceRange r) { return m.source->position(r.begin).line; }

  void add_notes() {
    if (register_class_)
      out_.notes.push_back(
          "registers are declared in another class of the same width (such as .f32 and .b32): the "
          "program is the same, yet ptxas may allocate and schedule differently, so measure again");
    if (spelling_)
      out_.notes.push_back("some instructions are spelled differently but are the same operation");
    if (swapped_) out_.notes.push_back("the sources of some commutative operations changed places");
    if (!changed_callees_.empty())
      out_.notes.push_back(
          fmt::format("called functions changed: {}", fmt::join(changed_callees_, ", ")));
  }

  ModuleSides& a_;
  ModuleSides& b_;
  const Module& ma_;
  const Module& mb_;
  KernelDiff& out_;
  Bijection symbols_;
  std::vector<std::pair<const Function*, const Function*>> functions_;
  std::set<std::pair<const Function*, const Function*>> compared_;
  std::set<std::pair<uint32_t, uint32_t>> seen_;
  std::vector<std::pair<uint32_t, uint32_t>> variables_;
  std::set<std::string> changed_callees_;
  bool bytes_equal_ = true;
  bool register_class_ = false, spelling_ = false, swapped_ = false;
};

}  // namespace

const Side& ModuleSides::side(const Function& f) {
  std::unique_ptr<Side>& slot = sides_[&f];
  if (!slot) slot = std::make_unique<Side>(module_, f, operations_);
  return *slot;
}

void diff_kernels(ModuleSides& a, const Function& fa, ModuleSides& b, const Function& fb,
                  KernelDiff& out) {
  KernelComparer(a, b, out).run(fa, fb);
}

}  // namespace pitot::gate
