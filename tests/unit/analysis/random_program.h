// Random small kernels, and an interpreter that follows who really wrote what, for checking the
// register analyses against executions.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>

#include "flow_helpers.h"

namespace pitot::analysis {

struct RandomProgram {
  bool predicated = true;  // guarded moves, not only guarded branches
  uint32_t blocks = 6;
  uint32_t registers = 4;
  uint32_t predicates = 3;

  // Blocks L0 … of moves, compares and predicate logic that end in branches, returns or nothing.
  std::string body(std::mt19937& rng) const {
    auto pick = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
    auto r = [&] { return "%r" + std::to_string(pick(registers)); };
    auto p = [&] { return "%p" + std::to_string(pick(predicates)); };
    auto guard = [&] {
      if (!predicated || pick(2) == 0) return std::string();
      return (pick(2) == 0 ? "@" : "@!") + p() + " ";
    };
    std::string out;
    for (uint32_t b = 0; b < blocks; ++b) {
      out += "L" + std::to_string(b) + ":\n";
      for (uint32_t k = pick(5); k > 0; --k) {
        switch (pick(7)) {
          case 0:
            out += guard() + "setp.eq.u32 " + p() + ", " + r() + ", 7;\n";
            break;
          case 1:
            out += "not.pred " + p() + ", " + p() + ";\n";
            break;
          case 2:
            out += "and.pred " + p() + ", " + p() + ", " + p() + ";\n";
            break;
          case 3:
            out += guard() + "add.u32 " + r() + ", " + r() + ", " + r() + ";\n";
            break;
          case 4:
            out += guard() + "mov.u32 " + r() + ", " + std::to_string(pick(9)) + ";\n";
            break;
          case 6:
            out += guard() + "mov.u32 " + r() + ", " + r() + ";\n";
            break;
          default:
            out += guard() + "st.global.u32 [%rd1], " + r() + ";\n";
            break;
        }
      }
      const std::string target = "L" + std::to_string(pick(blocks));
      switch (pick(6)) {
        case 0:
          out += "bra " + target + ";\n";
          break;
        case 1:
          out += "@" + p() + " ret;\n";
          break;
        case 2:
          break;
        default:
          out += (pick(2) == 0 ? "@" : "@!") + p() + " bra " + target + ";\n";
          break;
      }
    }
    return out + "ret;";
  }
};

inline constexpr uint32_t kNeverWritten = UINT32_MAX;

// Runs the kernel with coin-flip compares for at most `steps` instructions. Calls
// on_read(item, writer, undefined): the access item read, the item that wrote the register last,
// and whether the register holds nothing, plain moves of nothing included; a guarded instruction
// reads its sources only when the guard holds.
inline void execute(const Analysed& a, std::mt19937& rng, unsigned steps,
                    const std::function<void(uint32_t, uint32_t, bool)>& on_read) {
  const FlowFacts& facts = a.facts;
  std::vector<uint32_t> writer(register_slots(*facts.function), kNeverWritten);
  std::vector<bool> truth(writer.size()), undefined(writer.size(), true);
  for (size_t k = 0; k < truth.size(); ++k) truth[k] = rng() % 2 == 0;
  uint32_t at = 0;
  while (at < facts.instruction_count() && steps-- > 0) {
    const ptx::Instruction& i = facts.instruction(at);
    const auto operands = a.module.operands_of(i);
    const bool runs = i.guard == kNoId || truth[i.guard] != i.guard_negated;
    uint32_t next = at + 1;
    for (uint32_t k = facts.accesses.first[at]; k < facts.accesses.first[at + 1]; ++k) {
      const RegAccess& access = facts.accesses.items[k];
      if (access.write ? !runs : !runs && access.role != Role::kGuard) continue;
      if (!access.write) {
        on_read(k, writer[access.reg], undefined[access.reg]);
        continue;
      }
      const std::string_view op = i.opcode->text;
      if (op.starts_with("not"))
        truth[access.reg] = !truth[operands[1].id];
      else if (op.starts_with("and"))
        truth[access.reg] = truth[operands[1].id] && truth[operands[2].id];
      else if (op.starts_with("setp"))
        truth[access.reg] = rng() % 2 == 0;
      undefined[access.reg] =
          op.starts_with("mov") && operands[1].is_register() && undefined[operands[1].id];
      writer[access.reg] = k;
    }
    if (runs && i.opcode->has(ptx::kBranch))
      next = facts.function->labels[operands[0].id].instruction;
    if (runs && (i.opcode->has(ptx::kRet) || i.opcode->has(ptx::kExit))) return;
    at = next;
  }
}

}  // namespace pitot::analysis
