// Initial values of .global and .const variables: nesting, counts and kinds. The IR keeps them as
// text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "ptx/verify_context.h"

namespace pitot::ptx {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

// A word that begins with a digit: an integer of any base, a hexadecimal float, or the part of a
// decimal one before the point or the exponent's sign.
bool is_number(std::string_view w) {
  auto all = [](std::string_view digits, auto test) {
    if (digits.ends_with('U')) digits.remove_suffix(1);
    return std::all_of(digits.begin(), digits.end(),
                       [&](char c) { return test(static_cast<unsigned char>(c)); });
  };
  auto hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  auto decimal = [](unsigned char c) { return std::isdigit(c) != 0 || c == 'e' || c == 'E'; };
  if (w.size() > 2 && w[0] == '0' && std::isalpha(static_cast<unsigned char>(w[1])) != 0) {
    std::string_view digits = w.substr(2);
    switch (w[1] | 0x20) {
      case 'x':
        return all(digits, hex);
      case 'b':
        return all(digits, [](unsigned char c) { return c == '0' || c == '1'; });
      case 'f':
        return digits.size() == 8 && all(digits, hex);
      case 'd':
        return digits.size() == 16 && all(digits, hex);
      default:
        break;
    }
  }
  return all(w, decimal);
}

class InitialiserVerifier {
 public:
  InitialiserVerifier(VerifyContext& ctx, const Symbol& symbol)
      : ctx_(ctx), m_(ctx.module), s_(symbol), at_(symbol.initialiser.begin) {}

  void run() {
    if (s_.type == Type::kF16 || s_.type == Type::kF16x2) {
      error(s_.initialiser,
            fmt::format("'{}' is .{}, which has no literals", s_.name, name_of(s_.type)),
            fmt::format("declare it .b{}", bits_of(s_.type)));
      return;
    }
    if (kind_of(s_.type) == TypeKind::kOpaque) {
      std::string_view text = m_.slice(s_.initialiser);
      const bool empty = text.find_first_not_of("{} \t\r\n") == std::string_view::npos;
      if (!text.starts_with('{') || (!empty && text.find('=') == std::string_view::npos))
        error(s_.initialiser,
              fmt::format("'{}' is a .{}: its initial value is a list of named fields", s_.name,
                          name_of(s_.type)),
              "write, say, {normalized_coords = 1}");
      return;
    }
    if (!read_dimensions()) return;
    if (!value(0)) return;
    skip();
    if (at_ < s_.initialiser.end)
      error({at_, s_.initialiser.end}, "the initialiser should end here");
  }

 private:
  bool read_dimensions();
  bool value(size_t level);
  bool list(size_t level);
  bool scalar();
  bool symbol_value(std::string_view name, SourceRange where, bool masked);
  void skip();
  char peek() const { return at_ < s_.initialiser.end ? m_.text()[at_] : '\0'; }
  std::string_view word();
  bool error(SourceRange where, std::string message, std::string hint = {}) {
    where.end = std::min(where.end, static_cast<uint32_t>(m_.text().size()));
    where.begin = std::min(where.begin, where.end);
    ctx_.out.error("initialiser", where, std::move(message), std::move(hint));
    return false;
  }

