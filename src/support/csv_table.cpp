#include "support/csv_table.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace pitot {
namespace {

class CsvReader {
 public:
  CsvReader(const SourceText& source, Diagnostics& out) : text_(source.text()), out_(out) {}

  // False at the end of the text.
  bool row(std::vector<CsvField>& fields) {
    fields.clear();
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
    if (at_ >= text_.size()) return false;
    for (;;) {
      fields.push_back(field());
      if (at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    return true;
  }

  void skip_mark() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

 private:
  CsvField field() {
    const size_t begin = at_;
    CsvField f;
    if (at_ < text_.size() && text_[at_] == '"') {
      quoted(f.text);
    }
    const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    if (begin != at_ && end != at_)
      out_.error("csv-quote", range(at_, end), "text after the closing quote");
    f.text += text_.substr(at_, end - at_);
    at_ = end;
    f.range = range(begin, end);
    return f;
  }

  void quoted(std::string& out) {
    const size_t begin = at_++;
    while (at_ < text_.size()) {
      if (text_[at_] != '"') {
        out += text_[at_++];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out += '"';
        at_ += 2;
      } else {
        ++at_;
        return;
      }
    }
    out_.error("csv-quote", range(begin, begin + 1), "this quote is never closed");
  }

  static SourceRange range(size_t begin, size_t end) {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  std::string_view text_;
  Diagnostics& out_;
  size_t at_ = 0;
};

}  // namespace

std::optional<size_t> CsvTable::column(std::string_view name) const {
  for (size_t i = 0; i < header.size(); ++i)
    if (header[i].text == name) return i;
  return std::nullopt;
}

CsvTable read_csv(const SourceText& source, Diagnostics& out) {
  CsvTable table;
  CsvReader reader(source, out);
  reader.skip_mark();
  if (!reader.row(table.header)) {
    out.error("csv-empty", {}, "the file has no header line");
    return table;
  }
  std::set<std::string_view> names;
  for (const CsvField& f : table.header)
    if (!names.insert(f.text).second)
      out.error("csv-duplicate", f.range, fmt::format("column '{}' is there twice", f.text));
  std::vector<CsvField> fields;
  while (reader.row(fields)) {
    if (fields.size() == table.header.size())
      table.rows.push_back(std::move(fields));
    else
      out.error("csv-width", {fields.front().range.begin, fields.back().range.end},
                fmt::format("{} fields under a header of {}", fields.size(), table.header.size()));
  }
  return table;
}

std::optional<double> csv_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || r.ec != std::errc{} || r.ptr != text.data() + text.size())
    return std::nullopt;
  return v;
}

}  // namespace pitot
