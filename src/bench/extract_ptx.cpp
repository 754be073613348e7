#include "bench/extract_ptx.h"

#include <vector>

namespace pitot::bench {
namespace {

constexpr std::string_view kFence = "```";

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Whether `.version` begins a line; where, or npos.
size_t version_line(std::string_view text) {
  for (size_t at = text.find(".version"); at != text.npos; at = text.find(".version", at + 1)) {
    size_t before = at;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    if (before == 0 || text[before - 1] == '\n') return before;
  }
  return text.npos;
}

// A fence that begins a line, at or behind a place; one within a line is talk of fences.
size_t next_fence(std::string_view text, size_t from) {
  for (size_t at = text.find(kFence, from); at != text.npos; at = text.find(kFence, at + 1)) {
    size_t before = at;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    if (before == 0 || text[before - 1] == '\n') return before;
  }
  return text.npos;
}

// Back over lines of comments, which may say how to launch the kernel.
size_t with_comments(std::string_view text, size_t at) {
  while (at > 0) {
    size_t start = at - 1;
    while (start > 0 && text[start - 1] != '\n') --start;
    std::string_view line = text.substr(start, at - start);
    while (!line.empty() && blank(line.front())) line.remove_prefix(1);
    if (!line.starts_with("//")) break;
    at = start;
  }
  return at;
}

}  // namespace

std::string extract_ptx(std::string_view said) {
  std::string_view best;
  for (size_t open = next_fence(said, 0); open != said.npos;) {
    const size_t line_end = said.find('\n', open);
    if (line_end == said.npos) break;
    const size_t close = next_fence(said, line_end + 1);
    const std::string_view inside =
        said.substr(line_end + 1, close == said.npos ? said.npos : close - line_end - 1);
    if (version_line(inside) != inside.npos && inside.size() > best.size()) best = inside;
    open = close == said.npos ? close : next_fence(said, close + kFence.size());
  }
  if (!best.empty()) return std::string(best);
  const size_t at = version_line(said);
  return std::string(at == said.npos ? said : said.substr(with_comments(said, at)));
}

}  // namespace pitot::bench
