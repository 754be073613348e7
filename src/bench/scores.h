// Statistics over judged candidates: pass@k, fast_p, speed-ups with intervals, two generators
// compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/bench_result.h"
#include "bench/scores_result.h"

namespace pitot::bench {

// Probability that at least one of k samples drawn without replacement from n, of which c are good,
// is good: 1 − C(n − c, k) / C(n, k) (Chen et al., 2021, "Evaluating Large Language Models Trained
// on Code", equation 1). Not a number for k > n.
double pass_at_k(uint64_t n, uint64_t c, uint64_t k);

// Intervals are 95 % bootstrap intervals over tasks. `ks` that no task has samples for are left
// out.
Scores score(std::span<const Judgement> judged, std::span<const uint32_t> ks, uint64_t seed);

// Two-sided p by sign flips over tasks. Samples that failed count as the original.
Comparison compare_generators(const Scores& a, const Scores& b, uint64_t seed);

// `unseen`: tasks and kinds of tasks that were held out, by name or pattern (gemm_*). Gaps are
// 0 where one side has no task.
SplitScores score_split(std::span<const Judgement> judged, std::span<const std::string> unseen,
                        std::span<const uint32_t> ks, uint64_t seed);

// Of one generator's judgements in two settings, paired by task, round and sample: in the second a
// program may be written for another target. One that several samples are counts once.
Transfer score_transfer(std::span<const Judgement> first, std::span<const Judgement> second,
                        uint64_t seed);

}  // namespace pitot::bench
