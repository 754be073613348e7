#include "check/coverage.h"

#include <algorithm>

namespace pitot::check {

using emulator::Flow;
using emulator::Op;

namespace {

// Whether a branch asks whether a barrier in memory is done: how often it has to ask again hangs on
// time, not on inputs. The predicate may come by way of selp, setp and the like.
bool asks_a_barrier(const emulator::Program& program, uint32_t first, uint32_t branch) {
  constexpr uint32_t kBack = 8;
  const ptx::Module& m = *program.module;
  ptx::RegId wanted = program.instruction(program.ops[branch]).guard;
  for (uint32_t i = branch; i-- > first && branch - i <= kBack;) {
    if (program.ops[i].instruction == emulator::kNoInstruction) continue;
    const ptx::Instruction& at = program.instruction(program.ops[i]);
    const auto operands = m.operands_of(at);
    if (operands.empty() || !operands[0].is_register() || operands[0].id != wanted) continue;
    const ptx::Opcode& op = *at.opcode;
    if (op.mnemonic == ptx::Mnemonic::kMbarrier)
      return op.has_mod(ptx::Mod::kTryWait) || op.has_mod(ptx::Mod::kTestWait);
    // Of selp the predicate is the last, of the rest the first source.
    if (operands.size() < 2) return false;
    const ptx::Operand& from =
        op.mnemonic == ptx::Mnemonic::kSelp ? operands[operands.size() - 1] : operands[1];
    if (!from.is_register()) return false;
    wanted = from.id;
  }
  return false;
}

}  // namespace

// Backward from the traps, until nothing changes: an operation is fatal when all that may follow it
// is.
Reached::Reached(const Side& side, std::optional<std::array<uint32_t, 3>> block)
    : side_(side), seen_(side.program->ops.size()), impossible_(impossible_ways(side, block)) {
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
    const bool dead = seen_[i] == 0 && impossible_.code[i - code.first];
    if (seen_[i] != 0 || fatal_[i - code.first] || dead) {
      ++c.ran;
      open = false;
    } else if (!open) {
      open = true;
      c.unreached.push_back(line);
    }
    if (op.flow != Flow::kBranch || op.guard == 0 || fatal_[i - code.first] || dead) continue;
    auto fatal_at = [&](uint32_t at) {
      return at >= code.first && at < code.first + code.count && fatal_[at - code.first];
    };
    const bool asks = seen_[i] != 0 && asks_a_barrier(*side_.program, code.first, i);
    const bool taken =
        (seen_[i] & 2) != 0 || fatal_at(op.target) || asks || impossible_.taken[i - code.first];
    const bool passed =
        (seen_[i] & 4) != 0 || fatal_at(i + 1) || asks || impossible_.passed[i - code.first];
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
