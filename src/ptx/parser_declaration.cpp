// Parser, declarations: variables of every space, registers, parameter lists, initialisers.
#include <algorithm>

#include "ptx/parser_impl.h"

namespace pitot::ptx {
namespace {

// Element sizes in the address space: sub-byte and packed types take whole bytes.
uint64_t storage_bytes(Type t, uint8_t vector) { return uint64_t{bytes_of(t)} * vector; }

constexpr uint64_t kMaxElements = 1ull << 40;

std::string redefined(std::string_view name) {
  return "'" + std::string(name) + "' is already declared in this scope";
}

}  // namespace

bool Parser::parse_declaration_head(Declared& head) {
  for (;;) {
    cur_.skip_trivia();
    uint32_t at = cur_.offset();
    std::string_view name = directive_name();
    if (name.empty()) break;
    std::string_view word = name.substr(1);
    if (Space space = space_from_name(word); space != Space::kNone) {
      if (head.is_pointer && head.pointer_space == Space::kNone) {
        head.pointer_space = space;
      } else {
        head.space = space;
      }
    } else if (Type type = type_from_name(word); type != Type::kNone) {
      head.type = type;
    } else if (word == "align") {
      cur_.skip_trivia();
      uint64_t n = 0;
      uint32_t value_at = cur_.offset();
      if (!parse_unsigned(n, "an alignment")) return false;
      if (n == 0 || (n & (n - 1)) != 0 || n > (1u << 30)) {
        error("bad-alignment", {value_at, cur_.offset()},
              "alignment must be a power of two, not " + std::to_string(n));
        n = 1;
      }
      (head.is_pointer ? head.pointer_alignment : head.alignment) = static_cast<uint32_t>(n);
    } else if (word == "ptr") {
      head.is_pointer = true;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      head.vector = static_cast<uint8_t>(word[1] - '0');
    } else if (word == "attribute") {
      if (!expect('(', "after .attribute")) return false;
      cur_.skip_until(");");
      // .unified(a, b) nests one pair of parentheses.
      if (accept(')') && cur_.peek() == ')') cur_.advance();
    } else if (parse_linkage(name) != Linkage::kNone) {
      head.linkage = parse_linkage(name);
    } else {
      error("unknown-directive", {at, cur_.offset()},
            "'" + std::string(name) + "' is no type, space or attribute of a declaration");
      return false;
    }
  }
  if (head.type == Type::kNone) {
    error("syntax", token_range(), "the declaration has no type before " + quoted_token());
    return false;
  }
  return true;
}

bool Parser::parse_declarator(const Declared& head, SymbolKind kind, Function* f, Symbol& s) {
  cur_.skip_trivia();
  uint32_t begin = cur_.offset();
  s.name = cur_.identifier();
  s.range = {begin, cur_.offset()};
  if (s.name.empty() || (s.name == "_" && kind == SymbolKind::kVariable)) {
    error("syntax", token_range(), "expected a name, found " + quoted_token());
    return false;
  }
  s.kind = kind;
  s.linkage = head.linkage;
  s.space = head.space;
  s.type = head.type;
  s.vector = head.vector;
  s.is_pointer = head.is_pointer;
  s.pointer_space = head.pointer_space;
  s.pointer_alignment = head.pointer_alignment;
  s.scope = f != nullptr ? scope_ : 0;
  if (f != nullptr) s.function = static_cast<uint32_t>(f - m_.functions.data());
  for (cur_.skip_trivia(); cur_.peek() == '['; cur_.skip_trivia()) {
    cur_.advance();
    s.is_array = true;
    if (accept(']')) {
      s.unsized = true;
      continue;
    }
    Operand dim;
    if (!parse_expression(dim, 0, 0)) return false;
    if (dim.kind != OperandKind::kInteger || dim.value < 0) {
      error("bad-size", dim.range, "an array dimension must be a non-negative integer constant");
      dim.value = 0;
    }
    uint64_t n = static_cast<uint64_t>(dim.value);
    if (n > kMaxElements || s.elements > kMaxElements / std::max<uint64_t>(n, 1)) {
      error("bad-size", dim.range, "the array is larger than any address space");
      n = 0;
    }
    s.elements *= n;
    if (!expect(']', "after the array dimension")) return false;
  }
  s.explicit_alignment = head.alignment != 0;
  s.alignment = head.alignment != 0
                    ? head.alignment
                    : static_cast<uint32_t>(std::max<uint64_t>(storage_bytes(s.type, s.vector), 1));
  s.size = s.unsized ? 0 : storage_bytes(s.type, s.vector) * s.elements;
  s.declaration = {head.begin, cur_.offset()};
  return true;
}

void Parser::parse_initialiser(Symbol& s) {
  cur_.skip_trivia();
  if (cur_.peek() != '=') return;
  cur_.advance();
  cur_.skip_trivia();
  uint32_t begin = cur_.offset();
  // A brace-enclosed list may hold commas; a scalar ends at the next comma or semicolon.
  unsigned depth = 0, parens = 0;
  for (;;) {
    cur_.skip_until("{}(),;");
    if (cur_.at_end()) break;
    char c = cur_.peek();
    if (c == ';' || (c == ',' && depth == 0 && parens == 0)) break;
    if (c == '{') ++depth;
    if (c == '(') ++parens;
    if (c == ')' && parens > 0) --parens;
    if (c == '}') {
      if (depth == 0) break;
      --depth;
    }
    cur_.advance();
  }
  s.initialiser = {begin, cur_.offset()};
  if (s.initialiser.empty() || depth != 0)
    error("syntax", {begin, std::max(begin + 1, cur_.offset())}, "the initialiser is incomplete");
  // `name[] = {…}`: the size comes from the list, whose outermost elements count.
  if (s.unsized && s.linkage != Linkage::kExtern) {
    uint64_t commas = 0;
    unsigned level = 0;
    for (char c : m_.slice(s.initialiser)) {
      if (c == '{') ++level;
      if (c == '}' && level > 0) --level;
      commas += c == ',' && level == 1;
    }
    s.unsized = false;
    s.elements *= commas + 1;
    s.size = storage_bytes(s.type, s.vector) * s.elements;
  }
}

SymbolId Parser::add_symbol(Symbol symbol, bool local) {
  auto id = static_cast<SymbolId>(m_.symbols.size());
  NameTable& table = local ? local_names_ : module_names_;
  if (symbol.name != "_") {
    uint32_t scope = local ? scope_ : 0;
    if (const NameBinding* known = table.bind(symbol.name, {BindingKind::kSymbol, id, scope})) {
      const Symbol* old = known->kind == BindingKind::kSymbol ? &m_.symbols[known->id] : nullptr;
      // Extern declarations may be repeated and later defined.
      bool again = old != nullptr && !local && old->space == symbol.space &&
                   old->kind == SymbolKind::kVariable && symbol.kind == SymbolKind::kVariable &&
                   (old->linkage == Linkage::kExtern || symbol.linkage == Linkage::kExtern);
      if (!again)
        error("redefined-name", symbol.range, redefined(symbol.name));
      else if (old->linkage == Linkage::kExtern)
        const_cast<NameBinding*>(known)->id = id;
    }
  }
  m_.symbols.push_back(symbol);
  return id;
}

void Parser::parse_variables(const Declared& head, Function* f) {
  do {
    Symbol s;
    if (!parse_declarator(head, SymbolKind::kVariable, f, s)) {
      cur_.skip_until(";}");
      accept(';');
      return;
    }
    // `.param .b32 p<4>;` declares a range in old PTX; spelled out as single names.
    cur_.skip_trivia();
    if (cur_.peek() == '<') {
      error("syntax", token_range(), "only registers may be declared as a range <n>");
      cur_.skip_until(";}");
      break;
    }
    parse_initialiser(s);
    s.declaration.end = cur_.offset();
    SymbolId id = add_symbol(s, f != nullptr);
    if (f != nullptr) f->variables.push_back(id);
  } while (accept(','));
  cur_.skip_trivia();
  uint32_t end = cur_.offset();
  if (expect(';', "after the declaration")) return;
  cur_.seek(end);
  cur_.skip_until(";}\n\r");
  accept(';');
}

void Parser::parse_registers(Function* f, uint32_t begin) {
  Declared head;
  head.begin = begin;
  if (!parse_declaration_head(head)) {
    cur_.skip_until(";}");
    accept(';');
    return;
  }
  do {
    cur_.skip_trivia();
    RegisterDeclaration d;
    d.range.begin = cur_.offset();
    d.name = cur_.identifier();
    d.type = head.type;
    d.vector = head.vector;
    d.scope = scope_;
    if (d.name.empty()) {
      error("syntax", token_range(), "expected a register name, found " + quoted_token());
      break;
    }
    d.range.end = cur_.offset();
    cur_.skip_trivia();
    if (cur_.peek() == '<') {
      cur_.advance();
      cur_.skip_trivia();
      uint64_t n = 0;
      uint32_t at = cur_.offset();
      if (!parse_unsigned(n, "the number of registers")) break;
      if (n == 0 || n > UINT32_MAX / 2) {
        error("bad-size", {at, cur_.offset()}, "a register range holds 1 to 2^31 registers");
        n = 1;
      }
      d.count = static_cast<uint32_t>(n);
      if (!expect('>', "after the number of registers")) break;
    }
    if (f == nullptr) {
      module_registers_.push_back(d);
    } else if (!registers_.declare(d)) {
      error("redefined-name", d.range, redefined(d.name));
    }
  } while (accept(','));
  cur_.skip_trivia();
  uint32_t end = cur_.offset();
  if (accept(';')) return;
  if (m_.diagnostics.items().empty() || m_.diagnostics.items().back().range.end < begin)
    error("syntax", token_range(),
          "expected ';' after the register declaration, found " + quoted_token());
  cur_.seek(end);
  cur_.skip_until(";}\n\r");
  accept(';');
}

void Parser::parse_parameter_list(Function& f, bool returns) {
  if (!accept('(')) return;
  cur_.skip_trivia();
  if (accept(')')) return;
  do {
    cur_.skip_trivia();
    Declared head;
    head.begin = cur_.offset();
    if (!parse_declaration_head(head)) {
      cur_.skip_until("){;");
      break;
    }
    if (head.space == Space::kReg) {
      RegisterDeclaration d;
      cur_.skip_trivia();
      d.range.begin = cur_.offset();
      d.name = cur_.identifier();
      d.range.end = cur_.offset();
      d.type = head.type;
      d.vector = head.vector;
      if (d.name.empty() || !registers_.declare(d))
        error(d.name.empty() ? "syntax" : "redefined-name",
              d.range.empty() ? token_range() : d.range,
              d.name.empty() ? "expected a register name, found " + quoted_token()
                             : redefined(d.name));
      RegId id = registers_.find(d.name);
      (returns ? f.register_returns : f.register_parameters).push_back(id);
      continue;
    }
    Symbol s;
    if (!parse_declarator(head, returns ? SymbolKind::kReturn : SymbolKind::kParameter, &f, s)) {
      cur_.skip_until("){;");
      break;
    }
    (returns ? f.returns : f.parameters).push_back(add_symbol(s, true));
  } while (accept(','));
  expect(')', "after the parameters");
}

}  // namespace pitot::ptx
