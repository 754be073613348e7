#include "report/page_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escape.h"

namespace pitot::report::page {
namespace {

constexpr size_t kLongTable = 18;  // rows that still fit on a screen
constexpr size_t kShortText = 28;  // characters that stay on one line

std::string parts_html(const std::vector<Part>& parts) {
  std::string out = "<span class=\"bar\" aria-hidden=\"true\">";
  for (const Part& p : parts)
    out += fmt::format("<i class=\"{}\" style=\"width:{:.2f}%\"{}></i>", tone_name(p.tone),
                       std::clamp(100 * p.share, 0.0, 100.0),
                       p.label.empty() ? "" : " title=\"" + xml_escape(p.label) + "\"");
  return out + "</span>";
}

// Characters of UTF-8.
size_t length_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// A long name may break behind its separators, and looks the same when it is copied.
std::string name_html(const std::string& name) {
  std::string out, part;
  const auto end_part = [&] {
    out += xml_escape(part);
    part.clear();
  };
  for (const char c : name) {
    part += c;
    if (c != '/' && c != '_' && c != '.' && c != ',' && c != ':') continue;
    end_part();
    out += "<wbr>";
  }
  end_part();
  return out;
}

// `note_width`: of the column's notes, in characters; as wide in every row, figures are in line.
std::string cell_html(const Cell& c, Column::Kind kind, bool head, size_t note_width) {
  const bool number = kind == Column::Kind::kNumber;
  const bool is_short = length_of(c.text) <= kShortText;
  std::string classes = number                          ? "n"
                        : kind == Column::Kind::kCode   ? "c"
                        : kind == Column::Kind::kSource ? "s"
                                                        : "";
  if (c.tone != Tone::kPlain && !c.badge)
    classes += fmt::format("{}{}", classes.empty() ? "" : " ", tone_name(c.tone));
  if (!c.parts.empty()) classes += " b";
  if (!number && kind != Column::Kind::kSource && is_short && c.parts.empty()) classes += " k";
  std::string out = head ? "<th scope=\"row\"" : "<td";
  if (!classes.empty()) out += fmt::format(" class=\"{}\"", classes);
  if (number && std::isfinite(c.key)) out += fmt::format(" data-k=\"{}\"", c.key);
  out += '>';
  if (!c.parts.empty()) out += parts_html(c.parts);
  const std::string text =
      kind == Column::Kind::kCode && !is_short ? name_html(c.text) : xml_escape(c.text);
  out += c.badge ? fmt::format("<span class=\"tag {}\">{}</span>", tone_name(c.tone), text)
         : c.parts.empty() || text.empty() ? text
                                           : "<small>" + text + "</small>";
  if (number && note_width > 0)
    out += fmt::format("<small style=\"width:{:.1f}ch\">{}</small>",
                       0.95 * static_cast<double>(note_width), xml_escape(c.note));
  else if (!c.note.empty())
    out += fmt::format(" <small>{}</small>",
                       kind == Column::Kind::kCode ? name_html(c.note) : xml_escape(c.note));
  return out + (head ? "</th>" : "</td>");
}

// A first column of names heads its rows.
bool has_names(const Table& t) {
  return !t.columns.empty() && t.columns[0].kind == Column::Kind::kCode;
}

}  // namespace

const char* tone_name(Tone tone) {
  switch (tone) {
    case Tone::kSoft:
      return "soft";
    case Tone::kGood:
      return "good";
    case Tone::kWarning:
      return "warn";
    case Tone::kBad:
      return "bad";
    case Tone::kNote:
      return "note";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::string facts_html(const Facts& facts) {
  if (facts.items.empty()) return {};
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts.items)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", xml_escape(name), xml_escape(value));
  return out + "</dl>\n";
}

std::string notes_html(const Notes& notes) {
  std::string out = fmt::format("<div class=\"notes {}\">", tone_name(notes.tone));
  if (!notes.title.empty()) out += fmt::format("<h3>{}</h3>", xml_escape(notes.title));
  out += "<ul>\n";
  for (const std::string& line : notes.lines) out += "<li>" + xml_escape(line) + "</li>\n";
  return out + "</ul></div>\n";
}

std::string table_html(const Table& t) {
  const std::string title = xml_escape(t.title);
  std::string out = t.folded
                        ? "<details class=\"block\"><summary><h3>" + title + "</h3></summary>\n"
                        : "<div class=\"block\"><h3>" + title + "</h3>\n";
  const char* end = t.folded ? "</details>\n" : "</div>\n";
  if (!t.note.empty()) out += "<p class=\"about\">" + xml_escape(t.note) + "</p>\n";
  if (t.rows.empty()) return out + "<p class=\"about\">None.</p>\n" + end;
  const bool source = std::any_of(t.columns.begin(), t.columns.end(),
                                  [](const Column& c) { return c.kind == Column::Kind::kSource; });
  out += fmt::format(
      "<div class=\"scroll{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table{}>\n"
      "<thead><tr>",
      t.rows.size() > kLongTable ? " long" : "", title, source ? " class=\"source\"" : "");
  for (const Column& c : t.columns)
    out += fmt::format(
        "<th scope=\"col\"{}{}>{}</th>", c.kind == Column::Kind::kNumber ? " class=\"n\"" : "",
        c.help.empty() ? "" : " title=\"" + xml_escape(c.help) + "\"", xml_escape(c.name));
  out += "</tr></thead>\n<tbody>\n";
  std::vector<size_t> note_widths(t.columns.size(), 0);
  for (const Row& r : t.rows)
    for (size_t i = 0; i < r.cells.size() && i < t.columns.size(); ++i)
      note_widths[i] = std::max(note_widths[i], length_of(r.cells[i].note));
  for (const Row& r : t.rows) {
    std::string classes = r.hottest ? "hot" : tone_name(r.mark);
    out += classes.empty() ? "<tr>" : "<tr class=\"" + classes + "\">";
    for (size_t i = 0; i < r.cells.size() && i < t.columns.size(); ++i)
      out += cell_html(r.cells[i], t.columns[i].kind, i == 0 && has_names(t), note_widths[i]);
    if (r.hottest) {
      // Said in words too: colour alone tells not everybody.
      out.erase(out.rfind("</td>"));
      out += " <span class=\"tag bad\">hottest</span></td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n" + end;
}

}  // namespace pitot::report::page
