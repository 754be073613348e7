// The gate's result in every form: text, JSON, CSV, SARIF, JUnit, Markdown, GitHub annotations,
// HTML. All are functions of the result alone, so the same result gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "gate/diff_result.h"
#include "gate/gate_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

// For a terminal: verdict, every finding with why and what to do, then one line a kernel.
std::string gate_text(const gate::GateResult& result, const TextStyle& style);

// {"schema": "pitot.gate/1", "verdict": "pass"|"fail", "findings": […], "kernels": […], …}
std::string gate_json(const gate::GateResult& result);

// One row a finding, with a header row.
std::string gate_csv(const gate::GateResult& result);

// SARIF 2.1.0 (OASIS). Waived findings are suppressed results.
std::string gate_sarif(const gate::GateResult& result, const std::string& tool_version);

// JUnit XML: a test suite a target, a test case a kernel and rule; waived findings are skipped.
std::string gate_junit(const gate::GateResult& result);

// A comment for a pull request. Empty when nothing moved, so that nothing is said.
std::string gate_markdown(const gate::GateResult& result);

// Workflow commands that GitHub shows at the lines of a change.
std::string gate_github(const gate::GateResult& result);

// One self-contained page: verdict, findings, kernels and, where both programs were at hand, the
// changed lines side by side.
std::string gate_html(const gate::GateResult& result, const std::vector<gate::DiffResult>& diffs);

}  // namespace pitot::report
