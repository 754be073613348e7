// What a search found, for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::search {

struct ProgramRecord {
  std::string hash;                   // of the canonical form
  std::vector<std::string> sequence;  // the shortest that was met
  uint64_t sequences = 0;             // how many were met that give it
  double cost = 0, noise = 0;
  std::string failure;  // not empty: it has no cost, because
  std::string image;    // hash of its machine code; empty: the cost does not know
};

// An action on distinct programs that it might follow.
struct ActionUse {
  std::string action;
  uint64_t tried = 0;    // programs
  uint64_t differs = 0;  // of these, where the result is another program
};

// A transform that made PTX that does not verify: a bug.
struct TransformFault {
  std::vector<std::string> sequence;
  std::string message;
  bool operator==(const TransformFault&) const = default;
};

// What a policy chooses, and how sure it is.
struct PolicyStep {
  std::string action;      // "stop" at the end
  double probability = 0;  // that the policy gives it
  std::string second;      // the next likeliest; empty: there was no other
  double second_probability = 0;
};

struct SearchResult {
  ProgramRecord baseline, best;         // the same where nothing is better beyond noise
  std::string best_text;                // PTX of best.sequence
  uint64_t best_number = 0;             // in programs
  bool improved = false;                // best is better than the baseline beyond noise
  std::vector<ProgramRecord> programs;  // evaluated, in the order of that; the baseline is first
  std::vector<ActionUse> actions;       // the catalogue's order
  std::vector<TransformFault> faults;
  uint64_t evaluations = 0;   // distinct programs, counted against the budget
  uint64_t remembered = 0;    // of these, known from the log
  uint64_t images = 0;        // distinct machine code, of the programs whose image is known
  bool budget_spent = false;  // a program was left out for want of budget
  bool stopped = false;       // it was told to stop before its end
};

}  // namespace pitot::search
