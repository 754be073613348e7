// Functions as a whole: prototypes that agree, names that clash, launch bounds and other
// directives.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>

#include "ptx/directive.h"
#include "ptx/verify_context.h"
#include "ptx/verify_signature.h"

namespace pitot::ptx {
namespace {

constexpr uint32_t kMostRegisters = 255;  // a thread can have
constexpr uint32_t kLeastRegisters = 24;  // ptxas raises .maxnreg to this

// Whether one of the numbers in a directive's text is zero.
bool has_zero(std::string_view numbers) {
  bool in_number = false, all_zero = true;
  for (size_t k = 0; k <= numbers.size(); ++k) {
    char c = k < numbers.size() ? numbers[k] : ',';
    bool digit = c >= '0' && c <= '9';
    if (digit) {
      if (!in_number) all_zero = true;
      all_zero = all_zero && c == '0';
    } else if (in_number && all_zero) {
      return true;
    }
    in_number = digit;
  }
  return false;
}

class FunctionVerifier {
 public:
  explicit FunctionVerifier(VerifyContext& ctx) : ctx_(ctx), m_(ctx.module) {}
  void run();

 private:
  void check_labels(uint32_t index);
  void check_directives(const Function& f);
  void check_pragma(SourceRange range, DirectivePlace place);
  void need(std::string_view what, SourceRange where, const Need& need);
  void check_bounds(const Function& f);
  void check_prototypes();
  void check_call_prototype(const Symbol& s);
  void compare(const Function& first, const Function& second);
  SourceRange name_range(const Function& f) const;
  // The directive `name` of the function's header, else the header's name.
  SourceRange directive(const Function& f, std::string_view name) const;
  void error(const char* code, SourceRange where, std::string message, std::string hint = {}) {
    ctx_.out.error(code, where, std::move(message), std::move(hint));
  }

