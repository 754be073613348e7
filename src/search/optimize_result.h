// What `pitot optimize` did, in plain data: for reports.
#pragma once

#include <string>
#include <vector>

#include "search/search_result.h"

namespace pitot::search {

struct OptimizeResult {
  std::string path, kernel;     // of the spec; the entry
  std::string policy;           // "greedy", …
  std::string cost, unit, gpu;  // "emu", "us", "H200"
  std::string size;             // "n=4096"
  SearchResult search;
  // The output computes the same as the original by a check, or is the original.
  bool verified = true;
  std::vector<std::string> rejected;  // what the search found, where the check did not confirm it
  std::string reason;                 // of that
  std::string output;                 // the file that was written; empty: none
};

}  // namespace pitot::search
