// Diagnostics as a compiler prints them: position, message, the source line, a caret, the hint.
#pragma once

#include <string>
#include <string_view>

#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::report {

// How text output looks. Whether to colour is decided once, by the caller (see want_colour).
struct TextStyle {
  bool colour = false;
  bool source_line = true;  // show the line and the caret
  unsigned width = 100;     // columns for a source line; a longer line is cut around the caret
};

// When to colour: `choice` "always" and "never" win, then NO_COLOR (set and not empty: never),
// then whether the output is a terminal. Pass getenv("NO_COLOR"), which may be null.
bool want_colour(std::string_view choice, const char* no_color, bool is_terminal);

enum class Ink : uint8_t { kPlain, kBold, kError, kWarning, kNote, kGood, kFaint };
// `text` in that ink, or unchanged when the style has no colour.
std::string ink(const TextStyle& style, Ink kind, std::string_view text);

// One diagnostic, ending in a newline:
//   k.ptx:12:5: error: cvt.…e4m3x2.f32 needs .version 8.1 [version-too-low]
//      12 |     cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;
//         |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
//         = hint: raise .version to 8.1
// An empty range at offset 0 of a text (or an empty text) prints the path alone.
std::string format_diagnostic(const SourceText& source, const Diagnostic& diagnostic,
                              const TextStyle& style);

// All of them in the order given, then how many were dropped by the limit.
std::string format_diagnostics(const SourceText& source, const Diagnostics& diagnostics,
                               const TextStyle& style);

// "2 errors, 1 warning"; "no problems" when there is none.
std::string count_text(size_t errors, size_t warnings);

// The excerpt alone: source line and caret, each with its gutter and newline; empty for a line
// that does not exist. Tabs are widened, control bytes and invalid UTF-8 shown as "?".
std::string format_excerpt(const SourceText& source, SourceRange range, const TextStyle& style,
                           Ink caret);

}  // namespace pitot::report
