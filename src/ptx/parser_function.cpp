// Parser, function headers: linkage, parameters, performance directives; the body is
// parser_body.cpp.
#include <algorithm>
#include <cstring>

#include "ptx/parser_impl.h"
#include "support/text.h"

namespace pitot::ptx {
void Parser::parse_function(bool is_entry, Linkage linkage, uint32_t begin) {
  m_.functions.emplace_back();
  Function& f = m_.functions.back();
  auto index = static_cast<uint32_t>(m_.functions.size() - 1);
  f.is_entry = is_entry;
  f.linkage = linkage;
  f.first_instruction = static_cast<uint32_t>(m_.instructions.size());
  local_names_.clear();
  registers_.start(f);
  scope_ = 0;
  label_names_.clear();
  label_chain_.clear();
  pending_.clear();
  f.scopes.push_back({});

  if (!is_entry) {
    // `.func .attribute(…) .noreturn (ret) name`: attributes may come first.
    for (cur_.skip_trivia(); cur_.peek() == '.'; cur_.skip_trivia()) {
      uint32_t at = cur_.offset();
      std::string_view name = directive_name();
      if (name == ".attribute") {
        cur_.skip_until(")");
        accept(')');
        while (cur_.peek() == ')') cur_.advance();
      } else if (!parse_performance_directive(f, name, at)) {
        break;
      }
    }
    parse_parameter_list(f, true);
  }
  cur_.skip_trivia();
  SourceRange name_range{cur_.offset(), cur_.offset()};
  f.name = cur_.identifier();
  name_range.end = cur_.offset();
  if (f.name.empty()) {
    error("syntax", token_range(), "expected the function's name, found " + quoted_token());
    m_.functions.pop_back();
    recover_top_level();
    return;
  }
  Symbol symbol;
  symbol.name = f.name;
  symbol.kind = SymbolKind::kFunction;
  symbol.linkage = linkage;
  symbol.function = index;
  symbol.range = name_range;
  symbol.declaration = {begin, name_range.end};
  if (const NameBinding* known = module_names_.find(f.name)) {
    Symbol& old = m_.symbols[known->id];
    bool prototype = old.kind == SymbolKind::kFunction && old.function != kNoId;
    bool defined = prototype && m_.functions[old.function].has_body;
    f.symbol = known->id;
    if (!prototype) {
      error("redefined-name", name_range, "'" + std::string(f.name) + "' is already declared");
    } else if (!defined) {
      old.function = index;
    }
  } else {
    f.symbol = add_symbol(symbol, false);
  }
  parse_parameter_list(f, false);
  f.header = {begin, cur_.offset()};
  parse_performance_directives(f);
  cur_.skip_trivia();
  if (cur_.peek() == '{') {
    const NameBinding* known = module_names_.find(f.name);
    if (known != nullptr && m_.symbols[known->id].kind == SymbolKind::kFunction) {
      uint32_t other = m_.symbols[known->id].function;
      if (other != index && other != kNoId && m_.functions[other].has_body)
        error("redefined-name", name_range, "'" + std::string(f.name) + "' already has a body");
      m_.symbols[known->id].function = index;
    }
    f.has_body = true;
    for (const auto& d : module_registers_) registers_.declare(d);
    parse_body(f);
  } else if (!accept(';')) {
    // A prototype's semicolon may be missing before the next directive: ptxas wants it, so say so.
    error("syntax", token_range(),
          "expected '{' or ';' after the function header, found " + quoted_token());
    if (cur_.peek() != '.') recover_top_level();
  }
  f.range = {begin, cur_.offset()};
  f.instruction_count = static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction;
}

void Parser::parse_performance_directives(Function& f) {
  for (;;) {
    cur_.skip_trivia();
    uint32_t at = cur_.offset();
    if (cur_.peek() != '.') return;
    std::string_view name = directive_name();
    if (!parse_performance_directive(f, name, at)) {
      cur_.seek(at);
      static constexpr std::string_view kNames[] = {
          ".maxntid",  ".reqntid",           ".maxnreg",         ".minnctapersm",   ".maxnctapersm",
          ".noreturn", ".reqnctapercluster", ".explicitcluster", ".maxclusterrank", ".pragma"};
      auto near = nearest(name, kNames);
      // A header ending in ';' that is missing: the next top-level directive is not ours to skip.
      for (std::string_view next : {".visible", ".entry", ".func", ".extern", ".weak", ".global",
                                    ".section", ".const", ".shared", ".file", ".common", ".alias"})
        if (name == next) return;
      error("unknown-directive", {at, at + static_cast<uint32_t>(name.size())},
            "unknown directive '" + std::string(name) + "' in the function header",
            near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
      cur_.advance(std::max<size_t>(name.size(), 1));
      cur_.skip_until("{;.");
    }
  }
}

bool Parser::parse_performance_directive(Function& f, std::string_view name, uint32_t begin) {
  LaunchBounds& b = f.bounds;
  auto numbers = [&](size_t most, std::array<uint32_t, 3>& out) {
    out = {1, 1, 1};
    size_t n = 0;
    uint32_t end = 0;
    do {
      cur_.skip_trivia();
      uint64_t value = 0;
      uint32_t at = cur_.offset();
      if (!parse_unsigned(value, "a number")) return false;
      if (value > UINT32_MAX) {
        error("bad-size", {at, cur_.offset()}, "the number does not fit 32 bits");
        value = UINT32_MAX;
      }
      if (n < most) out[n] = static_cast<uint32_t>(value);
      if (n >= most)
        error("operand-count", {at, cur_.offset()},
              "'" + std::string(name) + "' takes at most " + std::to_string(most) + " numbers");
      ++n;
      end = cur_.offset();
    } while (accept(','));
    cur_.seek(end);  // blanks and comments behind it are not the directive's
    return true;
  };
  std::array<uint32_t, 3> v{};
  auto dims = [&](std::optional<std::array<uint32_t, 3>>& field) {
    if (numbers(3, v)) field = v;
  };
  auto one = [&](std::optional<uint32_t>& field) {
    if (numbers(1, v)) field = v[0];
  };
  if (name == ".maxntid")
    dims(b.maxntid);
  else if (name == ".reqntid")
    dims(b.reqntid);
  else if (name == ".reqnctapercluster")
    dims(b.reqnctapercluster);
  else if (name == ".maxnreg")
    one(b.maxnreg);
  else if (name == ".minnctapersm")
    one(b.minnctapersm);
  else if (name == ".maxnctapersm")
    one(b.maxnctapersm);
  else if (name == ".maxclusterrank")
    one(b.maxclusterrank);
  else if (name == ".explicitcluster")
    b.explicitcluster = true;
  else if (name == ".blocksareclusters")
    b.blocksareclusters = true;
  else if (name == ".noreturn")
    b.noreturn = true;
  else if (name == ".abi_preserve" || name == ".abi_preserve_control")
    numbers(1, v);
  else if (name == ".pragma") {
    parse_pragma();
  } else if (name == ".attribute") {
    cur_.skip_until(")");
    accept(')');
  } else {
    return false;
  }
  f.performance_directives.push_back({name, f.first_instruction, {begin, cur_.offset()}});
  return true;
}

}  // namespace pitot::ptx
