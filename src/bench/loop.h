// The loop around a generator: propose, judge, feed back, keep the best verified kernel; the
// original stays wherever nothing is right and faster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/generator.h"
#include "bench/judge.h"
#include "bench/prompt.h"

namespace pitot::bench {

struct LoopOptions {
  uint32_t rounds = 3;
  uint32_t candidates = 8;  // a round
  uint64_t seed = 1;
  double least_gain = 0.01;  // a kernel is kept when its interval begins so far above what is kept
  const arch::Gpu* gpu = nullptr;  // that prompts speak of
};

// What judges a batch: all of a round's candidates are fixed before the first is looked at.
// Judgements in the order of the submissions. Errors end the loop.
using BatchJudge =
    std::function<Result<std::vector<Judgement>>(const std::vector<Submission>& batch)>;
// What was proposed in a round before, when the loop is taken up again; nothing: it was not.
using Recall = std::function<Result<std::vector<Submission>>(uint32_t round)>;

struct LoopResult {
  std::string task, generator;
  std::vector<Judgement> judged;  // all of them, by round and sample
  std::string best_text;          // PTX: the start kernel's where nothing better was verified
  std::string best_name;          // "start" or the candidate's
  double best_speedup = 1;        // over the baseline; of the start kernel by its own time
  bool improved = false;
  std::string error;  // why it ended early; what was found until then stands
};

// Errors: of the task; what ends the loop early is in the result.
Result<LoopResult> run_loop(const Task& task, const Oracle& oracle, Generator& generator,
                            const LoopOptions& options, const BatchJudge& judge,
                            const Recall& recall = {});

}  // namespace pitot::bench
