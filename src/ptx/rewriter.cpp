// Applies collected text edits.
#include "ptx/rewriter.h"

#include <algorithm>

namespace pitot::ptx {

void Rewriter::replace(SourceRange range, std::string text) {
  edits_.push_back({range, std::move(text), edits_.size()});
}

void Rewriter::erase_statement(SourceRange range) {
  std::string_view text = module_.text();
  uint32_t begin = range.begin, end = range.end;
  auto blank = [&](uint32_t at) { return text[at] == ' ' || text[at] == '\t'; };
  uint32_t line_begin = begin, line_end = end;
  while (line_begin > 0 && blank(line_begin - 1)) --line_begin;
  while (line_end < text.size() && blank(line_end)) ++line_end;
  bool starts_line =
      line_begin == 0 || text[line_begin - 1] == '\n' || text[line_begin - 1] == '\r';
  bool ends_line = line_end == text.size() || text[line_end] == '\n' || text[line_end] == '\r';
  if (starts_line && ends_line) {
    begin = line_begin;
    end = line_end;
    if (end < text.size() && text[end] == '\r') ++end;
    if (end < text.size() && text[end] == '\n') ++end;
  }
  replace({begin, end}, {});
}

std::string Rewriter::apply() const {
  std::vector<const Edit*> sorted;
  sorted.reserve(edits_.size());
  for (const Edit& e : edits_) sorted.push_back(&e);
  std::sort(sorted.begin(), sorted.end(), [](const Edit* a, const Edit* b) {
    return a->range.begin != b->range.begin ? a->range.begin < b->range.begin : a->order < b->order;
  });
  std::string_view text = module_.text();
  std::string out;
  out.reserve(text.size() + 256);
  size_t at = 0;
  for (const Edit* e : sorted) {
    if (e->range.begin < at) continue;
    out.append(text.substr(at, e->range.begin - at));
    out.append(e->text);
    at = e->range.end;
  }
  out.append(text.substr(at));
  return out;
}

}  // namespace pitot::ptx
