#include "device/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace pitot::device {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  Result<int64_t> run() {
    int64_t v = sum();
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
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  int64_t sum() {
    int64_t v = product();
    for (;;) {
      if (take('+')) {
        if (__builtin_add_overflow(v, product(), &v)) fail("too large a number");
      } else if (take('-')) {
        if (__builtin_sub_overflow(v, product(), &v)) fail("too large a number");
      } else {
        return v;
      }
    }
  }

  int64_t product() {
    int64_t v = factor();
    for (;;) {
      if (take('*')) {
        if (__builtin_mul_overflow(v, factor(), &v)) fail("too large a number");
      } else if (take('/')) {
        v = divide(v, factor());
      } else if (take('%')) {
        const int64_t d = factor();
        if (d == 0) {
          fail("division by zero");
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
      fail("division by zero");
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
      if (v == INT64_MIN) fail("too large a number");
      return v == INT64_MIN ? 0 : -v;
    }
    if (take('(')) {
      const int64_t v = sum();
      if (!take(')')) fail("')' is missing");
      return v;
    }
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
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
    const int64_t a = sum();
    if (!take(',')) fail("',' is missing");
    const int64_t b = sum();
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
  size_t at_ = 0;
  unsigned depth_ = 0;
  std::string error_;
};

}  // namespace

Result<int64_t> evaluate(std::string_view expression, const Sizes& sizes) {
  return Parser(expression, sizes).run();
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
