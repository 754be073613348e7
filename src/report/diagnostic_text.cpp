// Diagnostics as text.
#include "report/diagnostic_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pitot::report {

namespace {

constexpr unsigned kTabWidth = 4;

std::string_view escape_of(Ink kind) {
  switch (kind) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kError:
      return "\x1b[1;31m";
    case Ink::kWarning:
      return "\x1b[1;35m";
    case Ink::kNote:
      return "\x1b[1;36m";
    case Ink::kGood:
      return "\x1b[1;32m";
    case Ink::kFaint:
      return "\x1b[2m";
  }
  return "";
}

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return Ink::kNote;
    case Severity::kWarning:
      return Ink::kWarning;
    case Severity::kError:
      return Ink::kError;
  }
  return Ink::kError;
}

// Bytes of the valid UTF-8 sequence at `at`, or 0. Control characters count as invalid.
size_t sequence_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(at);
  if (lead < 0x20 || lead == 0x7f) return 0;
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (lead >= 0xf5 || length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  return length;
}

// A source line as it is shown: one entry a display column, and the column of each byte asked for.
struct ShownLine {
  std::vector<std::string_view> cells;
  size_t caret_begin = 0, caret_end = 0;
};

// Only a window of the line is laid out, so that a half-megabyte line costs no more than another.
ShownLine lay_out(std::string_view line, size_t begin, size_t end, unsigned width) {
  size_t first = 0;
  if (begin > size_t{width} * 4) first = begin - size_t{width} * 4;
  size_t last = std::min(line.size(), begin + size_t{width} * 4);
  ShownLine shown;
  size_t at = first;
  while (at < last) {
    if (at <= begin) shown.caret_begin = shown.cells.size();
    if (at < end) shown.caret_end = shown.cells.size() + 1;
    if (line[at] == '\t') {
      do shown.cells.push_back(" ");
      while (shown.cells.size() % kTabWidth != 0);
      ++at;
      continue;
    }
    size_t length = sequence_length(line, at);
    shown.cells.push_back(length == 0 ? std::string_view("?") : line.substr(at, length));
    at += std::max<size_t>(length, 1);
  }
  if (begin >= at) shown.caret_begin = shown.cells.size();
  shown.caret_end = std::max(shown.caret_end, shown.caret_begin + 1);
  return shown;
}

}  // namespace

bool want_colour(std::string_view choice, const char* no_color, bool is_terminal) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  if (no_color != nullptr && *no_color != 0) return false;
  return is_terminal;
}

std::string ink(const TextStyle& style, Ink kind, std::string_view text) {
  if (!style.colour || kind == Ink::kPlain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape_of(kind), text);
}

std::string format_excerpt(const SourceText& source, SourceRange range, const TextStyle& style,
                           Ink caret) {
  if (source.text().empty()) return {};
  Position position = source.position(range.begin);
  std::string_view line = source.line(position.line);
  if (line.empty()) return {};
  size_t begin = position.column - 1;
  size_t end =
      std::min<size_t>(line.size(), begin + std::max(range.end, range.begin + 1) - range.begin);
  unsigned width = std::max(style.width, 20u);
  ShownLine shown = lay_out(line, begin, end, width);

  size_t from = 0;
  if (shown.cells.size() > width && shown.caret_begin > width / 2) {
    from = shown.caret_begin - width / 2;
  }
  size_t to = std::min(shown.cells.size(), from + width);
  bool cut_left = from > 0 || begin > size_t{width} * 4;
  bool cut_right = to < shown.cells.size() || line.size() > begin + size_t{width} * 4;

  std::string text;
  for (size_t i = from; i < to; ++i) text += shown.cells[i];
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::string mark(shown.caret_begin - from, ' ');
  std::string arrow = "^";
  size_t caret_end = std::min(shown.caret_end, std::max(to, shown.caret_begin + 1));
  arrow.append(caret_end - shown.caret_begin - 1, '~');

  std::string gutter = fmt::format("{:>6} | ", position.line);
  std::string blank = "       | ";
  std::string_view left = cut_left ? "…" : "";
  std::string_view left_pad = cut_left ? " " : "";
  return fmt::format("{}{}{}{}\n{}{}{}{}\n", ink(style, Ink::kFaint, gutter), left, text,
                     cut_right ? "…" : "", ink(style, Ink::kFaint, blank), left_pad, mark,
                     ink(style, caret, arrow));
}

std::string format_diagnostic(const SourceText& source, const Diagnostic& diagnostic,
                              const TextStyle& style) {
  bool located = !source.text().empty() && (diagnostic.range.end > 0);
  std::string place = source.path();
  if (located) {
    Position position = source.position(diagnostic.range.begin);
    place += fmt::format(":{}:{}", position.line, position.column);
  }
  std::string label = fmt::format("{}:", to_string(diagnostic.severity));
  std::string out = fmt::format("{} {} {} {}\n", ink(style, Ink::kBold, place + ":"),
                                ink(style, ink_of(diagnostic.severity), label),
                                ink(style, Ink::kBold, diagnostic.message),
                                ink(style, Ink::kFaint, fmt::format("[{}]", diagnostic.code)));
  if (located && style.source_line)
    out += format_excerpt(source, diagnostic.range, style, ink_of(diagnostic.severity));
  if (diagnostic.count > 1)
    out += fmt::format("       = {} {} places; this is the first\n",
                       ink(style, Ink::kNote, "count:"), diagnostic.count);
  if (!diagnostic.hint.empty())
    out += fmt::format("       = {} {}\n", ink(style, Ink::kNote, "hint:"), diagnostic.hint);
  return out;
}

std::string format_diagnostics(const SourceText& source, const Diagnostics& diagnostics,
                               const TextStyle& style) {
  std::string out;
  for (const Diagnostic& d : diagnostics.items()) out += format_diagnostic(source, d, style);
  if (diagnostics.dropped() > 0)
    out += fmt::format("{}: {} further findings are not shown\n", source.path(),
                       diagnostics.dropped());
  return out;
}

std::string count_text(size_t errors, size_t warnings) {
  auto one = [](size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (errors == 0 && warnings == 0) return "no problems";
  if (warnings == 0) return one(errors, "error");
  if (errors == 0) return one(warnings, "warning");
  return one(errors, "error") + ", " + one(warnings, "warning");
}

}  // namespace pitot::report