  VerifyContext& ctx_;
  const Module& m_;
  std::unordered_map<uint32_t, std::vector<SymbolId>>
      tables_;  // labelled lists and prototypes of a body
};

SourceRange FunctionVerifier::name_range(const Function& f) const {
  auto at = static_cast<uint32_t>(f.name.data() - m_.text().data());
  return {at, at + static_cast<uint32_t>(f.name.size())};
}

SourceRange FunctionVerifier::directive(const Function& f, std::string_view name) const {
  for (const DirectiveNode& d : f.performance_directives)
    if (d.name == name) return d.range;
  return name_range(f);
}

// A label shares its scope's names with registers and variables.
void FunctionVerifier::check_labels(uint32_t index) {
  const Function& f = m_.functions[index];
  if (f.labels.empty()) return;
  std::unordered_map<std::string_view, std::vector<uint32_t>> taken;
  auto take = [&](std::string_view name, uint32_t scope) { taken[name].push_back(scope); };
  for (const RegisterDeclaration& d : f.register_declarations)
    if (d.count == 0) take(d.name, d.scope);
  for (SymbolId id : f.variables) take(m_.symbols[id].name, m_.symbols[id].scope);
  for (SymbolId id : f.parameters) take(m_.symbols[id].name, 0);
  for (SymbolId id : f.returns) take(m_.symbols[id].name, 0);
  if (auto it = tables_.find(index); it != tables_.end())
    for (SymbolId id : it->second) take(m_.symbols[id].name, m_.symbols[id].scope);
  if (taken.empty()) return;
  for (const Label& label : f.labels) {
    auto it = taken.find(label.name);
    if (it == taken.end()) continue;
    for (uint32_t scope : it->second)
      if (scope == label.scope) {
        error(
            "redefined-name", label.range,
            fmt::format("label '{}' has the name of something else in the same scope", label.name));
        break;
      }
  }
}

void FunctionVerifier::check_directives(const Function& f) {
  for (const DirectiveNode& d : f.performance_directives) {
    const DirectiveInfo* info = find_directive(d.name);
    if (info == nullptr) continue;
    if (d.name == ".pragma") {
      check_pragma(d.range, f.is_entry ? kAtEntry : kAtFunc);
      continue;
    }
    if (!info->may_stand(f.is_entry ? kAtEntry : kAtFunc))
      error("directive-placement", d.range,
            fmt::format("'{}' is not for a {} such as '{}'", d.name,
                        f.is_entry ? "kernel" : ".func", f.name));
    need(d.name, d.range, info->need);
    if (info->removed != 0 && ctx_.ptx >= info->removed)
      error(
          "removed-instruction", d.range,
          fmt::format("'{}' is not supported from PTX {} on", d.name, version_text(info->removed)));
    if (d.name == ".noreturn" && (!f.returns.empty() || !f.register_returns.empty()))
      error("directive-placement", d.range,
            fmt::format("'.noreturn' is for a .func without return values, and '{}' has one",
                        f.name));
  }
  for (const DirectiveNode& d : f.directives)
    if (d.name == ".pragma") check_pragma(d.range, kAtBody);
}

// ptxas warns of pragmas that it does not know, and refuses them outside of functions.
void FunctionVerifier::check_pragma(SourceRange range, DirectivePlace place) {
  std::string_view text = m_.slice(range);
  for (size_t open = text.find('"'); open != std::string_view::npos; open = text.find('"', open)) {
    size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) return;
    std::string_view pragma = text.substr(open + 1, close - open - 1);
    const SourceRange where{range.begin + static_cast<uint32_t>(open),
                            range.begin + static_cast<uint32_t>(close) + 1};
    const PragmaInfo* info = find_pragma(pragma);
    const bool fits = info != nullptr && (info->places & place) != 0;
    if (fits) {
      need(".pragma", where, info->need);
    } else if (place == kAtModule) {
      error("unknown-pragma", where, fmt::format("pragma '{}' is not supported here", pragma));
    } else if (info == nullptr) {
      ctx_.out.warning("unknown-pragma", where, fmt::format("pragma '{}' is ignored", pragma));
    }
    open = close + 1;
  }
}

void FunctionVerifier::need(std::string_view what, SourceRange where, const Need& need) {
  if (satisfies(need, ctx_.ptx, ctx_.target)) return;
  const Needs group(&need, 1);
  ctx_.requirements.unmet(what, where, std::span(&group, 1));
}

void FunctionVerifier::check_bounds(const Function& f) {
  const LaunchBounds& b = f.bounds;
  // Each one as written: a later directive of the same name hides an earlier one in `bounds`.
  for (const DirectiveNode& d : f.performance_directives) {
    if (d.name != ".maxntid" && d.name != ".reqntid" && d.name != ".maxnreg" &&
        d.name != ".minnctapersm")
      continue;
    if (has_zero(m_.slice(d.range).substr(d.name.size())))
      error("launch-bounds", d.range, fmt::format("'{}' of '{}' must not be zero", d.name, f.name));
  }
  if (b.maxntid && b.reqntid)
    error("launch-bounds", directive(f, ".reqntid"),
          fmt::format("'{}' has both .maxntid and .reqntid", f.name), "keep one of them");
  if (b.reqnctapercluster && b.maxclusterrank)
    error("launch-bounds", directive(f, ".maxclusterrank"),
          fmt::format("'{}' has both .reqnctapercluster and .maxclusterrank", f.name),
          "keep one of them");
  if (b.blocksareclusters && (!b.reqntid || !b.reqnctapercluster))
    error(
        "launch-bounds", directive(f, ".blocksareclusters"),
        fmt::format("'.blocksareclusters' of '{}' needs .reqntid and .reqnctapercluster", f.name));
  if (b.minnctapersm && *b.minnctapersm != 0 && !b.maxntid && !b.reqntid)
    ctx_.out.warning(
        "launch-bounds", directive(f, ".minnctapersm"),
        fmt::format("'.minnctapersm' of '{}' is ignored without .maxntid or .reqntid", f.name));
  if (b.maxnreg && *b.maxnreg > kMostRegisters)
    ctx_.out.warning("launch-bounds", directive(f, ".maxnreg"),
                     fmt::format("'{}' may use {} registers, but a thread has at most {}: ignored",
                                 f.name, *b.maxnreg, kMostRegisters));
  if (b.maxnreg && *b.maxnreg != 0 && *b.maxnreg < kLeastRegisters)
    ctx_.out.warning("launch-bounds", directive(f, ".maxnreg"),
                     fmt::format("'{}' may use {} registers, which ptxas raises to {}", f.name,
                                 *b.maxnreg, kLeastRegisters));
}

void FunctionVerifier::compare(const Function& first, const Function& second) {
  const SourceRange where = name_range(second);
  if (first.is_entry != second.is_entry) return;  // redefined-name
  const Signature a = signature_of(m_, first), b = signature_of(m_, second);
  auto lists = [&](const std::vector<Formal>& x, const std::vector<Formal>& y, const char* what) {
    if (x.size() != y.size()) {
      error("prototype-mismatch", where,
            fmt::format("'{}' has {} {}s here and {} in its first declaration", second.name,
                        y.size(), what, x.size()));
      return;
    }
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k].type == y[k].type && x[k].is_array == y[k].is_array && x[k].size == y[k].size &&
          x[k].alignment == y[k].alignment && x[k].in_register == y[k].in_register)
        continue;
      error("prototype-mismatch", where,
            fmt::format("{} {} of '{}' differs from its first declaration (.{}, {} bytes; there "
                        ".{}, {} bytes)",
                        what, k + 1, second.name, name_of(y[k].type), y[k].size, name_of(x[k].type),
                        x[k].size));
      return;
    }
  };
  lists(a.returns, b.returns, "return value");
  lists(a.parameters, b.parameters, "parameter");
  if (first.linkage == Linkage::kExtern && second.has_body)
    error("prototype-mismatch", where,
          fmt::format("'{}' was declared .extern and is defined here", second.name),
          "declare it .visible, or not at all");
}

