// Shared by the tests of the gate: builds from text or files, judged by rules from text.
#pragma once

#include <algorithm>

#include "diff_helpers.h"
#include "gate/baseline.h"
#include "gate/fingerprint.h"
#include "gate/gate.h"

namespace pitot::gate::test {

inline std::string file(const std::string& path) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : std::string();
}

inline RuleSet rules(const std::string& text) {
  Diagnostics problems;
  RuleSet r = read_rules(SourceText("pitot.toml", text), problems);
  for (const Diagnostic& d : problems.items()) ADD_FAILURE() << d.code << ": " << d.message;
  return r;
}

inline GateResult gate_text(const std::string& a, const std::string& b,
                            const std::string& rule_text = "", const std::string& today = "",
                            const PhysicalFiller& physical = {}) {
  ptx::Module ma = ptx::parse("before.ptx", a), mb = ptx::parse("after.ptx", b);
  GateOptions options;
  options.today = today;
  return judge(compare_builds(ma, mb, physical), rules(rule_text), options);
}

inline const Finding* find(const GateResult& r, const std::string& rule) {
  for (const Finding& f : r.findings)
    if (f.rule == rule) return &f;
  return nullptr;
}

inline std::string rule_list(const GateResult& r) {
  std::string out;
  for (const Finding& f : r.findings) out += f.rule + (f.waived ? "(waived) " : " ");
  return out;
}

// Resources as a test says: PTX text that contains `mark` gets `counts`.
inline Physical physical(double registers, double spill_loads = 0, double spill_stores = 0) {
  Physical p;
  p.counts.set("registers", registers);
  p.counts.set("spills", spill_loads + spill_stores);
  p.counts.set("spill_loads", spill_loads);
  p.counts.set("spill_stores", spill_stores);
  return p;
}

inline PhysicalFiller fill(const Physical& before, const Physical& after,
                           const std::string& target = "sm_90") {
  return [=](const ptx::Module& m, std::vector<KernelState>& states) {
    for (KernelState& k : states)
      k.ptxas[target] = m.source->path() == "before.ptx" ? before : after;
  };
}

}  // namespace pitot::gate::test
