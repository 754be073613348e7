// Data sets for the verbs: the families' files, their complaints printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "predict/dataset.h"

namespace pitot::cli {

// FAMILY.csv with FAMILY.features.csv beside it; of a directory, every such pair in it (not below).
// Nothing after errors, which are printed; exit code 2.
std::optional<predict::Dataset> read_data(const std::vector<std::string>& paths, Options& options);

// Adds the extra columns of "GROUP=FILE" to the data. False after errors, which are printed; exit
// code 2.
bool add_extra_columns(const std::string& text, predict::Dataset& data, Options& options);

// "a/gemm.csv" → "a/gemm.features.csv"
std::string features_path(const std::string& rows);

}  // namespace pitot::cli
