// Extra columns from CSV, with every complaint at its place.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "predict/dataset.h"
#include "predict/numbers.h"
#include "support/csv_table.h"

namespace pitot::predict {
namespace {

// Rows of the data by family, variant and, where `sized`, size.
using Places =
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<size_t>>;

Places places_of(const Dataset& data, bool sized) {
  Places out;
  for (size_t r = 0; r < data.rows.size(); ++r) {
    const DataRow& row = data.rows[r];
    out[{row.family, row.variant, sized ? std::string_view(row.size) : ""}].push_back(r);
  }
  return out;
}

}  // namespace

void add_extra(const SourceText& source, const std::string& group, Dataset& data,
               Diagnostics& problems) {
  const CsvTable table = read_csv(source, problems);
  const auto at_start = table.header.empty() ? SourceRange{} : table.header[0].range;
  std::map<std::string_view, size_t> key;
  for (std::string_view name : {"split", "family", "variant", "learned"}) {
    if (const auto c = table.column(name))
      key[name] = *c;
    else
      problems.error("extra-column", at_start, fmt::format("there is no column '{}'", name));
  }
  if (key.size() < 4) return;
  const auto size = table.column("size");
  ExtraColumns extra;
  extra.group = group;
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c].text;
    if (key.contains(name) || name == "size") continue;
    columns.push_back(c);
    extra.names.push_back(group + "." + name);
  }
  if (columns.empty())
    problems.error("extra-column", at_start, "there are no columns but those that name rows");
  const Places places = places_of(data, size.has_value());
  std::map<std::string, std::vector<bool>> there;  // by split: the rows that have been read
  for (const auto& row : table.rows) {
    const std::string &family = row[key["family"]].text, &variant = row[key["variant"]].text,
                      &split = row[key["split"]].text, &learned = row[key["learned"]].text;
    const auto of = places.find({family, variant, size ? row[*size].text : ""});
    if (of == places.end()) {
      problems.error("extra-row", row[key["variant"]].range,
                     fmt::format("the data has no row of {} {}{}", family, variant,
                                 size ? " at size " + row[*size].text : ""));
      continue;
    }
    if (learned != "0" && learned != "1") {
      problems.error("extra-learned", row[key["learned"]].range,
                     fmt::format("learned: '{}' is neither 0 nor 1", learned));
      continue;
    }
    ExtraColumns::Part& part = extra.parts[split];
    std::vector<bool>& seen = there[split];
    if (seen.empty()) {
      seen.resize(data.rows.size());
      part.learned.resize(data.rows.size());
      part.values.assign(data.rows.size() * columns.size(), kUnknownValue);
    }
    if (seen[of->second[0]]) {
      problems.error("extra-twice", row[key["variant"]].range,
                     fmt::format("{} {} is there twice in split '{}'", family, variant, split));
      continue;
    }
    for (size_t c = 0; c < columns.size(); ++c) {
      const CsvField& f = row[columns[c]];
      const auto v = f.text.empty() ? std::optional<double>(kUnknownValue) : csv_number(f.text);
      if (!v)
        problems.error("extra-number", f.range,
                       fmt::format("{}: '{}' is no number", table.header[columns[c]].text, f.text));
      for (const size_t r : of->second)
        part.values[r * columns.size() + c] = v.value_or(kUnknownValue);
    }
    for (const size_t r : of->second) {
      seen[r] = true;
      part.learned[r] = learned == "1";
    }
  }
  data.extra = std::move(extra);
  const Hash128 h = combine(hash_bytes(source.text()), hash_bytes(group));
  data.content.high += h.high;
  data.content.low += h.low;
  data.files.push_back(source.path());
}

}  // namespace pitot::predict
