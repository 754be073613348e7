// What a generator is told of a task: what to compute, what it may not break, where the time goes,
// and what came of the candidates before.
#pragma once

#include <string>
#include <vector>

#include "arch/gpu.h"
#include "bench/candidate.h"
#include "bench/oracle.h"
#include "toolchain/ptxas_report.h"

namespace pitot::bench {

// A candidate of an earlier round that a prompt reports.
struct Attempt {
  Judgement judgement;
  std::string text;
};

struct PromptFacts {
  const Task* task = nullptr;
  const Candidate* start = nullptr;
  const Candidate* best = nullptr;                  // the best verified one
  double best_speedup = 1;                          // over the baseline
  const arch::Gpu* gpu = nullptr;                   // that time is told for
  const toolchain::PtxasFunction* ptxas = nullptr;  // of the best one; null: not known
  std::vector<Attempt> attempts;                    // of the last round, the best first
};

// Plain text in Markdown, below `most_bytes` where the PTX itself allows; earlier attempts' texts
// are left out first. It has no private sizes and no seeds.
std::string make_prompt(const PromptFacts& facts, size_t most_bytes = size_t{200} << 10);

// By its parts, for tests: basic blocks and loops, and where the modelled time goes.
std::string structure_text(const Candidate& candidate);
std::string profile_text(const Candidate& candidate, const device::SizeSpec& size,
                         const arch::Gpu& gpu);

}  // namespace pitot::bench
