// Which reader a file is for, by its schema.
#include <fmt/format.h>

#include <algorithm>

#include "report/page_curve.h"
#include "report/page_report.h"
#include "report/page_sections.h"
#include "report/page_words.h"
#include "support/source.h"

namespace pitot::report {
namespace page {
namespace {

struct Reader {
  std::string_view schema, title;
  void (*read)(const Node& root, Section& out);
};
constexpr Reader kReaders[] = {
    {"pitot.bench/1", "Benchmark", read_bench},
    {"pitot.check/1", "Check", read_check},
    {"pitot.compare/1", "Comparison", read_compare},
    {"pitot.gate/1", "Gate", read_gate},
    {"pitot.learn-eval/1", "Policies compared", read_learn_eval},
    {"pitot.learn-folds/1", "Training by folds", read_learn_folds},
    {"pitot.learn-ppo/1", "PPO", read_learn_ppo},
    {"pitot.learn-table/1", "Table of programs", read_learn_table},
    {"pitot.learn-training/1", "Training", read_learn_training},
    {"pitot.measure/1", "Measurements", read_measure},
    {"pitot.optimize/1", "Optimisation", read_optimize},
    {"pitot.optimize-table/1", "Optimisations", read_optimize_table},
    {"pitot.predict/1", "Predictions", read_predict},
    {"pitot.profile/1", "Profile", read_profile},
    {"pitot.rank/1", "Ranking", read_rank},
    {"pitot.train/1", "Model", read_train},
};

constexpr size_t kDeepest = 100;  // no result of ours nests deeper

Error json_error(const std::string& path, const std::string& text, size_t byte,
                 std::string message) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: what"
  if (const size_t at = message.find(": "); at != message.npos) message.erase(0, at + 2);
  const SourceText source(path, text);
  const size_t offset = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const Position p = source.position(static_cast<uint32_t>(offset));
  return input_error(fmt::format("{}:{}:{}: no JSON: {}", path, p.line, p.column, message));
}

Result<Json> parse_json(const std::string& path, const std::string& text, size_t begin,
                        size_t end) {
  bool deep = false;
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    deep |= depth > static_cast<int>(kDeepest);
    return depth <= static_cast<int>(kDeepest);
  };
  try {
    Json out = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                           text.begin() + static_cast<std::ptrdiff_t>(end), guard);
    if (deep) return input_error(path + ": nests deeper than any result of pitot");
    return out;
  } catch (const Json::parse_error& e) {
    return json_error(path, text, begin + e.byte, e.what());
  } catch (const Json::exception& e) {
    return input_error(path + ": " + e.what());
  }
}

// `measure -f jsonl`: a line a run. Anything else is one value.
bool has_many_lines(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == text.npos || text.find_first_not_of(" \t\r\n", end) == text.npos) return false;
  return Json::accept(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end));
}

Result<Json> parse_lines(const std::string& path, const std::string& text) {
  Json runs = Json::array();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (text.find_first_not_of(" \t\r", at) < end) {
      auto one = parse_json(path, text, at, end);
      if (!one) return one;
      const Json schema = one->is_object() && one->contains("schema") ? (*one)["schema"] : Json();
      if (schema != "pitot.measure/1")
        return input_error(fmt::format(
            "{}:{}: of results line by line only those of pitot.measure/1 are known", path,
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
      runs.push_back(std::move(*one));
    }
    at = end + 1;
  }
  return Json{{"schema", "pitot.measure/1"}, {"runs", std::move(runs)}};
}

std::string known_schemas() {
  std::string out;
  for (const Reader& r : kReaders) out += fmt::format("{}{}", out.empty() ? "" : ", ", r.schema);
  return out;
}

// The place of the key in the text, for a message about its value.
std::string place_of_schema(const std::string& path, const std::string& text) {
  const size_t at = text.find("\"schema\"");
  if (at == text.npos) return path;
  const Position p = SourceText(path, text).position(static_cast<uint32_t>(at));
  return fmt::format("{}:{}:{}", path, p.line, p.column);
}

}  // namespace

void add_notes(const Node& root, Section& out) {
  Notes notes;
  notes.title = "Notes";
  notes.lines = root.texts("notes");
  if (!notes.lines.empty()) out.blocks.emplace_back(std::move(notes));
}

void add_problems(const Node& root, Section& out) {
  Notes errors;
  errors.title = "Errors";
  errors.tone = Tone::kBad;
  errors.lines = root.texts("errors");
  if (!errors.lines.empty()) out.blocks.emplace_back(std::move(errors));
  Notes warnings;
  warnings.title = "Warnings";
  warnings.tone = Tone::kWarning;
  warnings.lines = root.texts("warnings");
  if (!warnings.lines.empty()) out.blocks.emplace_back(std::move(warnings));
  Table table;
  table.title = "Diagnostics";
  table.columns = {text_column("severity"), code_column("where"), text_column("message"),
                   code_column("code")};
  for (const Node& d : root.list("diagnostics")) {
    const std::string severity = d.text("severity");
    Row row;
    row.cells = {badge(severity, severity == "error"     ? Tone::kBad
                                 : severity == "warning" ? Tone::kWarning
                                                         : Tone::kNote),
                 text_cell(fmt::format("{}:{}:{}", d.text("path"), d.shown("line", " "),
                                       d.shown("column", " "))),
                 text_cell(d.text("message"), d.text("hint")), text_cell(d.text("code"))};
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
}

}  // namespace page

std::vector<std::string_view> page_schemas() {
  std::vector<std::string_view> out;
  for (const page::Reader& r : page::kReaders) out.push_back(r.schema);
  return out;
}

Result<page::Section> page_section(const std::string& path, const std::string& text) {
  using namespace page;
  if (is_curve(text)) return read_curve(path, text);
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return input_error(path + ": is empty; JSON of a verb of pitot is wanted (--format json)");
  auto json =
      has_many_lines(text) ? parse_lines(path, text) : parse_json(path, text, 0, text.size());
  if (!json) return json.error();
  if (!json->is_object() || !json->contains("schema") || !(*json)["schema"].is_string())
    return input_error(path + ": has no \"schema\": no result of pitot (--format json)");
  const std::string schema = (*json)["schema"].get<std::string>();
  const auto* reader = std::find_if(std::begin(kReaders), std::end(kReaders),
                                    [&](const Reader& r) { return r.schema == schema; });
  if (reader == std::end(kReaders))
    return input_error(fmt::format("{}: schema '{}' has no page; those that have: {}",
                                   place_of_schema(path, text), schema, known_schemas()));
  // A single line of `measure -f jsonl` is one run.
  if (schema == "pitot.measure/1" && !json->contains("runs") && json->contains("median")) {
    Json run = std::move(*json);
    *json = Json{{"schema", schema}, {"runs", Json::array({std::move(run)})}};
  }
  Section out;
  out.title = reader->title;
  out.schema = schema;
  out.path = path;
  std::string problem;
  const Node root(*json, "", problem);
  reader->read(root, out);
  add_problems(root, out);
  if (!problem.empty()) return input_error(path + ": " + problem);
  return out;
}

}  // namespace pitot::report
