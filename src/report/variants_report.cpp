#include "report/variants_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using variants::ManifestResult;
using variants::VariantResult;

// A value as JSON: a number where its parameter has only numbers.
Json value_json(const std::string& text, bool numeric) {
  if (!numeric) return text;
  Json number = Json::parse(text, nullptr, false);
  return number.is_number_integer() ? number : Json(text);
}

Json launch_json(const variants::LaunchResult& l) {
  return Json{{"size", l.size},
              {"grid", l.grid},
              {"block", l.block},
              {"cluster", l.cluster},
              {"dynamic_shared", l.dynamic_shared}};
}

Json variant_json(const ManifestResult& m, const VariantResult& v) {
  Json parameters = Json::object();
  for (size_t i = 0; i < v.values.size(); ++i)
    parameters[m.parameters[i].name] = value_json(v.values[i], m.parameters[i].numeric);
  Json j{{"name", v.name},
         {"target", v.target},
         {"parameters", std::move(parameters)},
         {"status", v.status}};
  if (!v.message.empty()) j["message"] = v.message;
  if (v.status != "ok") return j;
  j["ptx"] = v.ptx;
  j["spec"] = v.spec;
  j["ptx_hash"] = v.ptx_hash;
  j["entry"] = v.entry;
  j["kernel"] = v.kernel;
  j["launchable"] = v.launchable;
  if (!v.launch_problem.empty()) j["launch_problem"] = v.launch_problem;
  j["registers"] = v.registers;
  j["registers_estimated"] = v.registers_estimated;
  if (v.spill_bytes) j["spill_bytes"] = *v.spill_bytes;
  j["static_shared"] = v.static_shared;
  Json launches = Json::array();
  for (const auto& l : v.launches) launches.push_back(launch_json(l));
  j["launches"] = std::move(launches);
  return j;
}

// In a longer table the variants that constraints refuse are only counted.
constexpr size_t kShownWithRefused = 100;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What a person looks for in a variant's line.
std::string note_of(const VariantResult& v) {
  if (v.status == "refused") return v.message;
  if (v.status == "failed") return first_line(v.message);
  return v.launch_problem;
}

std::string registers_of(const VariantResult& v) {
  if (v.registers == 0) return "";
  return fmt::format("{}{}", v.registers_estimated ? "~" : "", v.registers);
}

std::string summary(const ManifestResult& m) {
  std::map<std::string, size_t> counts;
  std::set<std::string> texts;
  size_t no = 0, unsure = 0;
  for (const VariantResult& v : m.variants) {
    ++counts[v.status];
    if (v.status == "ok") texts.insert(v.target + v.ptx_hash);
    no += v.launchable == "no";
    unsure += v.launchable == "unsure";
  }
  std::string out = fmt::format("{}: {} of {}", m.family, counts["ok"], m.variants.size());
  out += fmt::format(" made, {} refused by constraints, {} failed", counts["refused"],
                     counts["failed"]);
  if (counts["listed"] > 0) out += fmt::format(", {} not tried", counts["listed"]);
  if (no + unsure > 0) {
    out += fmt::format("\n{} cannot be launched", no);
    if (unsure > 0) out += fmt::format(", of {} it is not sure", unsure);
    out += m.gpu.empty() ? " on GPUs of their target" : " on " + m.gpu;
  }
  if (texts.size() < counts["ok"])
    out += fmt::format("\n{} different texts: {} variants are the same PTX as another",
                       texts.size(), counts["ok"] - texts.size());
  return out + "\n";
}

}  // namespace

std::string variants_text(const ManifestResult& m, const TextStyle& style) {
  std::vector<std::string> head;
  for (const auto& p : m.parameters) head.push_back(p.name);
  const bool several = m.targets.size() > 1;
  if (several) head.push_back("target");
  head.insert(head.end(), {"status", "registers", "launchable"});
  std::vector<std::vector<std::string>> lines{head};
  std::vector<const VariantResult*> shown{nullptr};
  for (const VariantResult& v : m.variants) {
    if (v.status == "refused" && m.variants.size() > kShownWithRefused) continue;
    shown.push_back(&v);
    std::vector<std::string> line = v.values;
    line.resize(m.parameters.size());
    if (several) line.push_back(v.target);
    line.insert(line.end(), {v.status, registers_of(v), v.launchable});
    lines.push_back(std::move(line));
  }
  std::vector<size_t> widths(head.size(), 0);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (size_t n = 0; n < lines.size(); ++n) {
    std::string row;
    for (size_t i = 0; i < lines[n].size(); ++i)
      row += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", lines[n][i], widths[i]);
    const VariantResult* v = shown[n];
    if (v != nullptr) row += "  " + note_of(*v);
    row.erase(row.find_last_not_of(' ') + 1);
    const Ink kind = v == nullptr                ? Ink::kBold
                     : v->status == "failed"     ? Ink::kError
                     : v->status == "refused"    ? Ink::kFaint
                     : v->launch_problem.empty() ? Ink::kPlain
                                                 : Ink::kWarning;
    out += ink(style, kind, row) + "\n";
  }
  return out + "\n" + summary(m);
}

std::string variants_csv(const ManifestResult& m) {
  std::string out = "family,variant,target,status";
  for (const auto& p : m.parameters) out += ",p_" + p.name;
  out +=
      ",ptx_hash,compiler,registers,registers_estimated,spill_bytes,static_shared,launchable,"
      "launch_problem,message,ptx,spec\n";
  for (const VariantResult& v : m.variants) {
    std::vector<std::string> fields{m.family, v.name, v.target, v.status};
    fields.insert(fields.end(), v.values.begin(), v.values.end());
    const bool ok = v.status == "ok";
    fields.insert(fields.end(),
                  {v.ptx_hash, ok ? m.compiler : "", ok ? std::to_string(v.registers) : "",
                   ok ? (v.registers_estimated ? "1" : "0") : "",
                   v.spill_bytes ? std::to_string(*v.spill_bytes) : "",
                   ok ? std::to_string(v.static_shared) : "", v.launchable, v.launch_problem,
                   v.message, v.ptx, v.spec});
    for (size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(fields[i]);
    out += '\n';
  }
  return out;
}

std::string variants_json(const ManifestResult& m) {
  Json parameters = Json::array();
  for (const auto& p : m.parameters) {
    Json values = Json::array();
    for (const std::string& v : p.values) values.push_back(value_json(v, p.numeric));
    parameters.push_back({{"name", p.name}, {"numeric", p.numeric}, {"values", std::move(values)}});
  }
  Json list = Json::array();
  for (const VariantResult& v : m.variants) list.push_back(variant_json(m, v));
  return dump(Json{{"schema", "pitot.variants/1"},
                   {"family", m.family},
                   {"source", m.source},
                   {"source_hash", m.source_hash},
                   {"compiler", m.compiler},
                   {"ptxas", m.ptxas},
                   {"gpu", m.gpu},
                   {"targets", m.targets},
                   {"options", m.options},
                   {"parameters", std::move(parameters)},
                   {"variants", std::move(list)}});
}

}  // namespace pitot::report
