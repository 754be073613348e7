// Collects signatures; prototypes are read from their text, which the IR keeps whole.
#include "ptx/verify_signature.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace pitot::ptx {
namespace {

// Words, numbers and single characters of a prototype.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view peek() {
    if (current_.empty()) current_ = next();
    return current_;
  }
  std::string_view take() {
    std::string_view word = peek();
    current_ = {};
    return word;
  }

 private:
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
  }
  std::string_view next() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        break;
      }
    }
    size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '.' || in_word(text_[at_]))) {
      ++at_;
      while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    } else if (at_ < text_.size()) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::string_view text_;
  size_t at_ = 0;
  std::string_view current_;
};

bool number(std::string_view word, uint64_t& value) {
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

bool parse_list(Words& words, std::vector<Formal>& out) {
  if (words.take() != "(") return false;
  if (words.peek() == ")") {
    words.take();
    return true;
  }
  for (;;) {
    Formal f;
    uint64_t elements = 1;
    while (words.peek().starts_with('.')) {
      std::string_view word = words.take().substr(1);
      if (word == "reg") {
        f.in_register = true;
      } else if (word == "align") {
        uint64_t n = 0;
        if (!number(words.take(), n)) return false;
        f.alignment = static_cast<uint32_t>(n);
      } else if (Type type = type_from_name(word); type != Type::kNone) {
        f.type = type;
      } else if (word != "param") {
        return false;
      }
    }
    f.name = words.take();
    if (words.peek() == "[") {
      words.take();
      f.is_array = true;
      if (words.peek() == "]") {
        f.unsized = true;
      } else if (!number(words.take(), elements)) {
        return false;
      }
      if (words.take() != "]") return false;
    }
    f.size = bytes_of(f.type) * elements;
    if (f.alignment == 0) f.alignment = bytes_of(f.type);
    out.push_back(f);
    std::string_view separator = words.take();
    if (separator == ")") return true;
    if (separator != ",") return false;
  }
}

}  // namespace

Formal formal_of(const Symbol& s) {
  return {s.name, s.type, s.space == Space::kReg, s.is_array, s.unsized, s.size, s.alignment};
}

Signature signature_of(const Module& m, const Function& f) {
  Signature out;
  auto collect = [&](const std::vector<SymbolId>& symbols, const std::vector<RegId>& registers,
                     std::vector<Formal>& to) {
    std::vector<std::pair<uint32_t, Formal>> placed;
    for (SymbolId id : symbols)
      placed.emplace_back(m.symbols[id].range.begin, formal_of(m.symbols[id]));
    for (RegId id : registers) {
      if (id == kNoId) {  // a parameter that could not be read
        placed.emplace_back(0, Formal{});
        continue;
      }
      const Register& r = f.registers[id];
      uint64_t size = uint64_t{bytes_of(r.type)} * r.vector;
      placed.emplace_back(
          f.register_declarations[r.declaration].range.begin,
          Formal{r.name, r.type, true, false, false, size, static_cast<uint32_t>(size)});
    }
    // The IR keeps the two kinds apart; a mixed list is put together as it was written.
    if (!symbols.empty() && !registers.empty())
      std::sort(placed.begin(), placed.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [place, formal] : placed) to.push_back(formal);
  };
  collect(f.returns, f.register_returns, out.returns);
  collect(f.parameters, f.register_parameters, out.parameters);
  return out;
}

bool parse_prototype(std::string_view text, Signature& out) {
  size_t at = text.find(".callprototype");
  if (at == std::string_view::npos) return false;
  Words words(text.substr(at + std::string_view(".callprototype").size()));
  if (words.peek() == "(" && !parse_list(words, out.returns)) return false;
  if (words.take() != "_") return false;
  return words.peek() != "(" || parse_list(words, out.parameters);
}

}  // namespace pitot::ptx
