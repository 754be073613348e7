// A page's blocks as HTML. All text is escaped here and nowhere else.
#pragma once

#include <string>

#include "report/page_model.h"

namespace pitot::report::page {

std::string facts_html(const Facts& facts);
// Sorted by the page's script; complete without it.
std::string table_html(const Table& table);
std::string notes_html(const Notes& notes);
// A frame with its data in an attribute, hidden until the script draws; empty without data.
std::string chart_html(const Chart& chart);
// "good", "bad", …; empty for kPlain: classes of the style sheet and colours of the script.
const char* tone_name(Tone tone);

}  // namespace pitot::report::page
