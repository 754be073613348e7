// What instructions and directives need of `.version` and `.target`, collapsed: one finding a need.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa.h"
#include "support/diagnostic.h"

namespace pitot::ptx {

// How unmet needs can be met.
struct Remedy {
  enum class Kind : uint8_t {
    kNone,     // they are met
    kVersion,  // the target will do with a later `.version`
    kTarget,   // a higher target; every later one will do
    kExact,    // only the architecture- or family-specific targets in `exact`
    kNever,    // no target that exists
  };
  Kind kind = Kind::kNone;
  Target target;              // kTarget: the lowest
  uint16_t version = 0;       // that the remedy needs, major×10+minor
  std::vector<Target> exact;  // the lowest first
};

// Every group must be met; `ptx` and `target` are the module's.
Remedy remedy_for(std::span<const Needs> groups, uint16_t ptx, Target target);

// "(sm_89, PTX 8.1) or (sm_90, PTX 7.8)"
std::string describe(Needs needs);
std::string version_text(uint16_t version);  // 81 → "8.1"

class RequirementLog {
 public:
  RequirementLog(uint16_t ptx, Target target) : ptx_(ptx), target_(target) {}

  // A use of `what` at `where` whose needs are not met. Returns a ticket for further uses of the
  // same.
  uint32_t unmet(std::string_view what, SourceRange where, std::span<const Needs> groups);
  // A use of an instruction that `unless` has removed from this version and target.
  uint32_t removed(std::string_view what, SourceRange where, Needs unless);
  uint32_t deprecated(std::string_view what, SourceRange where, Needs since);
  void again(uint32_t ticket) { ++findings_[ticket].count; }

  void flush(Diagnostics& out) const;

 private:
  enum class Kind : uint8_t { kUnmet, kRemoved, kDeprecated };
  struct Finding {
    Kind kind = Kind::kUnmet;
    Remedy remedy;
    Needs needs;  // the first group that is not met, or the condition of removal
    std::string what;
    SourceRange where;
    uint32_t count = 0;
    std::set<std::string> names;
  };
  uint32_t add(Finding finding, const std::string& key);
  Diagnostic diagnostic(const Finding& finding) const;

  uint16_t ptx_;
  Target target_;
  std::vector<Finding> findings_;
  std::map<std::string, uint32_t> by_key_;
};

}  // namespace pitot::ptx
