// Adding measured variants to a family's two files, whose other columns stay as they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "predict/row_features.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::predict {

// Fields by column; columns that the file does not have are left out, and those it has beyond are
// empty.
struct NewRow {
  std::map<std::string, std::string> fields;  // family, variant, size, gpu, status, median_us, …
  FeatureRow features;
};

struct AppendedText {
  std::string rows, features;   // the files' new contents
  size_t added = 0, known = 0;  // known: rows that were there already, which stay
};

// `rows` and `features` are the files as they are; empty texts for a family that has none: they get
// the standard columns and those that the first row has. Complaints are located in them: no CSV,
// features of another schema.
AppendedText append_rows(const SourceText& rows, const SourceText& features,
                         const std::vector<NewRow>& added, Diagnostics& row_problems,
                         Diagnostics& feature_problems);

}  // namespace pitot::predict
