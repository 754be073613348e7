// Text and JSON of `run`.
#pragma once

#include <string>
#include <vector>

#include "device/run_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

// One run as text; the kernel's source lines of faults are shown when `source` is the PTX text.
std::string run_text(const device::RunResult& run, std::string_view source, const TextStyle& style);

// {schema, device, ok, kernel, ptx, size, …, outputs, faults, runs}: for one size as for several.
// `outputs` and `faults` are those of all runs, each with its `size`; `runs` has them a run; the
// `size` of several is null.
std::string run_json(const std::vector<device::RunResult>& runs, size_t elements_shown);

}  // namespace pitot::report
