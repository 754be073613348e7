#include "report/problem_report.h"

#include "report/json.h"

namespace pitot::report {

Json diagnostics_json(const std::vector<VerifiedFile>& files) {
  Json out = Json::array();
  for (const VerifiedFile& f : files)
    for (const LocatedDiagnostic& d : f.diagnostics) {
      Json one{{"path", f.path}};
      one.update(to_json(d));
      out.push_back(std::move(one));
    }
  return out;
}

std::string problem_json(std::string_view verb, const std::vector<VerifiedFile>& files,
                         const std::vector<std::string>& errors) {
  Json j{{"schema", "pitot." + std::string(verb) + "/1"}};
  Json reasons = errors;
  for (const VerifiedFile& f : files) reasons.push_back(f.path + " has errors");
  if (verb == "check") {
    j["verdict"] = "undecided";
    j["evidence"] = nullptr;
    j["trials"] = 0;
    j["reasons"] = std::move(reasons);
    j["counterexample"] = nullptr;
    j["pairs"] = Json::array();
  } else if (verb == "run") {
    j["device"] = "emu";
    j["ok"] = false;
    j["outputs"] = Json::array();
    j["faults"] = Json::array();
    j["runs"] = Json::array();
  } else if (verb == "variants") {
    j["variants"] = Json::array();
  } else if (verb == "import") {
    j["files"] = Json::array();
    j["rows"] = Json::array();
  } else {
    j["device"] = "emu";
    j["ok"] = false;
    j["faults"] = Json::array();
    j["lines"] = Json::array();
    j["totals"] = nullptr;
  }
  j["diagnostics"] = diagnostics_json(files);
  j["errors"] = errors;
  return dump(j);
}

}  // namespace pitot::report
