// Parser, bodies: scopes, statements, instructions, and names used before they are defined.
#include <algorithm>
#include <cstring>

#include "ptx/parser_impl.h"
#include "support/text.h"

namespace pitot::ptx {
namespace {

// A body longer than this in scopes is hostile; real inline assembly stays far below.
constexpr size_t kMaxScopes = 1u << 24;
constexpr size_t kMaxDepth = 1000;

}  // namespace

void Parser::enter_scope(Function& f, uint32_t begin) {
  auto id = static_cast<uint32_t>(f.scopes.size());
  f.scopes.push_back({scope_, {begin, begin}});
  local_names_.enter();
  registers_.enter_scope(id);
  scope_ = id;
}

void Parser::leave_scope(Function& f) {
  f.scopes[scope_].range.end = cur_.offset();
  uint32_t outer = f.scopes[scope_].parent;
  local_names_.leave();
  registers_.leave_scope(outer);
  scope_ = outer;
}

void Parser::parse_body(Function& f) {
  uint32_t begin = cur_.offset();
  cur_.advance();
  f.scopes[0].range.begin = begin;
  size_t depth = 0;
  bool closed = false;
  while (!closed) {
    cur_.skip_trivia();
    if (cur_.at_end()) break;
    char c = cur_.peek();
    if (chars::is(c, chars::kIdentStart) || c == '@') {
      parse_instruction(f);
    } else if (c == '.') {
      parse_statement_directive(f);
    } else if (c == '}') {
      cur_.advance();
      if (depth == 0) {
        closed = true;
      } else {
        --depth;
        leave_scope(f);
      }
    } else if (c == '{') {
      uint32_t at = cur_.offset();
      cur_.advance();
      ++depth;
      if (depth > kMaxDepth || f.scopes.size() > kMaxScopes) {
        error("too-deep", {at, at + 1}, "blocks are nested too deeply or are too many");
        cur_.seek(cur_.size());
        break;
      }
      enter_scope(f, at);
    } else if (c == ';') {
      cur_.advance();
    } else {
      error("syntax", token_range(), "expected an instruction, found " + quoted_token());
      uint32_t before = cur_.offset();
      cur_.skip_until(";}\n\r");
      if (cur_.peek() == ';' || cur_.offset() == before) cur_.advance();
    }
  }
  if (!closed) {
    error("unterminated", {begin, begin + 1},
          "the body of '" + std::string(f.name) + "' is never closed by a '}'");
  }
  while (scope_ != 0) leave_scope(f);
  f.scopes[0].range.end = cur_.offset();
  f.body = {begin, cur_.offset()};
  resolve_pending(f);
}

void Parser::parse_statement_directive(Function& f) {
  uint32_t begin = cur_.offset();
  std::string_view name = directive_name();
  uint32_t next = static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction;
  if (name == ".loc") {
    parse_loc(f, begin);
  } else if (name == ".reg") {
    parse_registers(&f, begin);
  } else if (name == ".pragma") {
    parse_pragma();
    f.directives.push_back({name, next, {begin, cur_.offset()}});
  } else if (name == ".file") {
    parse_file_directive(begin);
  } else if (name == ".section") {
    parse_section(begin, name);
  } else if (name == ".branchtargets" || name == ".calltargets" || name == ".callprototype") {
    cur_.seek(begin);
    if (name == ".callprototype")
      parse_prototype(f, {}, begin);
    else
      parse_label_table(f, {}, begin);
  } else {
    Space space = name.size() > 1 ? space_from_name(name.substr(1)) : Space::kNone;
    if (space == Space::kNone && parse_linkage(name) == Linkage::kNone) {
      static constexpr std::string_view kNames[] = {
          ".reg",    ".loc",   ".pragma",        ".shared",      ".local",        ".param",
          ".global", ".const", ".branchtargets", ".calltargets", ".callprototype"};
      auto near = nearest(name, kNames);
      error("unknown-directive", {begin, std::max(cur_.offset(), begin + 1)},
            "unknown directive '" + std::string(name) + "' in a body",
            near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
      f.directives.push_back({name, next, {begin, cur_.offset()}});
      cur_.skip_until(";}\n\r");
      accept(';');
      return;
    }
    cur_.seek(begin);
    Declared head;
    head.begin = begin;
    if (parse_declaration_head(head)) {
      parse_variables(head, &f);
    } else {
      cur_.skip_until(";}\n\r");
      accept(';');
    }
  }
}

// .loc file line column [, function_name label[+n], inlined_at file line column]
void Parser::parse_loc(Function& f, uint32_t begin) {
  LineMark mark;
  uint64_t v[3] = {0, 0, 0};
  for (auto& value : v) {
    cur_.skip_trivia();
    if (!parse_unsigned(value, "a number of .loc")) {
      cur_.skip_line();
      return;
    }
  }
  mark.file = static_cast<uint32_t>(v[0]);
  mark.line = static_cast<uint32_t>(v[1]);
  mark.column = static_cast<uint32_t>(v[2]);
  mark.instruction = static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction;
  uint32_t end = cur_.offset();
  cur_.skip_trivia();
  while (cur_.peek() == ',') {
    cur_.advance();
    cur_.skip_trivia();
    std::string_view key = cur_.identifier();
    cur_.skip_trivia();
    if (key == "function_name") {
      cur_.identifier();
      cur_.skip_trivia();
      if (cur_.peek() == '+') {
        cur_.advance();
        cur_.skip_trivia();
        uint64_t offset = 0;
        parse_unsigned(offset, "an offset");
      }
    } else if (key == "inlined_at") {
      for (int i = 0; i < 3; ++i) {
        uint64_t value = 0;
        cur_.skip_trivia();
        if (!parse_unsigned(value, "a number of inlined_at")) break;
      }
    } else {
      error("syntax", token_range(),
            "expected function_name or inlined_at in .loc, found " + quoted_token());
      cur_.skip_line();
      break;
    }
    end = cur_.offset();
    cur_.skip_trivia();
  }
  accept(';');
  mark.range = {begin, std::max(end, begin)};
  f.line_marks.push_back(mark);
}

void Parser::parse_label_table(Function& f, std::string_view label, uint32_t label_begin) {
  Symbol s;
  s.name = label;
  s.range = {label_begin, label_begin + static_cast<uint32_t>(label.size())};
  std::string_view name = directive_name();
  s.kind = name == ".branchtargets" ? SymbolKind::kBranchTargets : SymbolKind::kCallTargets;
  s.function = static_cast<uint32_t>(m_.functions.size() - 1);
  s.instruction = static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction;
  s.scope = scope_;
  s.first_target = static_cast<uint32_t>(m_.children.size());
  do {
    cur_.skip_trivia();
    Operand target;
    target.range.begin = cur_.offset();
    std::string_view id = cur_.identifier();
    target.range.end = cur_.offset();
    if (id.empty()) {
      error("syntax", token_range(), "expected a target, found " + quoted_token());
      break;
    }
    target.kind = OperandKind::kUnresolved;
    if (s.kind == SymbolKind::kCallTargets) {
      resolve_name(f, target, id, nullptr);
    }
    m_.children.push_back(target);
    if (target.kind == OperandKind::kUnresolved)
      pending_.push_back({true, static_cast<uint32_t>(m_.children.size() - 1), scope_, id,
                          s.kind == SymbolKind::kBranchTargets});
  } while (accept(','));
  s.target_count = static_cast<uint32_t>(m_.children.size()) - s.first_target;
  cur_.skip_trivia();
  if (!expect(';', "after the targets")) {
    cur_.skip_until(";}\n\r");
    accept(';');
  }
  s.declaration = {label_begin, cur_.offset()};
  if (label.empty())
    error("syntax", s.declaration, "'" + std::string(name) + "' needs a label before it");
  else
    add_symbol(s, true);
}

void Parser::parse_prototype(Function& f, std::string_view label, uint32_t label_begin) {
  Symbol s;
  s.name = label;
  s.range = {label_begin, label_begin + static_cast<uint32_t>(label.size())};
  s.kind = SymbolKind::kPrototype;
  s.function = static_cast<uint32_t>(m_.functions.size() - 1);
  s.instruction = static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction;
  s.scope = scope_;
  directive_name();
  cur_.skip_until(";}");
  if (!expect(';', "after the prototype")) accept(';');
  s.declaration = {label_begin, cur_.offset()};
  if (label.empty())
    error("syntax", s.declaration, "'.callprototype' needs a label before it");
  else
    add_symbol(s, true);
}

// The statement's semicolon. Without one, the error stands after the last operand and parsing goes
// on at the next line, which is most likely a statement of its own.
void Parser::finish_statement(const char* after) {
  if (accept(';')) return;
  uint32_t here = cur_.offset();
  error("syntax", token_range(),
        std::string("expected ';' or ',' after ") + after + ", found " + quoted_token());
  cur_.seek(here);
  if (cur_.peek() == '}' || cur_.peek() == '@') return;
  // Does the unexpected token begin a line? Then the semicolon is all that is missing.
  std::string_view text = m_.text();
  size_t k = here;
  while (k > 0 && (text[k - 1] == ' ' || text[k - 1] == '\t')) --k;
  if (k > 0 && (text[k - 1] == '\n' || text[k - 1] == '\r') &&
      chars::is(text[here], chars::kIdentStart) && text[here] != '%')
    return;
  cur_.skip_until(";}");
  accept(';');
}

void Parser::parse_instruction(Function& f) {
  Instruction i;
  uint32_t begin = cur_.offset();
  i.range.begin = begin;
  i.scope = scope_;
  if (cur_.peek() == '@') {
    if (cur_.peek(1) == '@') {
      cur_.skip_line();  // @@DWARF of old compilers
      return;
    }
    cur_.advance();
    cur_.skip_trivia();
    if (cur_.peek() == '!') {
      i.guard_negated = true;
      cur_.advance();
      cur_.skip_trivia();
    }
    uint32_t at = cur_.offset();
    std::string_view guard = cur_.identifier();
    SourceRange range{at, cur_.offset()};
    if (guard.empty()) {
      error("syntax", token_range(), "expected a predicate after '@', found " + quoted_token());
      cur_.skip_until(";}");
      accept(';');
      return;
    }
    i.guard = registers_.find(guard);
    if (i.guard == kNoId)
      error("undeclared-name", range, "no register '" + std::string(guard) + "' is declared here");
    cur_.skip_trivia();
  }
  uint32_t at = cur_.offset();
  std::string_view spelling;
  if (cur_.peek() == '%') {
    spelling = cur_.identifier();
  } else {
    spelling = cur_.spelling();
  }
  if (spelling.empty()) {
    error("syntax", token_range(), "expected an instruction, found " + quoted_token());
    cur_.skip_until(";}");
    accept(';');
    return;
  }
  SourceRange opcode_range{at, cur_.offset()};
  cur_.skip_trivia();
  if (cur_.peek() == ':' && cur_.peek(1) != ':') {
    cur_.advance();
    cur_.skip_trivia();
    if (cur_.peek() == '.') {
      std::string_view rest = cur_.slice(cur_.offset(), std::min(cur_.size(), cur_.offset() + 16));
      if (rest.starts_with(".branchtargets") || rest.starts_with(".calltargets"))
        return parse_label_table(f, spelling, at);
      if (rest.starts_with(".callprototype")) return parse_prototype(f, spelling, at);
    }
    auto id = static_cast<LabelId>(f.labels.size());
    const NameBinding* latest = label_names_.find(spelling);
    LabelId before = latest != nullptr ? latest->id : kNoId;
    for (LabelId other = before; other != kNoId; other = label_chain_[other])
      if (f.labels[other].scope == scope_) {
        error("redefined-name", opcode_range,
              "label '" + std::string(spelling) + "' is already defined here");
        break;
      }
    label_chain_.push_back(before);
    // The label's own number as scope: each definition replaces the one before it.
    label_names_.bind(spelling, {BindingKind::kSymbol, id, id});
    f.labels.push_back({spelling, scope_,
                        static_cast<uint32_t>(m_.instructions.size()) - f.first_instruction, 0,
                        opcode_range});
    return;
  }
  // `add .u32` is legal: modifiers are tokens of their own. Joined into one spelling.
  if (cur_.peek() == '.' && chars::is(cur_.peek(1), chars::kIdent) && spelling[0] != '%') {
    std::string joined(spelling);
    while (cur_.peek() == '.' && chars::is(cur_.peek(1), chars::kIdent)) {
      joined += cur_.spelling();
      opcode_range.end = cur_.offset();
      cur_.skip_trivia();
    }
    m_.strings.push_back(std::move(joined));
    spelling = m_.strings.back();
  }
  i.opcode_range = opcode_range;
  i.opcode = intern_opcode(spelling, opcode_range);
  i.first_operand = static_cast<uint32_t>(m_.operands.size());
  if (!accept(';')) {
    for (;;) {
      cur_.skip_trivia();
      Operand operand;
      if (!parse_operand(f, operand, i.opcode, 0)) {
        // Its own diagnostic is enough; on to the end of the statement.
        cur_.skip_until(";}");
        accept(';');
        break;
      }
      if (m_.operands.size() - i.first_operand >= UINT16_MAX) {
        error("operand-count", operand.range, "too many operands");
        cur_.skip_until(";}");
        accept(';');
        break;
      }
      m_.operands.push_back(operand);
      if (operand.kind == OperandKind::kUnresolved)
        pending_.push_back({false, static_cast<uint32_t>(m_.operands.size() - 1), scope_,
                            m_.slice(operand.range), i.opcode->has(kBranch)});
      if (accept(';')) break;
      if (accept(',')) continue;
      finish_statement("the operand");
      break;
    }
  }
  i.operand_count = static_cast<uint16_t>(m_.operands.size() - i.first_operand);
  i.range.end = cur_.offset();
  m_.instructions.push_back(i);
}

// Labels and tables may be used before they are defined; now all of them are known.
void Parser::resolve_pending(Function& f) {
  auto find_label = [&](std::string_view name, uint32_t scope) -> LabelId {
    const NameBinding* latest = label_names_.find(name);
    if (latest == nullptr) return kNoId;
    for (uint32_t s = scope;; s = f.scopes[s].parent) {
      for (LabelId id = latest->id; id != kNoId; id = label_chain_[id])
        if (f.labels[id].scope == s) return id;
      if (s == 0) return kNoId;
    }
  };
  // Tables and prototypes of this body by name, the one case of a forward reference to a symbol.
  auto find_table = [&](std::string_view name) -> SymbolId {
    const NameBinding* b = local_names_.find(name);
    return b != nullptr && b->kind == BindingKind::kSymbol ? b->id : kNoId;
  };
  for (const Pending& p : pending_) {
    Operand& o = p.is_child ? m_.children[p.index] : m_.operands[p.index];
    if (LabelId label = find_label(p.name, p.scope); label != kNoId) {
      o.kind = OperandKind::kLabel;
      o.id = label;
      ++f.labels[label].uses;
    } else if (SymbolId table = find_table(p.name); table != kNoId) {
      o.kind = OperandKind::kSymbol;
      o.id = table;
    } else if (p.branch) {
      std::vector<std::string_view> names;
      if (f.labels.size() < 2000)
        for (const auto& l : f.labels) names.push_back(l.name);
      auto near = nearest(p.name, names);
      error("undeclared-label", o.range, "label '" + std::string(p.name) + "' is not defined",
            near.empty() ? "" : "did you mean '" + std::string(near) + "'?");
    } else {
      error("undeclared-name", o.range, "'" + std::string(p.name) + "' is not declared");
    }
  }
  pending_.clear();
}

}  // namespace pitot::ptx
