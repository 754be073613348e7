// The slower paths of the cursor: comments, strings, skipping to a delimiter.
#include "ptx/lexer.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pitot::ptx {
namespace {

// First '\n' or '\r' in [p, end), or end. Generated PTX is half comments, so this is a hot loop.
const char* find_line_end(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; p + 16 <= end; p += 16) {
    __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    int mask =
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(block, lf), _mm_cmpeq_epi8(block, cr)));
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (p < end && *p != '\n' && *p != '\r') ++p;
  return p;
}

const char* find_comment_end(const char* p, const char* end) {
  while (p < end) {
    p = static_cast<const char*>(std::memchr(p, '*', static_cast<size_t>(end - p)));
    if (p == nullptr) return end;
    if (p + 1 < end && p[1] == '/') return p + 2;
    ++p;
  }
  return end;
}

}  // namespace

void Cursor::skip_comments() {
  for (;;) {
    while (chars::is(*p_, chars::kSpace)) ++p_;
    if (*p_ == '/' && p_ + 1 < end_ && p_[1] == '/') {
      p_ = find_line_end(p_ + 2, end_);
    } else if (*p_ == '/' && p_ + 1 < end_ && p_[1] == '*') {
      p_ = find_comment_end(p_ + 2, end_);
    } else if (*p_ == '#' && (p_ == base_ || p_[-1] == '\n' || p_[-1] == '\r')) {
      p_ = find_line_end(p_, end_);  // a preprocessor's line marker
    } else {
      return;
    }
  }
}

std::string_view Cursor::spelling() {
  const char* start = p_;
  while (chars::is(*p_, chars::kSpelling)) {
    // A single colon ends a label; a double one belongs to a modifier.
    if (*p_ == ':') {
      if (p_ + 1 >= end_ || p_[1] != ':') break;
      ++p_;
    }
    ++p_;
  }
  return {start, static_cast<size_t>(p_ - start)};
}

void Cursor::skip_line() { p_ = find_line_end(p_, end_); }

bool Cursor::skip_string() {
  ++p_;
  const auto* close =
      static_cast<const char*>(std::memchr(p_, '"', static_cast<size_t>(end_ - p_)));
  if (close != nullptr) {
    p_ = close + 1;
    return true;
  }
  while (p_ < end_ && *p_ != '\n' && *p_ != '\r') ++p_;
  return false;
}

void Cursor::skip_until(std::string_view stops) {
  while (p_ < end_) {
    if (*p_ == '/' && p_ + 1 < end_ && (p_[1] == '/' || p_[1] == '*')) {
      skip_comments();
    } else if (*p_ == '"') {
      skip_string();
    } else if (stops.find(*p_) != std::string_view::npos) {
      return;
    } else {
      ++p_;
    }
  }
}

}  // namespace pitot::ptx
