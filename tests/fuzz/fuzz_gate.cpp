// Fuzzes the readers of rules and baselines, and a judgement with what they read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gate/baseline.h"
#include "gate/gate.h"
#include "gate/rules.h"
#include "report/gate_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pitot;
  if (size > 100'000) return 0;
  SourceText source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics found;
  gate::RuleSet rules = gate::read_rules(source, found);
  auto kernels = gate::read_baseline(source, found);
  for (const Diagnostic& d : found.items())
    if (d.range.begin > d.range.end || d.range.begin > size) std::abort();
  // What was read can be written and is read back as the same.
  std::string text = gate::write_baseline(kernels);
  Diagnostics again;
  auto back = gate::read_baseline(SourceText("again", text), again);
  if (back.size() != kernels.size() || gate::write_baseline(back) != text) std::abort();
  // Patterns come from the project itself; expressions that backtrack for ever are its own fault.
  for (gate::Rule& r : rules.rules) r.where.regex.clear();
  for (gate::Waiver& w : rules.waivers) w.where.regex.clear();
  for (gate::Acknowledgement& a : rules.acknowledgements) a.where.regex.clear();
  gate::GateResult result =
      gate::judge(gate::compare_with_baseline(kernels, back), rules, {"2026-01-01", {}});
  report::gate_json(result);
  report::gate_sarif(result, "0");
  report::gate_junit(result);
  report::gate_markdown(result);
  report::gate_github(result);
  report::gate_html(result, {});
  return 0;
}
