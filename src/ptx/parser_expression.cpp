// Parser, constants: literals and constant expressions (PTX ISA, "Constants", "Constant
// Expressions").
#include <algorithm>
#include <charconv>
#include <cstring>

#include "ptx/parser_impl.h"

namespace pitot::ptx {
namespace {

constexpr unsigned kMaxExpressionDepth = 64;

int precedence_of(char a, char b) {
  switch (a) {
    case '?':
      return 1;
    case '|':
      return b == '|' ? 2 : 4;
    case '&':
      return b == '&' ? 3 : 6;
    case '^':
      return 5;
    case '=':
      return b == '=' ? 7 : 0;
    case '!':
      return b == '=' ? 7 : 0;
    case '<':
      return b == '<' ? 9 : 8;
    case '>':
      return b == '>' ? 9 : 8;
    case '+':
    case '-':
      return 10;
    case '*':
    case '/':
    case '%':
      return 11;
    default:
      return 0;
  }
}

}  // namespace

bool Parser::parse_constant(Operand& out) { return parse_expression(out, 0, 0); }

bool Parser::parse_unsigned(uint64_t& value, std::string_view what) {
  Operand o;
  cur_.skip_trivia();
  if (!chars::is(cur_.peek(), chars::kDigit)) {
    error("syntax", token_range(), "expected " + std::string(what) + ", found " + quoted_token());
    return false;
  }
  // A version such as 8.4 is two integers here: take decimal digits, or a prefixed literal.
  if (cur_.peek() == '0' && (cur_.peek(1) == 'x' || cur_.peek(1) == 'X')) {
    if (!parse_number(o)) return false;
    value = static_cast<uint64_t>(o.value);
    return true;
  }
  value = 0;
  while (chars::is(cur_.peek(), chars::kDigit)) {
    uint64_t digit = static_cast<uint64_t>(cur_.peek() - '0');
    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    cur_.advance();
  }
  if (cur_.peek() == 'U') cur_.advance();
  return true;
}

bool Parser::parse_number(Operand& out) {
  uint32_t begin = cur_.offset();
  auto bad = [&](std::string message) {
    while (chars::is(cur_.peek(), chars::kIdent)) cur_.advance();
    error("bad-literal", {begin, std::max(cur_.offset(), begin + 1)}, std::move(message));
    return false;
  };
  auto from_base = [&](unsigned base, size_t prefix) {
    cur_.advance(prefix);
    uint64_t value = 0;
    unsigned digits = 0;
    bool overflow = false;
    for (;; cur_.advance(), ++digits) {
      char c = cur_.peek();
      unsigned d;
      if (c >= '0' && c <= '9')
        d = static_cast<unsigned>(c - '0');
      else if (c >= 'a' && c <= 'f')
        d = static_cast<unsigned>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        d = static_cast<unsigned>(c - 'A' + 10);
      else
        break;
      if (d >= base) break;
      overflow = overflow || value > (UINT64_MAX - d) / base;
      value = value * base + d;
    }
    if (digits == 0 && prefix > 1) return bad("the number has no digits");
    if (cur_.peek() == 'U') {
      cur_.advance();
      out.unsigned_literal = true;
    }
    if (chars::is(cur_.peek(), chars::kIdent)) return bad("not a number");
    if (overflow) return bad("the integer does not fit 64 bits");
    out.kind = OperandKind::kInteger;
    out.value = static_cast<int64_t>(value);
    out.range = {begin, cur_.offset()};
    return true;
  };
  auto from_bits = [&](unsigned digits, OperandKind kind) {
    cur_.advance(2);
    uint64_t value = 0;
    unsigned n = 0;
    while (chars::is(cur_.peek(), chars::kHex)) {
      char c = cur_.peek();
      value = (value << 4) | static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
      cur_.advance();
      ++n;
    }
    if (n != digits || chars::is(cur_.peek(), chars::kIdent))
      return bad(kind == OperandKind::kFloat32 ? "0f takes exactly 8 hexadecimal digits"
                                               : "0d takes exactly 16 hexadecimal digits");
    out.kind = kind;
    out.value = static_cast<int64_t>(value);
    out.range = {begin, cur_.offset()};
    return true;
  };
  char c = cur_.peek(), next = static_cast<char>(cur_.peek(1) | 32);
  if (c == '0') {
    if (next == 'x') return from_base(16, 2);
    if (next == 'f') return from_bits(8, OperandKind::kFloat32);
    if (next == 'd') return from_bits(16, OperandKind::kFloat64);
    if (next == 'b' && (cur_.peek(2) == '0' || cur_.peek(2) == '1')) return from_base(2, 2);
  }
  size_t n = 0;
  while (chars::is(cur_.peek(n), chars::kDigit)) ++n;
  char after = cur_.peek(n);
  bool is_float =
      (after == '.' && !chars::is(cur_.peek(n + 1), chars::kIdentStart)) ||
      ((after == 'e' || after == 'E') && (chars::is(cur_.peek(n + 1), chars::kDigit) ||
                                          cur_.peek(n + 1) == '-' || cur_.peek(n + 1) == '+'));
  if (!is_float) return from_base(c == '0' && n > 1 ? 8 : 10, 0);
  std::string_view rest = cur_.slice(begin, cur_.size());
  double value = 0;
  auto [end, ec] =
      std::from_chars(rest.data(), rest.data() + std::min<size_t>(rest.size(), 400), value);
  if (ec == std::errc::invalid_argument) return bad("not a number");
  cur_.advance(static_cast<size_t>(end - rest.data()));
  if (chars::is(cur_.peek(), chars::kIdent)) return bad("not a number");
  out.kind = OperandKind::kFloat64;
  std::memcpy(&out.value, &value, 8);
  out.range = {begin, cur_.offset()};
  return true;
}

bool Parser::parse_expression_unary(Operand& out, unsigned depth) {
  cur_.skip_trivia();
  uint32_t begin = cur_.offset();
  if (depth > kMaxExpressionDepth) {
    error("too-deep", token_range(), "the constant expression is nested too deeply");
    return false;
  }
  char c = cur_.peek();
  if (c == '-' || c == '+' || c == '~' || c == '!') {
    cur_.advance();
    if (!parse_expression_unary(out, depth + 1)) return false;
    out.range.begin = begin;
    if (c == '+') return true;
    if (out.kind == OperandKind::kFloat32 && c == '-') {
      out.value ^= 0x80000000ll;
    } else if (out.kind == OperandKind::kFloat64 && c == '-') {
      out.value = static_cast<int64_t>(static_cast<uint64_t>(out.value) ^ (1ull << 63));
    } else if (out.kind == OperandKind::kInteger) {
      auto v = static_cast<uint64_t>(out.value);
      out.value = static_cast<int64_t>(c == '-' ? 0 - v : c == '~' ? ~v : uint64_t{v == 0});
    } else {
      error("bad-literal", {begin, cur_.offset()}, "the operator takes an integer");
      return false;
    }
    return true;
  }
  if (c == '(') {
    cur_.advance();
    cur_.skip_trivia();
    if (cur_.peek() == '.') {  // a cast: (.s64) or (.u64)
      std::string_view type = directive_name();
      if (!expect(')', "after the cast")) return false;
      if (type != ".s64" && type != ".u64") {
        error("syntax", {begin, cur_.offset()}, "a constant may be cast to .s64 or .u64 only");
        return false;
      }
      if (!parse_expression_unary(out, depth + 1)) return false;
      out.unsigned_literal = type == ".u64";
    } else if (!parse_expression(out, 0, depth + 1) || !expect(')', "in the constant expression")) {
      return false;
    }
    out.range = {begin, cur_.offset()};
    return true;
  }
  if (chars::is(c, chars::kDigit) || c == '.') return parse_number(out);
  if (chars::is(c, chars::kIdentStart)) {
    std::string_view name = cur_.identifier();
    if (name == "WARP_SZ") {
      out.kind = OperandKind::kInteger;
      out.value = 32;
      out.range = {begin, cur_.offset()};
      return true;
    }
    cur_.seek(begin);
  }
  error("syntax", token_range(), "expected a constant, found " + quoted_token());
  return false;
}

bool Parser::parse_expression(Operand& out, int min_precedence, unsigned depth) {
  if (!parse_expression_unary(out, depth)) return false;
  for (;;) {
    cur_.skip_trivia();
    char a = cur_.peek(), b = cur_.peek(1);
    if (a == ',' || a == ';') return true;
    int precedence = precedence_of(a, b);
    if (precedence == 0 || precedence < min_precedence) return true;
    bool two = (a == '|' && b == '|') || (a == '&' && b == '&') ||
               (a == '<' && (b == '<' || b == '=')) || (a == '>' && (b == '>' || b == '=')) ||
               (b == '=' && (a == '=' || a == '!'));
    cur_.advance(two ? 2 : 1);
    Operand right, third;
    if (!parse_expression(right, a == '?' ? 0 : precedence + 1, depth + 1)) return false;
    if (a == '?' &&
        (!expect(':', "in the conditional expression") || !parse_expression(third, 1, depth + 1)))
      return false;
    if (out.kind != OperandKind::kInteger || right.kind != OperandKind::kInteger) {
      error("bad-literal", {out.range.begin, cur_.offset()},
            "constant expressions are of integers");
      return false;
    }
    auto x = static_cast<uint64_t>(out.value), y = static_cast<uint64_t>(right.value);
    int64_t sx = out.value, sy = right.value;
    bool is_unsigned = out.unsigned_literal || right.unsigned_literal;
    uint64_t v = 0;
    switch (a) {
      case '?':
        v = x != 0 ? y : static_cast<uint64_t>(third.value);
        break;
      case '|':
        v = two ? uint64_t{x != 0 || y != 0} : x | y;
        break;
      case '&':
        v = two ? uint64_t{x != 0 && y != 0} : x & y;
        break;
      case '^':
        v = x ^ y;
        break;
      case '=':
        v = x == y;
        break;
      case '!':
        v = x != y;
        break;
      case '+':
        v = x + y;
        break;
      case '-':
        v = x - y;
        break;
      case '*':
        v = x * y;
        break;
      case '<':
        if (b == '<')
          v = y < 64 ? x << y : 0;
        else if (two)
          v = is_unsigned ? x <= y : sx <= sy;
        else
          v = is_unsigned ? x < y : sx < sy;
        break;
      case '>':
        if (b == '>')
          v = y >= 64       ? (is_unsigned || sx >= 0 ? 0 : UINT64_MAX)
              : is_unsigned ? x >> y
                            : static_cast<uint64_t>(sx >> y);
        else if (two)
          v = is_unsigned ? x >= y : sx >= sy;
        else
          v = is_unsigned ? x > y : sx > sy;
        break;
      default:
        if (y == 0 || (!is_unsigned && sx == INT64_MIN && sy == -1)) {
          error("bad-literal", {out.range.begin, cur_.offset()},
                "division by zero in a constant expression");
          return false;
        }
        if (a == '/')
          v = is_unsigned ? x / y : static_cast<uint64_t>(sx / sy);
        else
          v = is_unsigned ? x % y : static_cast<uint64_t>(sx % sy);
    }
    out.value = static_cast<int64_t>(v);
    out.unsigned_literal = is_unsigned;
    out.range.end = cur_.offset();
  }
}

}  // namespace pitot::ptx
