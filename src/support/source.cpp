// Line table of a source text.
#include "support/source.h"

#include <algorithm>

namespace pitot {

SourceText::SourceText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

const std::vector<uint32_t>& SourceText::line_starts() const {
  std::call_once(lines_->built, [this] {
    std::vector<uint32_t>& starts = lines_->starts;
    starts.push_back(0);
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        starts.push_back(static_cast<uint32_t>(i + 1));
      } else if (text_[i] == '\r') {
        if (i + 1 < text_.size() && text_[i + 1] == '\n') ++i;
        starts.push_back(static_cast<uint32_t>(i + 1));
      }
    }
  });
  return lines_->starts;
}

Position SourceText::position(uint32_t offset) const {
  const std::vector<uint32_t>& starts = line_starts();
  auto it = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t line = static_cast<uint32_t>(it - starts.begin());
  return {line, offset - starts[line - 1] + 1};
}

std::string_view SourceText::line(uint32_t number) const {
  const std::vector<uint32_t>& starts = line_starts();
  if (number == 0 || number > starts.size()) return {};
  size_t begin = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceText::line_count() const { return static_cast<uint32_t>(line_starts().size()); }

}  // namespace pitot
