// Measured variants of kernels with their features: what models learn from and are judged by. Read
// from the two CSV files of each family (docs/predict.md has the columns).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/hash.h"
#include "support/result.h"
#include "support/source.h"

namespace pitot::predict {

// One variant at one size on one GPU. Times in microseconds of one launch; NaN where none is.
struct DataRow {
  std::string family, variant, size;
  std::map<std::string, std::string> parameters;  // without the columns' "p_"
  std::string ptx_hash, target, compiler, gpu, driver, protocol, tool;
  std::string status;  // "ok", or what stopped it: "launch_failed", "compile_failed", …
  std::array<uint32_t, 3> grid{0, 0, 0}, block{0, 0, 0};  // 0: not known
  uint32_t dynamic_shared = 0;                            // bytes
  double median_us = 0, lo_us = 0, hi_us = 0;             // lo and hi: the 95 % interval
  double noise = 0;                                       // relative half width; NaN: not known
  std::map<std::string, double> others;  // further targets that were measured, by column
  bool measured() const { return status == "ok" && median_us > 0; }
};

// The further targets that a data set may have, by the names of their columns.
struct OtherTarget {
  std::string_view name, unit;
};
std::span<const OtherTarget> other_targets();

// Columns of another source than the feature schema, which was trained itself: what it says of a
// row depends on the rows that it learned from, so there is one part for each split.
struct ExtraColumns {
  struct Part {
    std::vector<double> values;  // rows of the data set × names; NaN: not known
    std::vector<bool> learned;   // whether the source has learned from the row
  };
  std::string group;                  // "graph"
  std::vector<std::string> names;     // "graph.c0"
  std::map<std::string, Part> parts;  // by the name of the split: "fold 1 of 5"
  bool empty() const { return names.empty(); }
};

struct Dataset {
  std::vector<std::string> columns;  // of the features
  std::vector<DataRow> rows;
  std::vector<double> features;  // rows × columns; NaN: not known
  ExtraColumns extra;            // none: no names
  Hash128 content;               // of the files, whatever their order
  std::vector<std::string> files, notes;

  std::span<const double> feature_row(size_t row) const {
    return {features.data() + row * columns.size(), columns.size()};
  }
  std::optional<size_t> column(std::string_view name) const;
  // Rows that are compared with one another: of one family, size, GPU; in order of the rows. Only
  // measured ones.
  std::vector<std::vector<size_t>> groups() const;
  std::vector<std::string> families() const;  // sorted
  Dataset subset(std::span<const size_t> rows) const;
  // With the extra columns of a split behind the others, and no parts. Errors (kInput): there is no
  // such part, or its source has learned from one of `tested`.
  Result<Dataset> with_extra(const std::string& split, std::span<const size_t> tested) const;
  Dataset without_extra() const;
};

struct DataProblems {
  Diagnostics rows, features;
};

// Adds the rows of a family's two files to `data`; complaints are located: a missing column, a
// number that is none, a time or an interval that cannot be, the same variant twice, a measured
// variant without features, columns that differ from those that are there. Suspicions (an interval
// of no width, a time in another unit than the rest of the family) go to `notes`.
void add_source(const SourceText& rows, const SourceText& features, Dataset& data,
                DataProblems& problems);

// Adds columns to the rows that are there: a CSV of `split`, `family`, `variant`, where it matters
// `size`, `learned` (0 or 1), and a number a column. Complaints are located: a missing column, a
// number that is none, the same row of a split twice, a row that the data does not have.
void add_extra(const SourceText& source, const std::string& group, Dataset& data,
               Diagnostics& problems);

}  // namespace pitot::predict
