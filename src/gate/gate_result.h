// What `gate` found, as plain data for rules and reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/diff_result.h"

namespace pitot::gate {

enum class FindingLevel : uint8_t { kNote, kWarning, kError };

struct Finding {
  std::string rule;       // stable, kebab-case: "atomic-to-cas-loop"
  std::string kernel;     // exact name
  std::string demangled;  // for people
  std::string target;     // "sm_90a", or what the kernel's PTX is for
  std::string baseline;   // value before, empty if there is none
  std::string value;      // value now
  std::string message;    // what happened, one sentence
  std::string why;        // why it matters
  std::string fix;        // what to do
  FindingLevel level = FindingLevel::kError;
  bool waived = false;
  std::string waiver;                // reason and expiry of the waiver
  std::string path;                  // of the PTX now; of before for a removed kernel
  uint32_t line = 0;                 // 1-based; 0 if there is none
  std::vector<std::string> details;  // further lines: constants with their values, places
};

struct KernelSummary {
  std::string kernel, demangled, target, path;
  uint32_t line = 0;
  std::string before_name;   // when it differs
  std::string cls;           // change class
  std::string acknowledged;  // reason, if the change was acknowledged or explained
  Counts delta;              // compat counts, after minus before
  std::vector<std::pair<std::string, Counts>> physical_delta;  // target → ptxas counts
  size_t findings = 0;                                         // not waived
};

struct GateResult {
  bool pass = true;
  std::string before, after;  // what was compared: paths, or "baseline FILE"
  std::vector<Finding> findings;
  std::vector<KernelSummary> kernels;
  std::vector<std::string> notes;  // what was not checked and why
  size_t failed() const {
    size_t n = 0;
    for (const Finding& f : findings) n += f.level == FindingLevel::kError && !f.waived;
    return n;
  }
  // Whether there is anything to comment on.
  bool moved() const {
    if (!findings.empty()) return true;
    for (const KernelSummary& k : kernels)
      if (k.cls != "identical") return true;
    return false;
  }
};

}  // namespace pitot::gate
