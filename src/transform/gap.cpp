// Reads the text between statements.
#include "transform/gap.h"

#include <algorithm>

#include "ptx/lexer.h"

namespace pitot::transform {
namespace {

bool is_blank(char c) { return ptx::chars::is(c, ptx::chars::kSpace); }

// Past the blank or comment at `at`; `at` itself if neither is there.
uint32_t past_one_trivia(std::string_view text, uint32_t at, uint32_t end) {
  if (is_blank(text[at])) return at + 1;
  if (text[at] != '/' || at + 1 >= end) return at;
  if (text[at + 1] == '/')
    return std::min<uint32_t>(end, static_cast<uint32_t>(text.find('\n', at)));
  if (text[at + 1] != '*') return at;
  const size_t close = text.find("*/", at + 2);
  return close == std::string_view::npos
             ? end
             : std::min<uint32_t>(end, static_cast<uint32_t>(close) + 2);
}

// From the end of a line past a next one that is "// end inline asm"; `at` if it is another.
uint32_t past_asm_end(std::string_view text, uint32_t at, uint32_t end) {
  constexpr std::string_view kEnd = "// end inline asm";
  uint32_t next = at;
  while (next < end && is_blank(text[next])) ++next;
  return text.substr(next, kEnd.size()) == kEnd ? past_one_trivia(text, next, end) : at;
}

// The first node, from *next on, that begins at or behind `at`.
template <class Node>
void move_to(const std::vector<Node>& nodes, uint32_t at, size_t* next) {
  const auto from = nodes.begin() + static_cast<ptrdiff_t>(*next);
  *next = static_cast<size_t>(
      std::partition_point(from, nodes.end(), [&](const Node& n) { return n.range.begin < at; }) -
      nodes.begin());
}

// Takes the blanks in front of something that goes out of the line, with the line end.
void strip_line(std::string& s) {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.pop_back();
  if (!s.empty() && s.back() == '\n') s.pop_back();
  if (!s.empty() && s.back() == '\r') s.pop_back();
}

}  // namespace

uint32_t past_trivia(std::string_view text, uint32_t at) {
  const auto end = static_cast<uint32_t>(text.size());
  while (at < end) {
    const uint32_t past = past_one_trivia(text, at, end);
    if (past == at) break;
    at = past;
  }
  return at;
}

uint32_t past_colon(std::string_view text, uint32_t at) { return past_trivia(text, at) + 1; }

Gap read_gap(const ptx::Module& m, const ptx::Function& f, uint32_t begin, uint32_t end,
             size_t* next_mark, size_t* next_label) {
  const std::string_view text = m.text();
  Gap g;
  g.trail_end = begin;
  g.lead_begin = begin;
  bool in_trail = true;
  move_to(f.line_marks, begin, next_mark);
  move_to(f.labels, begin, next_label);
  for (uint32_t at = begin; at < end;) {
    if (const uint32_t past = past_one_trivia(text, at, end); past != at) {
      if (in_trail && (text[at] == '\n' || text[at] == '\r')) {
        // What closes an inline asm statement goes with its last instruction.
        if (const uint32_t close = past_asm_end(text, at, end); close != at) {
          at = g.trail_end = g.lead_begin = close;
          continue;
        }
        in_trail = false;
      }
      if (in_trail) {
        g.trail_end = g.lead_begin = past;
      } else {
        g.lead.append(text.substr(at, past - at));
      }
      at = past;
      continue;
    }
    if (in_trail) in_trail = false;
    strip_line(g.lead);
    if (*next_mark < f.line_marks.size() && f.line_marks[*next_mark].range.begin == at) {
      g.marks.push_back(static_cast<uint32_t>(*next_mark));
      at = f.line_marks[(*next_mark)++].range.end;
    } else if (*next_label < f.labels.size() && f.labels[*next_label].range.begin == at) {
      g.labels.push_back(static_cast<uint32_t>(*next_label));
      at = past_colon(text, f.labels[(*next_label)++].range.end);
    } else {
      g.other = true;
      return g;
    }
    g.lead_begin = at;
  }
  return g;
}

}  // namespace pitot::transform
