// A scan for two directives, aware of comments and nothing else.
#include "toolchain/ptx_header.h"

#include <algorithm>

namespace pitot::toolchain {
namespace {

bool space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void skip_blank() {
    while (at_ < text_.size()) {
      if (space(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        break;
      }
    }
  }
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return text_[at_]; }
  void advance() { ++at_; }
  size_t position() const { return at_; }
  // A run of word characters, with a leading dot if there is one.
  std::string_view token() {
    size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '.') ++at_;
    while (at_ < text_.size() && word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

uint16_t read_version(Scanner& in) {
  in.skip_blank();
  std::string_view major = in.token();
  if (major.empty() || major.size() > 2 || in.done() || in.peek() != '.') return 0;
  std::string_view minor = in.token();
  return parse_ptx_version(std::string(major) + std::string(minor));
}

void read_targets(Scanner& in, PtxHeader& header) {
  for (;;) {
    in.skip_blank();
    size_t begin = in.position();
    std::string_view name = in.token();
    ptx::Target target = ptx::target_from_name(name);
    if (target.sm != 0) {
      header.target_names.emplace_back(begin, begin + name.size());
      if (header.target.sm == 0) header.target = target;
    }
    in.skip_blank();
    if (in.done() || in.peek() != ',') return;
    in.advance();
  }
}

}  // namespace

uint16_t parse_ptx_version(std::string_view text) {
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t dot = text.find('.');
  if (dot == 0 || dot > 2 || dot + 2 != text.size() || !digit(text[dot + 1])) return 0;
  unsigned value = 0;
  for (char c : text.substr(0, dot)) {
    if (!digit(c)) return 0;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return static_cast<uint16_t>(value * 10 + static_cast<unsigned>(text[dot + 1] - '0'));
}

PtxHeader read_ptx_header(std::string_view text) {
  PtxHeader header;
  Scanner in(text);
  for (;;) {
    in.skip_blank();
    if (in.done() || in.peek() == '{') return header;
    std::string_view token = in.token();
    if (token == ".version" && header.version == 0) {
      header.version = read_version(in);
    } else if (token == ".target" && header.version != 0) {
      read_targets(in, header);
    } else if (token.empty()) {
      in.advance();
    }
  }
}

Retarget retarget_kind(ptx::Target from, ptx::Target to) {
  if (from == to) return Retarget::kDirect;
  if (from.suffix == 'a') return Retarget::kRewritten;
  bool higher = to.sm >= from.sm;
  if (from.suffix == 'f') higher = higher && to.sm / 10 == from.sm / 10;
  return higher ? Retarget::kDirect : Retarget::kRewritten;
}

std::string with_target(std::string_view text, const PtxHeader& header, ptx::Target to) {
  std::string result;
  size_t at = 0;
  for (auto [begin, end] : header.target_names) {
    result.append(text.substr(at, begin - at));
    result += ptx::name_of(to);
    at = end;
  }
  result.append(text.substr(at));
  return result;
}

}  // namespace pitot::toolchain
