// Statistics over judged candidates: pass@k, fast_p, speed-ups with intervals, two generators
// compared.
#pragma once

#include <cstdint>
#include <span>

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

}  // namespace pitot::bench