  VerifyContext& ctx_;
  const Module& m_;
  const Symbol& s_;
  uint32_t at_;
  std::vector<uint64_t> dimensions_;  // 0: any number
};

void InitialiserVerifier::skip() {
  std::string_view text = m_.text();
  for (;;) {
    while (at_ < s_.initialiser.end && std::isspace(static_cast<unsigned char>(text[at_]))) ++at_;
    std::string_view rest = text.substr(at_, s_.initialiser.end - at_);
    if (rest.starts_with("//")) {
      at_ += static_cast<uint32_t>(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/");
      at_ += static_cast<uint32_t>(end == std::string_view::npos ? rest.size() : end + 2);
    } else {
      return;
    }
  }
}

std::string_view InitialiserVerifier::word() {
  uint32_t begin = at_;
  while (at_ < s_.initialiser.end && in_word(m_.text()[at_])) ++at_;
  return m_.slice({begin, at_});
}

// The bracketed sizes after the name. False when one is no plain number: then the count stays
// unchecked.
bool InitialiserVerifier::read_dimensions() {
  std::string_view text = m_.slice({s_.range.end, s_.initialiser.begin});
  for (size_t i = 0; i < text.size() && text[i] != '=';) {
    if (text[i] != '[') {
      ++i;
      continue;
    }
    size_t close = text.find(']', i);
    if (close == std::string_view::npos) return false;
    std::string_view inside = text.substr(i + 1, close - i - 1);
    while (!inside.empty() && inside.front() == ' ') inside.remove_prefix(1);
    while (!inside.empty() && inside.back() == ' ') inside.remove_suffix(1);
    uint64_t n = 0;
    if (!inside.empty()) {
      auto [end, code] = std::from_chars(inside.data(), inside.data() + inside.size(), n);
      if (code != std::errc() || end != inside.data() + inside.size()) return false;
    }
    dimensions_.push_back(n);
    i = close + 1;
  }
  if (s_.vector > 1) dimensions_.push_back(s_.vector);
  return true;
}

bool InitialiserVerifier::value(size_t level) {
  skip();
  const bool braces = peek() == '{';
  if (level < dimensions_.size()) {
    if (braces) return list(level);
    return error({at_, at_ + 1}, fmt::format("'{}' needs a list in braces here", s_.name));
  }
  if (braces)
    return error({at_, at_ + 1},
                 fmt::format("'{}' has no further dimension: one value is needed", s_.name));
  return scalar();
}

bool InitialiserVerifier::list(size_t level) {
  ++at_;  // {
  skip();
  if (peek() == '}') {
    uint32_t begin = at_++;
    if (dimensions_[level] == 0) return error({begin, at_}, "an empty list gives no size");
    return true;
  }
  uint64_t count = 0;
  for (;;) {
    skip();
    uint32_t begin = at_;
    if (!value(level + 1)) return false;
    ++count;
    if (dimensions_[level] != 0 && count > dimensions_[level])
      return error({begin, at_}, fmt::format("'{}' takes {} values here, and this is one more",
                                             s_.name, dimensions_[level]));
    skip();
    if (peek() == ',') {
      ++at_;
      continue;
    }
    if (peek() == '}') {
      ++at_;
      return true;
    }
    return error({at_, at_ + 1}, "expected ',' or '}' in the initialiser");
  }
}

bool InitialiserVerifier::symbol_value(std::string_view name, SourceRange where, bool masked) {
  const Symbol* found = nullptr;
  auto [first, last] = ctx_.names().equal_range(name);
  for (auto it = first; it != last; ++it) {
    const Symbol& s = m_.symbols[it->second];
    if (s.range.begin >= s_.range.begin) continue;
    if (s.kind == SymbolKind::kVariable && s.function != kNoId && s.function != s_.function)
      continue;
    if (s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kFunction) found = &s;
  }
  if (found == nullptr)
    return error(where,
                 fmt::format("'{}' is not declared before it is used as an initial value", name));
  if (found->kind == SymbolKind::kVariable && found->space != Space::kGlobal &&
      found->space != Space::kConst)
    return error(where,
                 fmt::format("'{}' is in .{} space: only addresses of .global and .const variables "
                             "and of functions are known here",
                             name, name_of(found->space)));
  const bool fits = masked ? s_.type == Type::kU8 : s_.type == Type::kU32 || s_.type == Type::kU64;
  if (!fits)
    return error(where,
                 fmt::format("the address of '{}' does not fit '{}', which is .{}", name, s_.name,
                             name_of(s_.type)),
                 masked ? "a masked address initialises .u8 elements" : "declare it .u64");
  return true;
}

// One value: literals with operators, or a name with an offset, generic(name) or mask(name).
bool InitialiserVerifier::scalar() {
  const uint32_t begin = at_;
  bool real = false, any = false;
  std::string_view name, mask;
  SourceRange name_range;
  unsigned depth = 0;
  bool after_value = false;  // a value was read and no operator since
  for (;;) {
    skip();
    char c = peek();
    if (c == '\0' || ((c == ',' || c == '}') && depth == 0)) break;
    if (c == '(') {
      ++depth;
      ++at_;
      continue;
    }
    if (c == ')') {
      if (depth == 0) break;
      --depth;
      ++at_;
      continue;
    }
    if (!in_word(c) && c != '.') {
      ++at_;  // an operator; the parser of expressions is not needed to know the kind
      after_value = false;
      continue;
    }
    uint32_t start = at_;
    std::string_view w = word();
    if (after_value)
      return error({start, std::max(at_, start + 1)}, "expected ',' or '}' in the initialiser");
    after_value = !w.empty() && w != "generic";
    if (!w.empty() && (std::isdigit(static_cast<unsigned char>(w[0])) != 0)) {
      bool hex = w.size() > 1 && (w[1] == 'x' || w[1] == 'X');
      if (peek() == '.') {
        ++at_;
        word();
        real = true;
      }
      real = real || (!hex && w.size() > 2 && w[0] == '0' &&
                      (w[1] == 'f' || w[1] == 'F' || w[1] == 'd' || w[1] == 'D'));
      bool exponent = !hex && w.find_first_of("eE") != std::string_view::npos;
      if (exponent) {
        real = true;
        if (peek() == '+' || peek() == '-') {
          ++at_;
          word();
        }
      }
      if (!is_number(w)) return error({start, at_}, fmt::format("'{}' is no number", w));
      any = true;
      skip();
      if (peek() == '(') {
        mask = w;
        after_value = false;
      }
    } else if (w == "generic") {
      continue;
    } else if (!w.empty()) {
      if (!name.empty())
        return error({start, at_},
                     fmt::format("'{}' cannot stand beside '{}' in an initial value", w, name));
      name = w;
      name_range = {start, at_};
      any = true;
    } else {  // '.': a cast or a real number without leading digits
      ++at_;
      std::string_view rest = word();
      if (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) real = true;
      any = true;
    }
  }
  // At least one byte, unless the text ends here.
  const SourceRange where{begin, std::max(at_, std::min(begin + 1, s_.initialiser.end))};
  if (!any) return error(where, fmt::format("a value of '{}' is missing", s_.name));
  if (!name.empty()) return symbol_value(name, name_range, !mask.empty());
  const TypeKind kind = kind_of(s_.type);
  if (kind == TypeKind::kFloat && !real)
    return error(
        where,
        fmt::format("'{}' is .{} and needs a floating-point literal", s_.name, name_of(s_.type)),
        "write, say, 1.0");
  if ((kind == TypeKind::kUnsigned || kind == TypeKind::kSigned) && real)
    return error(where, fmt::format("'{}' is .{} and needs an integer", s_.name, name_of(s_.type)));
  return true;
}

}  // namespace

void verify_initialiser(VerifyContext& ctx, const Symbol& symbol) {
  InitialiserVerifier(ctx, symbol).run();
}

}  // namespace pitot::ptx
