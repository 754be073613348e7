// Cursor over PTX text: character classes, white space and comments, identifiers. No token array is
// built; the parser pulls what it needs and keeps byte ranges.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "support/source.h"

namespace pitot::ptx {

namespace chars {
enum : uint8_t { kSpace = 1, kIdent = 2, kIdentStart = 4, kDigit = 8, kSpelling = 16, kHex = 32 };

constexpr std::array<uint8_t, 256> make_table() {
  std::array<uint8_t, 256> t{};
  for (int c : {' ', '\t', '\n', '\r', '\v', '\f'}) t[static_cast<size_t>(c)] = kSpace;
  for (int c = 'a'; c <= 'z'; ++c) t[static_cast<size_t>(c)] = kIdent | kIdentStart | kSpelling;
  for (int c = 'A'; c <= 'Z'; ++c) t[static_cast<size_t>(c)] = kIdent | kIdentStart | kSpelling;
  for (int c = '0'; c <= '9'; ++c) t[static_cast<size_t>(c)] = kIdent | kDigit | kSpelling | kHex;
  for (int c = 'a'; c <= 'f'; ++c) t[static_cast<size_t>(c)] |= kHex;
  for (int c = 'A'; c <= 'F'; ++c) t[static_cast<size_t>(c)] |= kHex;
  for (int c : {'_', '$'}) t[static_cast<size_t>(c)] = kIdent | kIdentStart | kSpelling;
  t['%'] = kIdentStart;
  t['.'] = kSpelling;
  t[':'] = kSpelling;
  return t;
}
inline constexpr std::array<uint8_t, 256> kTable = make_table();

inline bool is(char c, uint8_t mask) { return (kTable[static_cast<uint8_t>(c)] & mask) != 0; }
}  // namespace chars

// Reads a NUL-terminated text (a std::string's) from left to right. Embedded NULs are ordinary
// unexpected characters: only at_end() says where the text stops.
class Cursor {
 public:
  explicit Cursor(std::string_view text)
      : base_(text.data()), p_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return p_ >= end_; }
  char peek() const { return *p_; }
  char peek(size_t ahead) const { return p_ + ahead < end_ ? p_[ahead] : '\0'; }
  uint32_t offset() const { return static_cast<uint32_t>(p_ - base_); }
  void seek(uint32_t offset) { p_ = base_ + offset; }
  void advance(size_t n = 1) { p_ += n; }
  uint32_t size() const { return static_cast<uint32_t>(end_ - base_); }
  std::string_view slice(uint32_t begin, uint32_t end) const {
    return {base_ + begin, end - begin};
  }

  // White space, // and /* */ comments, and preprocessor lines.
  void skip_trivia() {
    while (chars::is(*p_, chars::kSpace)) ++p_;
    if (*p_ == '/' || *p_ == '#') skip_comments();
  }
  // An identifier ([A-Za-z_$%][A-Za-z0-9_$]*) at the cursor, which moves past it; empty if none.
  std::string_view identifier() {
    const char* start = p_;
    if (!chars::is(*p_, chars::kIdentStart)) return {};
    ++p_;
    while (chars::is(*p_, chars::kIdent)) ++p_;
    return {start, static_cast<size_t>(p_ - start)};
  }
  // An opcode with its modifiers: letters, digits, '.', and "::".
  std::string_view spelling();

  void skip_line();
  // Past a quoted string that begins at the cursor. As ptxas reads them, strings may span lines and
  // have no escapes. False, at the end of the line, if no quote follows.
  bool skip_string();
  // Moves to the first character at or after the cursor that is in `stops`, comments and strings
  // passed over; to the end if there is none.
  void skip_until(std::string_view stops);

 private:
  void skip_comments();

  const char* base_;
  const char* p_;
  const char* end_;
};

}  // namespace pitot::ptx
