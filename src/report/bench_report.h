// PTXBench's tasks, judgements and scores, written out.
#pragma once

#include <string>
#include <vector>

#include "bench/bench_result.h"
#include "bench/scores_result.h"
#include "bench/task_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string tasks_text(const std::vector<bench::TaskSummary>& tasks);
// schema pitot.bench-list/1
std::string tasks_json(const std::vector<bench::TaskSummary>& tasks);

std::string health_text(const std::vector<bench::TaskHealth>& tasks, const TextStyle& style);
// schema pitot.bench-validate/1
std::string health_json(const std::vector<bench::TaskHealth>& tasks);

struct BenchRun {
  std::vector<bench::Judgement> judged;
  std::vector<bench::Scores> scores;           // by generator
  std::vector<bench::Comparison> comparisons;  // of each generator with the first
  std::vector<bench::SplitScores> splits;      // by generator; empty: not asked for
  std::string settings;                        // how it was judged
};

// Scores by generator; with `each`, a line a candidate as well.
std::string bench_text(const BenchRun& run, bool each, const TextStyle& style);
// schema pitot.bench/1
std::string bench_json(const BenchRun& run);
// schema pitot.bench-transfer/1; `first` and `second` say how was judged.
std::string transfer_json(const std::vector<bench::Transfer>& transfers, const std::string& first,
                          const std::string& second);
std::string transfer_text(const std::vector<bench::Transfer>& transfers, const std::string& first,
                          const std::string& second, const TextStyle& style);
// A row a candidate.
std::string bench_csv(const BenchRun& run);

}  // namespace pitot::report
