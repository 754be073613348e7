// Subprocesses: run a program without a shell, capture what it prints, stop it and its children in
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"

namespace pitot::toolchain {

struct ProcessOptions {
  std::string_view input{};        // what the program reads on standard input; else /dev/null
  double time_limit = 60;          // seconds; ≤ 0: none
  size_t output_limit = 64 << 20;  // bytes kept of each stream; the rest is read and dropped
  std::string directory{};         // working directory; empty: ours
  std::vector<std::pair<std::string, std::string>> environment{};  // set on top of ours
};

struct ProcessResult {
  int exit_code = -1;  // −1 if a signal ended it
  int signal = 0;      // 0 if it exited
  bool timed_out = false;
  bool truncated = false;  // more was printed than output_limit
  std::string out;
  std::string err;
  double seconds = 0;

  bool ok() const { return exit_code == 0 && !timed_out; }
};

// Runs argv[0] (searched on PATH if it has no slash) in its own process group, with LC_ALL=C. At
// the time limit the whole group is killed. An Error (kMissing) only if the program cannot be
// started; an exit code or signal is a result. Safe to call from several threads.
Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  const ProcessOptions& options = {});

// The absolute path of a program on PATH, or nothing.
std::optional<std::string> find_program(const std::string& name);

}  // namespace pitot::toolchain
