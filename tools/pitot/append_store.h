// `train --append`: what a store has measured becomes rows of the data set, with their features.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

// Adds the store's measured records to FAMILY.csv and FAMILY.features.csv in the folder of the
// first of `data` (or in it, if it is one). Family and variant are those of the manifest beside a
// record's spec, else the names of the spec's folder and of the spec. What is there already stays.
// Says on standard error what was added. Errors: an unreadable store, a spec that is no longer
// there or is another now, files that are no such data.
Status append_store(const std::string& store, const std::vector<std::string>& data,
                    Options& options);

}  // namespace pitot::cli
