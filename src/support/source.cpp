// Line table of a source text.
#include "support/source.h"

#include <algorithm>

namespace pitot {

SourceText::SourceText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

void SourceText::build_lines() const {
  if (!line_starts_.empty()) return;
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_starts_.push_back(static_cast<uint32_t>(i + 1));
    } else if (text_[i] == '\r') {
      if (i + 1 < text_.size() && text_[i + 1] == '\n') ++i;
      line_starts_.push_back(static_cast<uint32_t>(i + 1));
    }
  }
}

Position SourceText::position(uint32_t offset) const {
  build_lines();
  auto it = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  uint32_t line = static_cast<uint32_t>(it - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view SourceText::line(uint32_t number) const {
  build_lines();
  if (number == 0 || number > line_starts_.size()) return {};
  size_t begin = line_starts_[number - 1];
  size_t end = number < line_starts_.size() ? line_starts_[number] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceText::line_count() const {
  build_lines();
  return static_cast<uint32_t>(line_starts_.size());
}

}  // namespace pitot
