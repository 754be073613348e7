// Judged candidates as data for training elsewhere: JSON lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench_result.h"
#include "support/result.h"

namespace pitot::bench {

// The PTX of a program's hash; empty where it is not known.
using TextOf = std::function<Result<std::string>(const std::string& program)>;
// What a task says in a prompt; empty where it is not known.
using PromptOf = std::function<std::string(const std::string& task)>;
using Lines = std::vector<std::string>;  // one JSON object each, without line ends

// All work on distinct programs of a task: of several judgements of one, the first counts.

// {task, prompt, completion, speedup}: right and faster than the baseline by `least_gain` or more.
Result<Lines> tuning_lines(const std::vector<Judgement>& judged, const TextOf& text,
                           const PromptOf& prompt, double least_gain = 0.01);
// {task, prompt, chosen, rejected, chosen_speedup, rejected_verdict, rejected_reason, …}: each
// wrong program, and each that is at least `least_gap` slower, beside the fastest right one.
Result<Lines> preference_lines(const std::vector<Judgement>& judged, const TextOf& text,
                               const PromptOf& prompt, double least_gap = 0.05);
// {task, program, completion, verdict, tier, reward}: 0 for what is not right; else the logarithm
// of its speed-up over that of the fastest right program of the task, within [0, 1], and at least
// 0.1: right and slow is better than wrong. Without a faster program than the baseline, 0.1 for
// all.
Result<Lines> reward_lines(const std::vector<Judgement>& judged, const TextOf& text);

struct Corpus {
  Lines lines;             // {program, tasks, tokens, instructions, text}, of what compiles
  std::string statistics;  // one JSON object: counts, lengths, and a vocabulary by frequency
};
// The vocabulary has the most frequent opcodes with their modifiers ("ld.global.nc.v4.f32"), as
// many as `words`, with how many of all instructions they and those before them make up.
Result<Corpus> corpus(const std::vector<Judgement>& judged, const TextOf& text, size_t words = 512);

}  // namespace pitot::bench
