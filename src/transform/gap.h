// What stands between two statements: blanks and comments, .loc marks, labels, or something else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace pitot::transform {

struct Gap {
  bool other = false;  // text that has to stay where it is: braces, declarations, directives
  std::vector<uint32_t> marks;   // into Function::line_marks
  std::vector<uint32_t> labels;  // into Function::labels
  uint32_t trail_end = 0;        // up to here comments belong to the statement in front
  std::string lead;              // blanks and comments of the statement behind
  uint32_t lead_begin = 0;       // where these begin in the text; behind marks and labels if there
                                 // are any
};

// Past the blanks and comments at `at`.
uint32_t past_trivia(std::string_view text, uint32_t at);
// Behind the colon of a label whose name ends at `at`.
uint32_t past_colon(std::string_view text, uint32_t at);

// Of the text [begin, end) of a body. Marks and labels are looked for by their ranges, from
// *next_mark and *next_label on, which move past them.
Gap read_gap(const ptx::Module& m, const ptx::Function& f, uint32_t begin, uint32_t end,
             size_t* next_mark, size_t* next_label);

}  // namespace pitot::transform
