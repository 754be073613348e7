// One self-contained HTML page out of pitot's own results: JSON by its schema, learning curves as
// CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/page_model.h"
#include "support/result.h"

namespace pitot::report {

// What can be read: "pitot.bench/1", …
std::vector<std::string_view> page_schemas();

// One file's section. Errors name the path, and the line or the JSON pointer where it is wrong.
Result<page::Section> page_section(const std::string& path, const std::string& text);

struct PageHead {
  std::string title;
  std::string maker;  // "pitot 0.1.0"
};
// `chart_library`: JavaScript that defines Chart (chart_library_text()), empty: tables only.
std::string page_html(const PageHead& head, const std::vector<page::Section>& sections,
                      std::string_view chart_library);

}  // namespace pitot::report
