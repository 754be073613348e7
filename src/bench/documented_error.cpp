#include "bench/documented_error.h"

#include <fmt/format.h>

namespace pitot::bench {
namespace {

bool approximates(const ptx::Opcode& op) {
  return op.text.find(".approx") != op.text.npos || op.text.find(".full") != op.text.npos;
}

// In roundings, half units in the last place; 0: not looked at.
double documented(const ptx::Opcode& op) {
  if (!approximates(op)) return 0;
  switch (op.mnemonic) {
    case ptx::Mnemonic::kDiv:
      return 4;
    case ptx::Mnemonic::kRcp:
    case ptx::Mnemonic::kSqrt:
      return 2;
    case ptx::Mnemonic::kTanh:
      return 0x1p13;
    default:
      return 0;
  }
}

bool approximates_too(const ptx::Module& m, ptx::Mnemonic mnemonic) {
  for (const ptx::Instruction& i : m.instructions)
    if (i.opcode->mnemonic == mnemonic && approximates(*i.opcode)) return true;
  return false;
}

}  // namespace

std::string beyond_documented(const Candidate& candidate, const Candidate& start, double most,
                              uint32_t& line) {
  const ptx::Module& m = *candidate.module;
  for (const ptx::Instruction& i : m.instructions) {
    const ptx::Opcode& op = *i.opcode;
    const double off = documented(op);
    if (off <= most || approximates_too(*start.module, op.mnemonic)) continue;
    line = m.source->position(i.range.begin).line;
    return fmt::format(
        "line {}: '{}' may be off by {} roundings; the task allows {} in all, and the "
        "start kernel has no such instruction",
        line, op.text, off, most);
  }
  return {};
}

}  // namespace pitot::bench
