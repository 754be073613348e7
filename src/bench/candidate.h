// A candidate's PTX as a kernel for a task: parsed, verified, held against the start kernel's
// interface, and looked through for what a reader should know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/bench_result.h"
#include "bench/task.h"
#include "emulator/program.h"

namespace pitot::bench {

struct Candidate {
  std::shared_ptr<const ptx::Module> module;
  std::unique_ptr<emulator::Program> program;
  uint32_t kernel = 0;
  device::KernelSpec spec;  // the task's, with the launch that the candidate asks for
  std::string hash;         // of the canonical form; of the text where it has none
};

struct Admission {
  Candidate candidate;
  Verdict verdict = Verdict::kRight;  // kRight: it may run
  std::string reason;
  uint32_t line = 0;
  std::vector<Finding> findings;
};

// The start kernel of a task itself. Errors: it cannot be read or has faults of its own.
Result<Candidate> load_start(const Task& task);
// The kernel of a spec that belongs to a task: its oracle or baseline.
Result<Candidate> load_kernel(const device::KernelSpec& spec);

// A candidate brings a launch of its own in a comment of one line, as TOML with the keys of
// [launch]:  // pitot.launch: block = [128], grid = ["ceil_div(n, 512)"], shared = 0
Admission admit(const Task& task, const Candidate& start, std::string text);

// Clock reads, cache policies, state in module variables, approximations that the start kernel does
// not have: what decides nothing by itself.
std::vector<Finding> look_through(const Candidate& candidate, const Candidate& start);

// Hash of a text's canonical form, or of the text itself when it does not parse.
std::string program_hash(const std::string& text);

}  // namespace pitot::bench
