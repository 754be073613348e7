// Parser, operands: registers, names, addresses, vectors, lists; constants are
// parser_expression.cpp.
#include <algorithm>

#include "ptx/parser_impl.h"
#include "ptx/special_register.h"

namespace pitot::ptx {
namespace {

constexpr unsigned kMaxNesting = 8;  // operands inside operands

}  // namespace

void Parser::store_children(Operand& parent, size_t first) {
  parent.first_child = static_cast<uint32_t>(m_.children.size());
  parent.child_count = static_cast<uint32_t>(scratch_.size() - first);
  for (size_t k = first; k < scratch_.size(); ++k) {
    m_.children.push_back(scratch_[k]);
    if (scratch_[k].kind == OperandKind::kUnresolved)
      pending_.push_back({true, static_cast<uint32_t>(m_.children.size() - 1), scope_,
                          m_.slice(scratch_[k].range), false});
  }
  scratch_.resize(first);
}

Selector Parser::parse_selector(int64_t& digits) {
  digits = 0;
  if (cur_.peek() != '.') return Selector::kNone;
  char a = cur_.peek(1), b = cur_.peek(2);
  auto ends = [&](size_t at) { return !chars::is(cur_.peek(at), chars::kIdent); };
  Selector s = Selector::kNone;
  size_t length = 2;
  if (ends(2)) {
    switch (a) {
      case 'x':
      case 'r':
        s = Selector::kX;
        break;
      case 'y':
      case 'g':
        s = Selector::kY;
        break;
      case 'z':
      case 'b':
        s = Selector::kZ;
        break;
      case 'w':
      case 'a':
        s = Selector::kW;
        break;
      default:
        break;
    }
  } else if (ends(3)) {
    length = 3;
    if (a == 'b' && b >= '0' && b <= '3')
      s = static_cast<Selector>(static_cast<int>(Selector::kB0) + (b - '0'));
    if (a == 'h' && b >= '0' && b <= '1')
      s = static_cast<Selector>(static_cast<int>(Selector::kH0) + (b - '0'));
  }
  if (s == Selector::kNone && (a == 'h' || a == 'b')) {
    // PTX ISA, "SIMD Video Instructions": digits to 3 for halves and byte masks, to 7 for bytes.
    const char most = a == 'h' ? '3' : '7';
    int64_t value = 0;
    size_t at = 2;
    while (at < 6 && cur_.peek(at) >= '0' && cur_.peek(at) <= most)
      value = value << 4 | (cur_.peek(at++) - '0');
    if (ends(at) && at >= 4 && at - 2 <= (a == 'h' ? 2u : 4u)) {
      s = a == 'h' ? Selector::kHalves : Selector::kBytes;
      length = at;
      digits = value | static_cast<int64_t>(at - 2) << 16;
    }
  }
  if (s != Selector::kNone) cur_.advance(length);
  return s;
}

void Parser::resolve_name(Function&, Operand& out, std::string_view name, const Opcode*) {
  if (RegId id = registers_.find(name); id != kNoId) {
    out.kind = OperandKind::kRegister;
    out.id = id;
    return;
  }
  if (name[0] == '%') {
    if (const SpecialRegister* special = find_special_register(name)) {
      out.kind = OperandKind::kSpecialRegister;
      out.id = special->index;
      return;
    }
  }
  const NameBinding* b = local_names_.find(name);
  if (b == nullptr) b = module_names_.find(name);
  if (b != nullptr && b->kind == BindingKind::kSymbol) {
    out.kind = OperandKind::kSymbol;
    out.id = b->id;
    return;
  }
  if (name == "WARP_SZ") {
    out.kind = OperandKind::kInteger;
    out.value = 32;
    return;
  }
  out.kind = OperandKind::kUnresolved;
}

bool Parser::parse_name_operand(Function& f, Operand& out, const Opcode* opcode) {
  uint32_t begin = cur_.offset();
  std::string_view name = cur_.identifier();
  out.range = {begin, cur_.offset()};
  if (name == "_") {
    out.kind = OperandKind::kSink;
    return true;
  }
  resolve_name(f, out, name, opcode);
  if (cur_.peek() == '.') {
    int64_t digits = 0;
    out.selector = parse_selector(digits);
    if (digits != 0) out.value = digits;
    out.range.end = cur_.offset();
    if (out.selector == Selector::kNone) {
      error("syntax", {cur_.offset(), cur_.offset() + 1},
            "'" + std::string(name) + "' is followed by no component such as .x or .b0");
      return false;
    }
  }
  return true;
}

// `d|p`, of which `d` is in `out`: a register, or the vector of a texture access.
bool Parser::parse_second_destination(Function& f, Operand& out, const Opcode* opcode) {
  cur_.advance();
  size_t first = scratch_.size();
  scratch_.push_back(out);
  cur_.skip_trivia();
  Operand second;
  if (!chars::is(cur_.peek(), chars::kIdentStart)) {
    error("syntax", token_range(), "expected a predicate after '|', found " + quoted_token());
    scratch_.resize(first);
    return false;
  }
  if (!parse_name_operand(f, second, opcode)) {
    scratch_.resize(first);
    return false;
  }
  scratch_.push_back(second);
  uint32_t begin = out.range.begin;
  out = Operand{};
  out.kind = OperandKind::kPair;
  out.range = {begin, cur_.offset()};
  store_children(out, first);
  return true;
}

bool Parser::parse_operand(Function& f, Operand& out, const Opcode* opcode, unsigned depth) {
  cur_.skip_trivia();
  uint32_t begin = cur_.offset();
  char c = cur_.peek();
  if (chars::is(c, chars::kIdentStart)) {
    if (!parse_name_operand(f, out, opcode)) return false;
    if (cur_.peek() == ',' || cur_.peek() == ';') return true;  // the common case
    cur_.skip_trivia();
    c = cur_.peek();
    if (c == '|') return parse_second_destination(f, out, opcode);
    if (out.kind == OperandKind::kSymbol && (c == '+' || c == '-')) {
      Operand offset;
      if (!parse_expression(offset, 10, 0)) return false;
      out.value = offset.value;
      out.range.end = cur_.offset();
    } else if (out.kind == OperandKind::kSymbol && c == '[') {
      // name[i]: the address of an element; the place itself for a load or store.
      cur_.advance();
      Operand index;
      if (!parse_expression(index, 0, 0) || !expect(']', "after the index")) return false;
      const Symbol& s = m_.symbols[out.id];
      out.value = index.value * static_cast<int64_t>(uint64_t{bytes_of(s.type)} * s.vector);
      if (opcode != nullptr && (opcode->effects & (kLoad | kStore | kAtomic | kRed)) != 0) {
        out.base_kind = OperandKind::kSymbol;
        out.kind = OperandKind::kAddress;
      }
      out.range.end = cur_.offset();
    } else if (out.kind == OperandKind::kInteger) {
      cur_.seek(begin);
      return parse_constant(out);
    }
    return true;
  }
  switch (c) {
    case '[':
      return parse_address(f, out, opcode, depth);
    case '{':
      if (!parse_braced(f, out, opcode, '}', depth)) return false;
      cur_.skip_trivia();
      return cur_.peek() != '|' || parse_second_destination(f, out, opcode);
    case '(':
      if (opcode != nullptr && opcode->has(kCall)) return parse_braced(f, out, opcode, ')', depth);
      return parse_constant(out);
    case '!':
      if (chars::is(cur_.peek(1), chars::kIdentStart) || chars::is(cur_.peek(1), chars::kSpace)) {
        cur_.advance();
        cur_.skip_trivia();
        if (!chars::is(cur_.peek(), chars::kIdentStart)) {
          error("syntax", token_range(), "expected a predicate after '!', found " + quoted_token());
          return false;
        }
        if (!parse_name_operand(f, out, opcode)) return false;
        out.negated = true;
        out.range.begin = begin;
        return true;
      }
      return parse_constant(out);
    case '-':
      if (chars::is(cur_.peek(1), chars::kIdentStart)) {
        cur_.advance();
        if (!parse_name_operand(f, out, opcode)) return false;
        out.minus = true;
        out.range.begin = begin;
        return true;
      }
      return parse_constant(out);
    default:
      if (chars::is(c, chars::kDigit) || c == '+' || c == '~' || c == '.')
        return parse_constant(out);
      error("syntax", token_range(), "expected an operand, found " + quoted_token());
      return false;
  }
}

bool Parser::parse_address(Function& f, Operand& out, const Opcode* opcode, unsigned depth) {
  uint32_t begin = cur_.offset();
  cur_.advance();
  cur_.skip_trivia();
  out.kind = OperandKind::kAddress;
  if (chars::is(cur_.peek(), chars::kIdentStart)) {
    Operand base;
    if (!parse_name_operand(f, base, opcode)) return false;
    out.base_kind = base.kind;
    out.id = base.id;
    out.selector = base.selector;
    out.value = base.kind == OperandKind::kInteger ? base.value : 0;
    if (base.kind == OperandKind::kUnresolved)
      error("undeclared-name", base.range,
            "'" + std::string(m_.slice(base.range)) + "' is not declared");
    cur_.skip_trivia();
    if (cur_.peek() == '[') {  // [name[i]]
      cur_.advance();
      Operand index;
      if (!parse_expression(index, 0, 0) || !expect(']', "after the index")) return false;
      if (base.kind == OperandKind::kSymbol)
        out.value =
            index.value * static_cast<int64_t>(uint64_t{bytes_of(m_.symbols[base.id].type)} *
                                               m_.symbols[base.id].vector);
      cur_.skip_trivia();
    }
    if (cur_.peek() == '+' || cur_.peek() == '-') {
      bool minus = cur_.peek() == '-';
      cur_.advance();
      cur_.skip_trivia();
      uint32_t at = cur_.offset();
      if (chars::is(cur_.peek(), chars::kIdentStart) && cur_.peek() != 'W') {
        error("bad-address", token_range(),
              "an address is a register or a name plus a constant, not plus " + quoted_token());
        return false;
      }
      Operand offset;
      if (!parse_expression(offset, 0, 0)) return false;
      if (offset.kind != OperandKind::kInteger)
        error("bad-address", {at, cur_.offset()}, "an address offset must be an integer constant");
      out.value = static_cast<int64_t>(
          static_cast<uint64_t>(out.value) +
          (minus ? 0 - static_cast<uint64_t>(offset.value) : static_cast<uint64_t>(offset.value)));
    }
  } else {
    Operand absolute;
    if (!parse_expression(absolute, 0, 0)) return false;
    out.base_kind = OperandKind::kInteger;
    out.value = absolute.value;
  }
  size_t first = scratch_.size();
  while (accept(',')) {
    Operand child;
    if (depth >= kMaxNesting || !parse_operand(f, child, opcode, depth + 1)) {
      scratch_.resize(first);
      return false;
    }
    scratch_.push_back(child);
  }
  if (!expect(']', "at the end of the address")) {
    scratch_.resize(first);
    return false;
  }
  if (scratch_.size() > first) store_children(out, first);
  out.range = {begin, cur_.offset()};
  return true;
}

// `{a, b}` of a vector, or `(a, b)` of a call.
bool Parser::parse_braced(Function& f, Operand& out, const Opcode* opcode, char close,
                          unsigned depth) {
  uint32_t begin = cur_.offset();
  cur_.advance();
  out.kind = close == '}' ? OperandKind::kVector : OperandKind::kList;
  size_t first = scratch_.size();
  if (!accept(close)) {
    do {
      Operand child;
      if (depth >= kMaxNesting) {
        error("too-deep", token_range(), "operands are nested too deeply");
        scratch_.resize(first);
        return false;
      }
      if (!parse_operand(f, child, opcode, depth + 1)) {
        scratch_.resize(first);
        return false;
      }
      scratch_.push_back(child);
    } while (accept(','));
    if (!expect(close, close == '}' ? "at the end of the vector" : "at the end of the list")) {
      scratch_.resize(first);
      return false;
    }
  }
  store_children(out, first);
  out.range = {begin, cur_.offset()};
  return true;
}

}  // namespace pitot::ptx
