// Text, JSON, JSON lines and CSV of `measure` and `compare`.
#pragma once

#include <string>
#include <vector>

#include "measure/measure_result.h"
#include "report/diagnostic_text.h"
#include "report/verify_report.h"

namespace pitot::report {

// One kernel at one size: its time with the interval, what it ran on and how, a histogram of the
// samples, and whatever speaks against the figure.
std::string measure_text(const measure::MeasureRecord& record, const TextStyle& style);

// {schema: "pitot.measure/1", runs: […], diagnostics, errors}; times in milliseconds, of one
// launch. `files`: findings in PTX and specs, which become `diagnostics`; `errors`: what has no
// place in a file.
std::string measure_json(const std::vector<measure::MeasureRecord>& records,
                         const std::vector<VerifiedFile>& files = {},
                         const std::vector<std::string>& errors = {});

// The same objects, one a line, with all samples as `times`.
std::string measure_jsonl(const std::vector<measure::MeasureRecord>& records);

// A row a record. The columns of published tuning sweeps come first (kernel, matrix_size,
// block_size, …, achieved_occ), then all others; what does not apply is empty. `matrix_size` is the
// size's only value, or its `n`, or the one that all its values have.
std::string measure_csv(const std::vector<measure::MeasureRecord>& records);

// The verdict in a sentence with its interval, drawn against the noise band, and the two sides.
std::string compare_text(const measure::CompareRecord& record, const TextStyle& style);

// {schema: "pitot.compare/1", delta, ci95, noise_band, mde, verdict, …, a: {…}, b: {…},
// diagnostics, errors}; of several comparisons, the gravest verdict (fault, slower, faster, same)
// and {pairs: [the same]}.
std::string compare_json(const std::vector<measure::CompareRecord>& records,
                         const std::vector<VerifiedFile>& files = {},
                         const std::vector<std::string>& errors = {});

std::string compare_csv(const std::vector<measure::CompareRecord>& records);

// "faster", "slower", "same", "fault"
const char* verdict_name(measure::Verdict verdict);

// "101.3 µs": a time in milliseconds, as exact as the uncertainty `half_width` (ms) lets it be:
// that has two digits.
std::string time_with_unit(double ms, double half_width);

}  // namespace pitot::report
