// What the reports of `optimize` have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/json.h"
#include "search/optimize_result.h"

namespace pitot::report {

double change_of(const search::SearchResult& s);
std::string sequence_text(const std::vector<std::string>& sequence);  // "nothing" if it is empty
// How many programs have no cost for what kind of reason: what stands before the first colon, with
// a # for every number.
std::map<std::string, size_t> failures_of(const search::SearchResult& s);
// The keys that a search has by itself and in a table.
Json optimize_facts(const search::OptimizeResult& r);

}  // namespace pitot::report