void FunctionVerifier::check_call_prototype(const Symbol& s) {
  Signature signature;
  if (!parse_prototype(m_.slice(s.declaration), signature)) {
    error("call-prototype", s.declaration, fmt::format("'{}' is no well-formed prototype", s.name),
          "write .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _)");
    return;
  }
  if (signature.returns.size() > 1 && !signature.returns[0].in_register)
    error(
        "return-count", s.declaration,
        fmt::format("prototype '{}' returns several values, which must then be registers", s.name));
  for (const Formal& f : signature.parameters)
    if ((f.alignment & (f.alignment - 1)) != 0)
      error("bad-alignment", s.declaration,
            fmt::format("alignment must be a power of two, not {}", f.alignment));
}

void FunctionVerifier::check_prototypes() {
  std::unordered_map<std::string_view, uint32_t> first;
  for (uint32_t k = 0; k < m_.functions.size(); ++k) {
    const Function& f = m_.functions[k];
    auto [it, fresh] = first.try_emplace(f.name, k);
    if (!fresh) compare(m_.functions[it->second], f);
    if (f.linkage == Linkage::kExtern && f.has_body)
      error("declaration-linkage", name_range(f),
            fmt::format("'{}' is .extern and cannot have a body", f.name));
    if (f.symbol == kNoId) continue;
    // Declared here and nowhere defined: only .extern says that another module has it.
    const Symbol& symbol = m_.symbols[f.symbol];
    if (fresh && !f.has_body && f.linkage != Linkage::kExtern &&
        symbol.kind == SymbolKind::kFunction && symbol.function != kNoId &&
        !m_.functions[symbol.function].has_body)
      error("undefined-function", name_range(f),
            fmt::format("'{}' is declared but not defined", f.name),
            "declare it .extern if another module defines it");
  }
}

void FunctionVerifier::run() {
  check_prototypes();
  for (SymbolId id = 0; id < m_.symbols.size(); ++id) {
    const Symbol& s = m_.symbols[id];
    if (s.kind == SymbolKind::kPrototype || s.kind == SymbolKind::kBranchTargets ||
        s.kind == SymbolKind::kCallTargets)
      tables_[s.function].push_back(id);
    if (s.kind == SymbolKind::kPrototype) check_call_prototype(s);
    const char* name = s.kind == SymbolKind::kPrototype       ? ".callprototype"
                       : s.kind == SymbolKind::kBranchTargets ? ".branchtargets"
                       : s.kind == SymbolKind::kCallTargets   ? ".calltargets"
                                                              : nullptr;
    if (name != nullptr) need(name, s.range, find_directive(name)->need);
  }
  for (const TopLevelRange& other : m_.others)
    if (other.name == ".pragma") check_pragma(other.range, kAtModule);
  for (uint32_t k = 0; k < m_.functions.size(); ++k) {
    const Function& f = m_.functions[k];
    check_labels(k);
    check_directives(f);
    check_bounds(f);
  }
}

}  // namespace

void verify_functions(VerifyContext& ctx) { FunctionVerifier(ctx).run(); }

}  // namespace pitot::ptx
