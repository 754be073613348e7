// The gate's result as JSON and CSV.
#include <fmt/format.h>

#include "report/counts_json.h"
#include "report/gate_report.h"
#include "report/gate_words.h"
#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {

namespace {}  // namespace

std::string gate_json(const gate::GateResult& r) {
  Json j;
  j["schema"] = "pitot.gate/1";
  j["verdict"] = r.pass ? "pass" : "fail";
  j["before"] = r.before;
  j["after"] = r.after;
  j["findings"] = Json::array();
  for (const gate::Finding& f : r.findings) {
    Json x;
    x["rule"] = f.rule;
    x["kernel"] = f.kernel;
    x["demangled"] = f.demangled;
    x["target"] = f.target;
    x["level"] = level_name(f.level);
    x["baseline"] = f.baseline;
    x["value"] = f.value;
    x["message"] = f.message;
    x["why"] = f.why;
    x["fix"] = f.fix;
    x["details"] = f.details;
    x["waived"] = f.waived;
    x["waiver"] = f.waiver;
    x["path"] = f.path;
    x["line"] = f.line;
    j["findings"].push_back(std::move(x));
  }
  j["kernels"] = Json::array();
  for (const gate::KernelSummary& k : r.kernels) {
    Json x;
    x["kernel"] = k.kernel;
    x["demangled"] = k.demangled;
    x["target"] = k.target;
    x["class"] = k.cls;
    x["before"] = k.before_name.empty() && k.cls != "added" ? k.kernel : k.before_name;
    x["acknowledged"] = k.acknowledged;
    x["compat"] = counts_json(k.delta);
    x["ptxas"] = Json::object();
    for (const auto& [target, counts] : k.physical_delta) x["ptxas"][target] = counts_json(counts);
    x["findings"] = k.findings;
    x["path"] = k.path;
    x["line"] = k.line;
    j["kernels"].push_back(std::move(x));
  }
  j["notes"] = r.notes;
  return dump(j);
}

std::string gate_csv(const gate::GateResult& r) {
  std::string out = "rule,level,kernel,target,baseline,value,message,waived,path,line\n";
  for (const gate::Finding& f : r.findings)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(f.rule), level_name(f.level),
                       csv_field(f.kernel), csv_field(f.target), csv_field(f.baseline),
                       csv_field(f.value), csv_field(f.message), f.waived ? "true" : "false",
                       csv_field(f.path), f.line);
  return out;
}

}  // namespace pitot::report
