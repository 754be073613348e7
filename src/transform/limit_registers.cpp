// `.maxnreg`: how many registers ptxas may give a thread.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/register_limit.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

// Registers of a multiprocessor that blocks share (all targets from sm_50 on), the unit in which
// threads get them, and the most threads of a block.
constexpr uint64_t kRegisterFile = 65536;
constexpr uint64_t kRegisterUnit = 8;
constexpr uint64_t kMostThreads = 1024;

// What ptxas 13.0 wants beside the registers in braces of one wgmma; of tcgen05 it is 18.
constexpr uint64_t kBesideMatrix = 26;

// Registers that one instruction cannot do without: those in braces of asynchronous matrix and
// tensor-memory operations, which live all at once.
uint64_t least_registers(const ptx::Module& m, const ptx::Function& f, const ptx::Instruction& i) {
  if (i.opcode->mnemonic != ptx::Mnemonic::kWgmma && i.opcode->mnemonic != ptx::Mnemonic::kTcgen05)
    return 0;
  uint64_t bits = 0;
  for (const ptx::Operand& o : m.operands_of(i)) {
    if (o.kind != ptx::OperandKind::kVector) continue;
    for (const ptx::Operand& c : m.children_of(o))
      if (c.is_register()) bits += std::max(32u, ptx::bits_of(f.registers[c.id].type));
  }
  return bits == 0 ? 0 : bits / 32 + kBesideMatrix;
}

uint32_t limit_of(Action action) {
  switch (action) {
    case Action::kMaxnreg32:
      return 32;
    case Action::kMaxnreg64:
      return 64;
    case Action::kMaxnreg128:
      return 128;
    default:
      return 255;
  }
}

uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

// Threads of the largest block that may be launched, and who says so.
struct LargestBlock {
  uint64_t threads = 0;  // 0: not known
  std::string_view source;
};

LargestBlock largest_block(const Subject& subject) {
  if (auto threads = subject.function().bounds.threads()) {
    return {*threads, subject.function().bounds.reqntid ? ".reqntid" : ".maxntid"};
  }
  if (const auto& b = subject.assumptions().block)
    return {uint64_t{(*b)[0]} * (*b)[1] * (*b)[2], "the launch"};
  return {};
}

// With `.maxnreg` ptxas no longer keeps to what `.maxntid` leaves a thread, so a limit must do so
// itself or launches fail.
std::string why_not(const Subject& subject, uint32_t limit) {
  const ptx::LaunchBounds& bounds = subject.function().bounds;
  if (!subject.function().is_entry) return "only kernels have a register limit";
  if (bounds.maxnreg == limit) return fmt::format(".maxnreg {} is there already", limit);
  for (const ptx::Instruction& i : subject.body()) {
    const uint64_t least = least_registers(subject.module(), subject.function(), i);
    if (least > limit)
      return fmt::format("line {}: this {} alone takes {} registers", subject.line(i),
                         i.opcode->text.substr(0, i.opcode->text.find('.')), least);
    if (i.opcode->mnemonic == ptx::Mnemonic::kSetmaxnreg)
      return fmt::format(
          "line {}: setmaxnreg shares out the registers that the kernel starts with, and would "
          "wait for ever for more",
          subject.line(i));
  }
  LargestBlock block = largest_block(subject);
  if (block.threads == 0 && bounds.maxnreg && *bounds.maxnreg < limit)
    block = {kMostThreads, "a launch, of which nothing is known,"};
  const uint64_t threads = round_up(block.threads, 32);
  if (threads * round_up(limit, kRegisterUnit) > kRegisterFile)
    return fmt::format("{} allows blocks of {} threads, for which {} registers each are too many",
                       block.source, block.threads, limit);
  if (bounds.minnctapersm && threads != 0 && !bounds.maxnreg) {
    const uint64_t blocks = std::max<uint64_t>(*bounds.minnctapersm, 1);
    const uint64_t left = kRegisterFile / (blocks * threads) / kRegisterUnit * kRegisterUnit;
    if (left <= limit)
      return fmt::format(".minnctapersm {} leaves a thread {} registers already", blocks, left);
  }
  return {};
}

}  // namespace

void limit_registers(Subject& subject, Edit& edit, Action action) {
  const uint32_t limit = limit_of(action);
  if (std::string reason = why_not(subject, limit); !reason.empty())
    return edit.decline(std::move(reason));
  ptx::set_maxnreg(subject.function(), limit, edit.rewriter());
  edit.changed();
}

}  // namespace pitot::transform
