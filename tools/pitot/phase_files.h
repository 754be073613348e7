// Files of windows and of phase detectors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "knobs/phase_detector.h"

namespace pitot::cli {

// Nothing after complaints, which are printed; exit code 2. With `labelled` a window without a
// label is one.
std::optional<std::vector<knobs::PhaseWindow>> read_windows_file(const std::string& path,
                                                                 bool labelled, Options& options);

// A window with what the detector and the published rule say of it.
knobs::JudgedWindow judged(const knobs::PhaseDetector& detector, const knobs::PhaseWindow& window,
                           const std::string& set, unsigned fold);

}  // namespace pitot::cli
