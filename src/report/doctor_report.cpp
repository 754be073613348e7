// Text and JSON of doctor.
#include "report/doctor_report.h"

#include <fmt/format.h>

#include "report/json.h"

namespace pitot::report {
namespace {

size_t forms(const Doctor& d) {
  size_t n = 0;
  for (const auto& [name, count] : d.instructions) n += count;
  return n;
}

std::string ptx_version(uint16_t v) { return fmt::format("{}.{}", v / 10, v % 10); }

}  // namespace

std::string doctor_json(const Doctor& d) {
  Json items = Json::array(), instructions = Json::object();
  for (const auto& i : d.items)
    items.push_back(
        Json{{"name", i.name}, {"found", i.found}, {"detail", i.detail}, {"used_for", i.used_for}});
  for (const auto& [name, count] : d.instructions) instructions[name] = count;
  Json j = Json{{"schema", "pitot.doctor/1"},
                {"version", d.version},
                {"items", std::move(items)},
                {"ptxas_targets", d.ptxas_targets},
                {"newest_ptx", d.newest_ptx == 0 ? Json(nullptr) : Json(ptx_version(d.newest_ptx))},
                {"gpus", d.gpus},
                {"instructions", std::move(instructions)}};
  if (d.spellings != 0)
    j["emulator"] = Json{{"spellings", d.spellings},
                         {"executed", d.executed},
                         {"not_executed", d.not_executed},
                         {"untried", d.untried}};
  if (d.files != 0) {
    Json missing = Json::array();
    for (const auto& m : d.file_missing)
      missing.push_back(Json{{"spelling", m.spelling}, {"count", m.count}, {"first", m.first}});
    j["files"] = Json{{"files", d.files},
                      {"instructions", d.file_instructions},
                      {"executed", d.file_executed},
                      {"not_executed", std::move(missing)}};
  }
  return dump(j);
}

std::string doctor_text(const Doctor& d, const TextStyle& style, bool list_instructions) {
  std::string out = "pitot " + d.version + "\n";
  for (const auto& i : d.items) {
    std::string mark =
        i.found ? ink(style, Ink::kGood, "found  ") : ink(style, Ink::kFaint, "missing");
    out += fmt::format("{}  {:<8} {}\n", mark, i.name, i.detail);
    if (!i.found) out += fmt::format("                  needed for: {}\n", i.used_for);
  }
  if (!d.ptxas_targets.empty()) {
    out += "ptxas assembles for";
    for (const auto& t : d.ptxas_targets) out += " " + t;
    if (d.newest_ptx != 0) out += fmt::format("; PTX up to {}", ptx_version(d.newest_ptx));
    out += "\n";
  }
  out += fmt::format("GPU table: {} chips; instruction table: {} instructions, {} forms\n", d.gpus,
                     d.instructions.size(), forms(d));
  if (list_instructions)
    for (const auto& [name, count] : d.instructions)
      out += fmt::format("  {:<20} {} form{}\n", name, count, count == 1 ? "" : "s");
  if (d.spellings != 0) {
    out += fmt::format(
        "the emulator executes {} of {} example spellings (each modifier of each form); these "
        "fault "
        "with their name:\n",
        d.executed, d.spellings);
    for (const auto& s : d.not_executed) out += "  " + s + "\n";
    if (!d.untried.empty()) {
      out += "no example was made of:\n";
      for (const auto& s : d.untried) out += "  " + s + "\n";
    }
  }
  if (d.files != 0) {
    out += fmt::format("of the instructions of {} file{} the emulator executes {} of {} ({:.2f} %)",
                       d.files, d.files == 1 ? "" : "s", d.file_executed, d.file_instructions,
                       d.file_instructions == 0 ? 100.0
                                                : 100.0 * static_cast<double>(d.file_executed) /
                                                      static_cast<double>(d.file_instructions));
    out += d.file_missing.empty() ? "\n" : "; these fault with their name:\n";
    for (const auto& m : d.file_missing)
      out += fmt::format("  {:>6}  {:<40} {}\n", m.count, m.spelling, m.first);
  }
  out += "verify, print, inspect, features, diff and gate need none of the above tools.\n";
  return out;
}

}  // namespace pitot::report
