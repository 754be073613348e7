// What a report page consists of, in plain data: between the readers of JSON and the writer of
// HTML.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pitot::report::page {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

enum class Tone { kPlain, kSoft, kGood, kWarning, kBad, kNote };

// A piece of a bar inside a cell; `share` of the cell's width, 0 to 1.
struct Part {
  double share = 0;
  std::string label;
  Tone tone = Tone::kNote;
};

struct Cell {
  std::string text;
  double key = kUnknown;  // what a column of numbers is sorted by; unknown ones go last
  std::string note;       // small, after the text: an interval, a reason
  Tone tone = Tone::kPlain;
  bool badge = false;
  std::vector<Part> parts;
};

struct Column {
  enum class Kind { kText, kCode, kSource, kNumber };
  std::string name;
  Kind kind = Kind::kText;
  std::string help;  // what the figures are; a tooltip
};

struct Row {
  std::vector<Cell> cells;
  Tone mark = Tone::kPlain;
  bool hottest = false;  // the one to look at
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool folded = false;  // closed until it is asked for
  std::string note;     // a sentence below the title
};

struct Facts {
  std::vector<std::pair<std::string, std::string>> items;  // name, value; empty values are left out
  void add(std::string name, std::string value) {
    if (!value.empty()) items.emplace_back(std::move(name), std::move(value));
  }
};

struct Notes {
  std::string title;
  std::vector<std::string> lines;
  Tone tone = Tone::kPlain;
};

// Values that are not known are NaN. `low` and `high` are empty or as long as `values`.
struct Series {
  std::string name;
  std::vector<double> values, low, high;
  Tone tone = Tone::kPlain;
};

struct Chart {
  enum class Kind { kBars, kStack, kLines, kDots, kHistogram };
  // kPercent: shares of 1. kRatio: logarithms to base 2, shown as ratios.
  enum class Scale { kPlain, kPercent, kRatio };
  Kind kind = Kind::kBars;
  std::string title, x, y;  // of the axes, with units
  // Of kLines: numbers, `at`. Of a histogram: `at` has the bins' edges, one more than values.
  std::vector<std::string> labels;
  std::vector<double> at;
  std::vector<Series> series;
  bool sideways = false;        // labels on the left
  Scale scale = Scale::kPlain;  // of the values; of a histogram, of its edges
  double middle = kUnknown;     // of a histogram: its median and the interval of that
  double low = kUnknown, high = kUnknown;
  double reference = kUnknown;  // a line at this value
};

using Block = std::variant<Facts, Table, Chart, Notes>;

struct Section {
  std::string title, schema, path;
  std::string verdict;  // a word or two; may be empty
  Tone tone = Tone::kPlain;
  std::vector<Block> blocks;
};

}  // namespace pitot::report::page
