// Reading CSV as RFC 4180 has it: a header, then rows of as many fields, each knowing its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot {

struct CsvField {
  std::string text;  // without quotes
  SourceRange range;
};

struct CsvTable {
  std::vector<CsvField> header;
  std::vector<std::vector<CsvField>> rows;  // each as long as the header

  std::optional<size_t> column(std::string_view name) const;
};

// Complaints (csv-quote, csv-width, csv-duplicate, csv-empty) go to `out`; a row of the wrong width
// is left out. Blank lines are skipped, as is a byte order mark.
CsvTable read_csv(const SourceText& source, Diagnostics& out);

// The whole field as a number; nothing for text that is none. Takes "nan" and "inf".
std::optional<double> csv_number(std::string_view text);

}  // namespace pitot
