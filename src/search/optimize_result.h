// What `pitot optimize` did, in plain data: for reports.
#pragma once

#include <string>
#include <vector>

#include "search/search_result.h"

namespace pitot::search {

// A program that the search found and the check did not confirm.
struct RejectedProgram {
  std::vector<std::string> sequence;
  std::string reason;
};

struct OptimizeResult {
  std::string name, group;      // of its launch in a list; the log's name; may be empty
  std::string path, kernel;     // of the spec; the entry
  std::string policy;           // "greedy", …; of a policy its file
  std::string cost, unit, gpu;  // "emu", "us", "H200"
  std::string protocol;         // of a measured cost: how; empty: it is modelled
  std::string size;             // "n=4096"
  std::string error;            // why there was no search; nothing else is known then
  SearchResult search;
  bool judged = true;             // false: a policy chose, and nothing was asked for its cost
  std::vector<PolicyStep> steps;  // of a policy's likeliest sequence
  bool checked = true;            // it was compared with the original by a check, where it differs
  // The output computes the same as the original by a check, or is the original.
  bool verified = true;
  std::vector<RejectedProgram> rejected;  // in the order of tries
  std::string output;                     // the file that was written; empty: none
  uint64_t measured = 0;                  // programs that went to a GPU
  double drift = 0;    // slowest measurement of the original by the fastest − 1
  double seconds = 0;  // that search and check took
  std::vector<std::string> warnings;
};

}  // namespace pitot::search
