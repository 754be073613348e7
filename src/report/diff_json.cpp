// The result of diff as JSON and CSV.
#include <fmt/format.h>

#include <algorithm>

#include "report/counts_json.h"
#include "report/diff_report.h"
#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {

namespace {

using gate::ChangeClass;
using gate::KernelDiff;

// B minus A by name, with both sides beside it.
Json delta_json(const gate::Counts& a, const gate::Counts& b) {
  Json j = Json::object();
  for (const auto& [name, value] : b.items) j[name] = number_json(value - a.get(name));
  for (const auto& [name, value] : a.items)
    if (!b.has(name)) j[name] = number_json(-value);
  j["a"] = counts_json(a);
  j["b"] = counts_json(b);
  return j;
}

Json opcodes_json(const std::vector<gate::OpcodeChange>& list) {
  Json j = Json::array();
  for (const auto& o : list)
    j.push_back({{"opcode", o.opcode},
                 {"kind", o.kind},
                 {"count", o.count()},
                 {"lines", o.lines},
                 {"values", o.values}});
  return j;
}

Json declarations_json(const std::vector<gate::DeclarationChange>& list) {
  Json j = Json::array();
  for (const auto& d : list)
    j.push_back({{"what", d.what},
                 {"from", d.from},
                 {"to", d.to},
                 {"line_a", d.line_a},
                 {"line_b", d.line_b},
                 {"class", to_string(d.cls)}});
  return j;
}

Json kernel_json(const KernelDiff& k) {
  Json j;
  j["name"] = k.name();
  j["demangled"] = k.demangled();
  j["class"] = to_string(k.cls);
  j["name_a"] = k.name_a;
  j["name_b"] = k.name_b;
  j["matched_by"] = k.matched_by;
  j["line_a"] = k.line_a;
  j["line_b"] = k.line_b;
  j["deltas"] = delta_json(k.counts_a, k.counts_b);
  j["compat"] = delta_json(k.compat_a, k.compat_b);
  j["ptxas"] = Json::object();
  for (const auto& [target, pair] : k.ptxas)
    j["ptxas"][target] = delta_json(pair.first, pair.second);
  j["constants"] = Json::array();
  for (const auto& c : k.constants)
    j["constants"].push_back({{"line_a", c.line_a},
                              {"line_b", c.line_b},
                              {"from", c.from},
                              {"to", c.to},
                              {"from_value", c.from_value},
                              {"to_value", c.to_value},
                              {"type", c.type},
                              {"where", c.where}});
  j["modifiers"] = Json::array();
  for (const auto& m : k.modifiers)
    j["modifiers"].push_back({{"line_a", m.line_a},
                              {"line_b", m.line_b},
                              {"from", m.from},
                              {"to", m.to},
                              {"what", m.what},
                              {"witness", m.witness}});
  j["added"] = opcodes_json(k.added);
  j["removed"] = opcodes_json(k.removed);
  j["rewired"] = Json::array();
  for (const auto& r : k.rewired)
    j["rewired"].push_back(
        {{"line_a", r.line_a}, {"line_b", r.line_b}, {"from", r.from}, {"to", r.to}});
  j["moved"] = k.moved;
  j["blocks_moved"] = k.blocks_moved;
  j["declarations"] = declarations_json(k.declarations);
  j["notes"] = k.notes;
  return j;
}

Json result_json(const gate::DiffResult& r) {
  Json j;
  j["path_a"] = r.path_a;
  j["path_b"] = r.path_b;
  j["class"] = to_string(r.cls);
  j["verdict"] = r.verdict;
  j["header"] = declarations_json(r.header);
  j["kernels"] = Json::array();
  for (const KernelDiff& k : r.kernels) j["kernels"].push_back(kernel_json(k));
  return j;
}

}  // namespace

std::string diff_json(const gate::DiffResult& r) {
  Json j;
  j["schema"] = "pitot.diff/1";
  j.update(result_json(r));
  return dump(j);
}

std::string diff_json(const std::vector<gate::DiffResult>& results) {
  Json j;
  j["schema"] = "pitot.diff/1";
  ChangeClass gravest = ChangeClass::kIdentical;
  for (const auto& r : results) gravest = std::max(gravest, r.cls);
  j["class"] = to_string(gravest);
  j["pairs"] = Json::array();
  for (const auto& r : results) j["pairs"].push_back(result_json(r));
  return dump(j);
}

std::string diff_csv(const std::vector<gate::DiffResult>& results) {
  std::string out =
      "path_a,path_b,kernel,class,matched_by,registers,spills,local_bytes,instructions,constants,"
      "modifiers,added,removed,rewired,moved\n";
  auto total = [](const std::vector<gate::OpcodeChange>& list) {
    size_t n = 0;
    for (const auto& o : list) n += o.count();
    return n;
  };
  for (const auto& r : results)
    for (const KernelDiff& k : r.kernels) {
      auto delta = [&](std::string_view name) {
        return fmt::format("{:.0f}", k.compat_b.get(name) - k.compat_a.get(name));
      };
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(r.path_a),
                         csv_field(r.path_b), csv_field(k.name()), to_string(k.cls),
                         csv_field(k.matched_by), delta("registers"), delta("spills"),
                         delta("local_bytes"), delta("instructions"), k.constants.size(),
                         k.modifiers.size(), total(k.added), total(k.removed), k.rewired.size(),
                         k.moved);
    }
  return out;
}

}  // namespace pitot::report
