#include "device/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

namespace pitot::device {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const Sizes& sizes, const Words& words)
      : text_(text), sizes_(sizes), words_(words) {}

  Result<int64_t> run() {
    int64_t v = any();
    skip();
    if (error_.empty() && at_ != text_.size())
      fail(fmt::format("'{}' is not expected", text_.substr(at_)));
    if (!error_.empty()) return input_error(fmt::format("in \"{}\": {}", text_, error_));
    return v;
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    at_ = text_.size();
  }
  // Of what is computed and not of what is written: nothing where the value is not asked for.
  void fail_value(const char* message) {
    if (idle_ == 0) fail(message);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view two) {
    skip();
    if (!text_.substr(at_).starts_with(two)) return false;
    at_ += two.size();
    return true;
  }

  int64_t any() {
    int64_t v = all();
    while (take("||")) v = second(v != 0, &Parser::all) ? 1 : 0;
    return v;
  }

  int64_t all() {
    int64_t v = comparison();
    while (take("&&")) v = second(v == 0, &Parser::comparison) ? 1 : 0;
    return v;
  }

  // The truth of a connective whose left side has decided it, or else the right one does.
  bool second(bool decided, int64_t (Parser::*right)()) {
    const bool is_or = right == &Parser::all;
    idle_ += decided;
    const bool r = (this->*right)() != 0;
    idle_ -= decided;
    return decided ? is_or : r;
  }

  int64_t comparison() {
    if (auto w = word()) return word_comparison(*w);
    const int64_t a = sum();
    if (take("==")) return a == sum();
    if (take("!=")) return a != sum();
    if (take("<=")) return a <= sum();
    if (take(">=")) return a >= sum();
    if (take('<')) return a < sum();
    if (take('>')) return a > sum();
    return a;
  }

  // A text in quotes, or the text that a name stands for.
  std::optional<std::string_view> word() {
    skip();
    if (take('\'')) {
      const size_t end = text_.find('\'', at_);
      if (end == text_.npos) {
        fail("the closing quote is missing");
        return "";
      }
      const std::string_view w = text_.substr(at_, end - at_);
      at_ = end + 1;
      return w;
    }
    const auto it = words_.find(text_.substr(at_, name_end() - at_));
    if (it == words_.end()) return std::nullopt;
    at_ = name_end();
    return it->second;
  }

  int64_t word_comparison(std::string_view left) {
    const bool same = take("==");
    if (!same && !take("!=")) {
      fail(fmt::format("'{}' is a text: only == and != take it", left));
      return 0;
    }
    const auto right = word();
    if (!right) fail(fmt::format("'{}' is compared with what is no text", left));
    return right && (left == *right) == same;
  }

  size_t name_end() const {
    size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    return end;
  }

  int64_t sum() {
    int64_t v = product();
    for (;;) {
      if (take('+')) {
        if (__builtin_add_overflow(v, product(), &v)) fail_value("too large a number");
      } else if (take('-')) {
        if (__builtin_sub_overflow(v, product(), &v)) fail_value("too large a number");
      } else {
        return v;
      }
    }
  }

  int64_t product() {
    int64_t v = factor();
    for (;;) {
      if (take('*')) {
        if (__builtin_mul_overflow(v, factor(), &v)) fail_value("too large a number");
      } else if (take('/')) {
        v = divide(v, factor());
      } else if (take('%')) {
        const int64_t d = factor();
        if (d == 0) {
          fail_value("division by zero");
        } else {
          v = d == -1 ? 0 : v % d;
        }
      } else {
        return v;
      }
    }
  }

  int64_t divide(int64_t a, int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN)) {
      fail_value("division by zero");
      return 0;
    }
    return a / b;
  }

  int64_t factor() {
    if (++depth_ > 64) fail("nested too deeply");
    const int64_t v = primary();
    --depth_;
    return v;
  }

  int64_t primary() {
    if (take('-')) {
      const int64_t v = factor();
      if (v == INT64_MIN) fail_value("too large a number");
      return v == INT64_MIN ? 0 : -v;
    }
    skip();
    if (!text_.substr(at_).starts_with("!=") && take('!')) return factor() == 0;
    if (take('(')) {
      const int64_t v = any();
      if (!take(')')) fail("')' is missing");
      return v;
    }
    skip();
    const std::string_view word = text_.substr(at_, name_end() - at_);
    at_ += word.size();
    if (word.empty()) {
      fail(at_ == text_.size() ? "a value is missing"
                               : fmt::format("'{}' is not expected", text_[at_]));
      return 0;
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      int64_t v = 0;
      const auto r = std::from_chars(word.data(), word.data() + word.size(), v);
      if (r.ec != std::errc() || r.ptr != word.data() + word.size())
        fail(fmt::format("'{}' is no integer", word));
      return v;
    }
    if (take('(')) return call(word);
    const auto it = sizes_.find(word);
    if (it == sizes_.end()) {
      fail(fmt::format("no size is named '{}'", word));
      return 0;
    }
    return it->second;
  }

  int64_t call(std::string_view name) {
    const int64_t a = any();
    if (!take(',')) fail("',' is missing");
    const int64_t b = any();
    if (!take(')')) fail("')' is missing");
    if (name == "min") return std::min(a, b);
    if (name == "max") return std::max(a, b);
    if (name != "ceil_div") {
      fail(fmt::format("no function '{}'; there are ceil_div, min and max", name));
      return 0;
    }
    const int64_t q = divide(a, b);
    return error_.empty() && a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
  }

  std::string_view text_;
  const Sizes& sizes_;
  const Words& words_;
  size_t at_ = 0;
  unsigned idle_ = 0;  // connectives whose right side does not count
  unsigned depth_ = 0;
  std::string error_;
};

}  // namespace

Result<int64_t> evaluate(std::string_view expression, const Sizes& sizes, const Words& words) {
  return Parser(expression, sizes, words).run();
}

Result<double> evaluate_real(std::string_view expression, const Sizes& sizes) {
  double d = 0;
  const auto r = std::from_chars(expression.data(), expression.data() + expression.size(), d);
  if (r.ec == std::errc() && r.ptr == expression.data() + expression.size()) return d;
  auto v = evaluate(expression, sizes);
  if (!v) return v.error();
  return static_cast<double>(*v);
}

}  // namespace pitot::device
