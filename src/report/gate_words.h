// Phrases that the gate's reports have in common.
#pragma once

#include <string>

#include "gate/gate_result.h"

namespace pitot::report {

const char* level_name(gate::FindingLevel level);  // "error", "warning", "note"
// "registers −8, instructions −8", or "no count moved".
std::string delta_words(const gate::Counts& delta);
// "FAIL: 2 findings in 1 of 3 kernels (baseline x.toml)".
std::string verdict_words(const gate::GateResult& result);
// "acknowledged: REASON", or the explanation itself.
std::string acknowledgement_words(const gate::KernelSummary& kernel);
// A whole number without a fraction, with the sign that a delta has.
std::string signed_number(double x);

}  // namespace pitot::report
