// The gate's result as SARIF 2.1.0 (OASIS standard, 27 March 2020).
#include <fmt/format.h>

#include <map>

#include "report/escape.h"
#include "report/gate_report.h"
#include "report/gate_words.h"
#include "report/json.h"
#include "support/hash.h"

namespace pitot::report {

namespace {

Json rule_json(const gate::Finding& f) {
  Json j;
  j["id"] = f.rule;
  j["shortDescription"]["text"] = f.rule;
  if (!f.why.empty()) j["fullDescription"]["text"] = f.why;
  if (!f.fix.empty()) {
    j["help"]["text"] = fmt::format("{} {}", f.why, f.fix);
    j["help"]["markdown"] = fmt::format("**Why** {}\n\n**What to do** {}", f.why, f.fix);
  }
  return j;
}

std::string message_of(const gate::Finding& f) {
  std::string text = fmt::format("{}: {}", f.demangled, f.message);
  for (const std::string& d : f.details) text += "\n" + d;
  if (!f.fix.empty()) text += "\n" + f.fix;
  return text;
}

}  // namespace

std::string gate_sarif(const gate::GateResult& r, const std::string& tool_version) {
  Json rules = Json::array(), results = Json::array();
  std::map<std::string, size_t> index;
  for (const gate::Finding& f : r.findings) {
    auto [it, fresh] = index.emplace(f.rule, index.size());
    if (fresh) rules.push_back(rule_json(f));
    Json x;
    x["ruleId"] = f.rule;
    x["ruleIndex"] = it->second;
    x["level"] = level_name(f.level);
    x["message"]["text"] = message_of(f);
    Json location;
    if (!f.path.empty()) {
      location["physicalLocation"]["artifactLocation"]["uri"] = uri_path(f.path);
      if (f.line != 0) location["physicalLocation"]["region"]["startLine"] = f.line;
    }
    Json logical;
    logical["name"] = f.demangled;
    logical["fullyQualifiedName"] = f.kernel;
    logical["kind"] = "function";
    location["logicalLocations"] = Json::array({logical});
    x["locations"] = Json::array({location});
    // Lines move; the rule, kernel, target and values are what a finding is.
    x["partialFingerprints"]["pitot/v1"] =
        hash_bytes(
            fmt::format("{}\n{}\n{}\n{}\n{}", f.rule, f.kernel, f.target, f.baseline, f.value))
            .hex();
    if (f.waived) {
      Json s;
      s["kind"] = "external";
      s["justification"] = f.waiver;
      x["suppressions"] = Json::array({s});
    }
    x["properties"]["target"] = f.target;
    x["properties"]["baseline"] = f.baseline;
    x["properties"]["value"] = f.value;
    results.push_back(std::move(x));
  }
  Json driver;
  driver["name"] = "pitot";
  driver["version"] = tool_version;
  driver["rules"] = std::move(rules);
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);
  Json j;
  j["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  j["version"] = "2.1.0";
  j["runs"] = Json::array({run});
  return dump(j);
}

}  // namespace pitot::report
