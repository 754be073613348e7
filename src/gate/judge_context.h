// What the checks of the gate share: the case at hand and how findings are made.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gate/gate.h"

namespace pitot::gate {

class Judgement {
 public:
  Judgement(const GateCase& c, const RuleSet& rules, const GateOptions& options, GateResult& result)
      : c(c), rules(rules), options(options), result_(result) {}

  const GateCase& c;
  const RuleSet& rules;
  const GateOptions& options;

  const KernelState& now() const { return c.after ? *c.after : *c.before; }
  bool both() const { return c.before && c.after; }

  // Adds a finding with the rule's explanation, unless the rule is disabled. The reference is valid
  // until the next finding; null when disabled.
  Finding* add(std::string_view rule, FindingLevel level, std::string message,
               std::string baseline = {}, std::string value = {});
  void note(std::string text);
  // Line of the first instruction whose spelling matches the glob; the kernel's own when none does.
  uint32_t line_of(std::string_view pattern) const;

 private:
  GateResult& result_;
};

// How many instructions of a state match a glob on the spelling.
uint32_t count_matching(const KernelState& k, std::string_view pattern);

// "registers 64 → 72 (+8)" with units where they are known.
std::string moved_text(std::string_view name, double before, double after);
std::string number_text(double x);

// The checks, each in its own file.
void check_class(Judgement& j);        // change class, header, acknowledgements
void check_regressions(Judgement& j);  // known regressions by name
void check_physical(Judgement& j);     // ptxas counts, occupancy, advisories
void check_rules(Judgement& j);        // what the rules file says

}  // namespace pitot::gate
