// A command as a generator: the prompt on its standard input, a candidate on its standard output.
#pragma once

#include "bench/generator.h"

namespace pitot::bench {

struct CommandSettings {
  std::string command;   // of the shell; run once a candidate
  double seconds = 300;  // for one candidate
  std::string name = "command";
};

// The command finds PITOT_TASK, PITOT_ROUND, PITOT_SAMPLE and PITOT_SEED in its environment. One
// that fails, or says nothing in time, is a candidate without a text.
std::unique_ptr<Generator> command_generator(const CommandSettings& settings);

}  // namespace pitot::bench
