// Windows for the phase detector: read from CSV, or drawn from the published rules.
#pragma once

#include <span>
#include <vector>

#include "knobs/phase_result.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::knobs {

// A row a step, the steps of a window one after the other: window, the five counters in percent;
// kernels and label where there are such columns. Complaints are located: a missing column, a
// counter that is no percentage, a window of other than kPhaseSteps rows or in two places, an
// unknown label.
std::vector<PhaseWindow> read_phase_windows(const SourceText& source, Diagnostics& out);

// What the published account calls its classes, on the means of a window: memory: DRAM at 60 % or
// more; compute: occupancy and SM at 50 % or more, DRAM below 40 %; latency: all three below 40 %;
// mixed: all else.
Phase published_rule(const PhaseWindow& window);

// Labels in turns; each counter of a step is drawn about a level of the window, and the levels from
// what published_rule() allows the label, with room to its thresholds. So the rule is right on all
// of them: what a detector scores on these says only that it has learned the rule.
std::vector<PhaseWindow> synthetic_phase_windows(size_t count, uint64_t seed);

}  // namespace pitot::knobs
