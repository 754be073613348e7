// SourceText: the bytes of one input and the map from byte offsets to lines and columns.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pitot {

// Half-open byte range [begin, end) in a source text.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin >= end; }
};

// 1-based line; 1-based column in bytes.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};

// Owns the text (at most 4 GiB − 1). Lines end at LF, CRLF or a lone CR.
class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::string_view slice(SourceRange r) const {
    return std::string_view(text_).substr(r.begin, r.end - r.begin);
  }

  // Any number of threads may ask at once; the first of them builds the line table.
  Position position(uint32_t offset) const;
  // The line's text without its ending; empty for a line that does not exist.
  std::string_view line(uint32_t number) const;
  uint32_t line_count() const;

 private:
  std::string path_;
  std::string text_;
  // Built when first asked for: most texts never are. Copies have the same text and share it.
  struct Lines {
    std::once_flag built;
    std::vector<uint32_t> starts;
  };
  const std::vector<uint32_t>& line_starts() const;
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace pitot
