// Training and judgement of the phase detector, written out.
#pragma once

#include <string>

#include "knobs/phase_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string phase_text(const knobs::PhaseTrainingResult& r, const TextStyle& style);
// schema pitot.learn-phase/1
std::string phase_json(const knobs::PhaseTrainingResult& r);
// The scores alone.
std::string phase_scores_text(const std::vector<knobs::PhaseScore>& scores, const TextStyle& style);

}  // namespace pitot::report
