#include "check/coverage.h"

#include <algorithm>

namespace pitot::check {

using emulator::Flow;
using emulator::Op;

// Backward from the traps, until nothing changes: an operation is fatal when all that may follow it
// is.
Reached::Reached(const Side& side) : side_(side), seen_(side.program->ops.size()) {
  const auto& code = side.program->functions[side.kernel];
  const auto& ops = side.program->ops;
  fatal_.assign(code.count, false);
  auto is_fatal = [&](uint32_t at) {
    return at >= code.first && at < code.first + code.count && fatal_[at - code.first];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = code.first + code.count; i-- > code.first;) {
      if (fatal_[i - code.first]) continue;
      const Op& op = ops[i];
      const bool next = is_fatal(i + 1), guarded = op.guard != 0;
      bool fatal = false;
      switch (op.flow) {
        case Flow::kTrap:
          fatal = !guarded || next;
          break;
        case Flow::kBranch:
          fatal = is_fatal(op.target) && (!guarded || next);
          break;
        case Flow::kTable:
        case Flow::kReturn:
        case Flow::kExit:
          break;
        case Flow::kCall:
          // A call that no body is known of and that nothing follows, as of __assertfail.
          fatal = next;
          break;
        default:
          fatal = next;
      }
      if (fatal) {
        fatal_[i - code.first] = true;
        changed = true;
      }
    }
  }
}

void Reached::add(const std::vector<uint8_t>& executed) {
  for (size_t i = 0; i < seen_.size() && i < executed.size(); ++i) seen_[i] |= executed[i];
}

Coverage Reached::coverage() const {
  Coverage c;
  const auto& code = side_.program->functions[side_.kernel];
  bool open = false;
  for (uint32_t i = code.first; i < code.first + code.count; ++i) {
    const Op& op = side_.program->ops[i];
    ++c.instructions;
    const uint32_t line = side_.program->line(op);
    if (seen_[i] != 0 || fatal_[i - code.first]) {
      ++c.ran;
      open = false;
    } else if (!open) {
      open = true;
      c.unreached.push_back(line);
    }
    if (op.flow != Flow::kBranch || op.guard == 0 || fatal_[i - code.first]) continue;
    auto fatal_at = [&](uint32_t at) {
      return at >= code.first && at < code.first + code.count && fatal_[at - code.first];
    };
    const bool taken = (seen_[i] & 2) != 0 || fatal_at(op.target);
    const bool passed = (seen_[i] & 4) != 0 || fatal_at(i + 1);
    c.branch_sides += 2;
    c.taken += (taken ? 1u : 0u) + (passed ? 1u : 0u);
    if (seen_[i] != 0 && taken != passed) c.one_sided.push_back(line);
  }
  return c;
}

bool Reached::complete() const {
  const Coverage c = coverage();
  return c.ran == c.instructions && c.taken == c.branch_sides;
}

}  // namespace pitot::check
