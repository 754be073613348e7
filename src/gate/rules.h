// The rules of a project, as read from pitot.toml.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/gate_result.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::gate {

// Which counts a number is compared with. They move differently and are never mixed.
enum class CountMode : uint8_t { kPtxas, kCompat, kPitot };
const char* to_string(CountMode m);  // "ptxas", "compat", "pitot"

// Kernels and targets that a rule speaks of. An empty pattern matches all.
struct Selector {
  std::string kernel;  // glob on the demangled or the exact name
  std::string regex;   // instead: ECMAScript expression found anywhere in either name
  std::string target;  // glob: "sm_9*"
  bool matches(std::string_view name, std::string_view demangled, std::string_view target) const;
};

struct Limit {
  std::string count;  // column of the mode
  CountMode mode = CountMode::kPtxas;
  std::optional<double> most, least;
  // Allowed movement against the baseline: absolute or, with `percent`, in percent of it.
  std::optional<double> rise, fall;
  bool percent = false;
};

// How much slower a kernel may be predicted to become, for one launch.
struct PredictedLimit {
  double most_slower = 0;  // 0.05: five percent
  std::string gpu;         // chip; empty: one of the kernel's target
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  uint64_t size = 0;            // what integer arguments are made of; 0: not known
};

struct Rule {
  std::string name;
  Selector where;
  FindingLevel level = FindingLevel::kError;
  std::vector<Limit> limits;
  std::vector<std::string> require, forbid;   // opcode globs: "setmaxnreg*"
  std::vector<std::string> keep, forbid_new;  // the same, against the baseline
  std::optional<uint32_t> vector_bytes;       // widest global access, at least
  std::string producer;                       // glob on producer and version
  std::optional<double> occupancy;            // at least, 0 … 1
  std::string gpu;                            // for occupancy: chip or target
  uint32_t threads = 0;                       // of the launch; 0: the kernel's bounds
  uint32_t dynamic_shared = 0;                // bytes
  std::optional<PredictedLimit> predicted;
};

// A finding that is known and accepted until a day.
struct Waiver {
  std::string rule;  // glob on rule ids
  Selector where;
  std::string reason;
  std::string expires;  // "2026-03-01": the last day it holds; empty is an error
  uint32_t line = 0;
};

// A change that was looked at: holds for one state of a kernel only.
struct Acknowledgement {
  Selector where;
  std::string program;  // beginning of the program hash, at least 8 digits
  std::string reason;
};

struct RuleSet {
  std::string baseline;              // path, relative to the rules file
  std::vector<std::string> targets;  // to assemble for
  enum class Ratchet : uint8_t { kTwoWay, kUp, kOff } ratchet = Ratchet::kTwoWay;
  std::vector<ChangeClass> allow = {ChangeClass::kIdentical, ChangeClass::kRenamed,
                                    ChangeClass::kReordered};
  bool allow_added = false, allow_removed = false;
  std::vector<std::string> disabled;  // ids of built-in checks that are off
  std::vector<Rule> rules;
  std::vector<Waiver> waivers;
  std::vector<Acknowledgement> acknowledgements;
  bool allows(ChangeClass c) const;
};

// Reads the text of a rules file. Problems (syntax, unknown keys with the nearest known one, wrong
// types, unknown counts, bad expressions, waivers without reason or date) go to `out`; what is
// right is kept. Positions refer to `source`.
RuleSet read_rules(const SourceText& source, Diagnostics& out);

}  // namespace pitot::gate
