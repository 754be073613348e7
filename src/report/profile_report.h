// Text, JSON, CSV and HTML of `profile`.
#pragma once

#include <string>
#include <vector>

#include "profile/profile_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

struct ProfileView {
  bool in_order = false;  // lines as they stand in the text, else the dearest first
  size_t most = 24;       // lines shown; 0: all
};

// An annotated listing under a summary of what binds.
std::string profile_text(const profile::ProfileResult& result, const ProfileView& view,
                         const TextStyle& style);

// {schema, kernel, …, lines, totals, bounds} of the first run, and `runs` with the same of each;
// the outer `ok` is of all.
std::string profile_json(const std::vector<profile::ProfileResult>& results);

// A row a line, a `total` row at the end of each run.
std::string profile_csv(const std::vector<profile::ProfileResult>& results);

std::string profile_html(const std::vector<profile::ProfileResult>& results);

// "1.2M": at most four characters and a unit, for columns.
std::string short_number(double n);
// "launch of 64x64 blocks of 16x16 …": the first lines of text and page.
std::string profile_headline(const profile::ProfileResult& result);
// Faults as `run` prints them.
std::string profile_faults(const profile::ProfileResult& result);

}  // namespace pitot::report
