#include "profile/op_facts.h"

namespace pitot::profile {

using ptx::Mnemonic;
using ptx::Mod;

namespace {

// Loads go to L1 unless they must see what other SMs write, or say that they do not want it
// (PTX ISA, "Cache Operators"; CUDA C++ Programming Guide, "Global Memory", 7.x).
bool looks_in_l1(const ptx::Opcode& o) {
  if (o.mnemonic == Mnemonic::kCp) return o.has_mod(Mod::kCa);
  if (!o.has(ptx::kLoad) || o.has(ptx::kAsync)) return false;
  return !o.has(ptx::kVolatile) && !o.has_mod(Mod::kCg) && !o.has_mod(Mod::kCv) &&
         !o.has_mod(Mod::kRelaxed) && !o.has_mod(Mod::kAcquire);
}

// Forward branches over no more than this become predicates.
constexpr uint32_t kShortBranch = 12;

// Divisions and roots that round have a branch to what handles their special cases.
bool branches_inside(const ptx::Opcode& o) {
  const bool rounds =
      o.mnemonic == Mnemonic::kDiv || o.mnemonic == Mnemonic::kSqrt || o.mnemonic == Mnemonic::kRcp;
  return rounds && ptx::kind_of(o.type) == ptx::TypeKind::kFloat && o.has_mod(Mod::kRn);
}

bool window_ends(const emulator::Op& op, uint32_t at) {
  switch (op.flow) {
    case emulator::Flow::kPlain:
    case emulator::Flow::kConvergent:
      return false;
    case emulator::Flow::kBranch:
      return op.target <= at || op.target - at > kShortBranch;
    default:
      return true;
  }
}

uint8_t space_class(const ptx::Opcode& o) {
  switch (ptx::base_space(o.space)) {
    case ptx::Space::kShared:
      return 1;
    case ptx::Space::kConst:
    case ptx::Space::kParam:
      return 2;
    default:
      return o.has_mod(Mod::kNc) ? 2 : 0;
  }
}

}  // namespace

std::vector<OpFacts> op_facts(const emulator::Program& program, unsigned sm) {
  std::vector<OpFacts> out(program.ops.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const emulator::Op& op = program.ops[i];
    // One past a function's last instruction stands an implicit ret.
    if (op.instruction >= program.module->instructions.size()) continue;
    const ptx::Opcode& o = *program.instruction(op).opcode;
    OpFacts& f = out[i];
    f.cost = cost_of(o, sm);
    f.cached = looks_in_l1(o);
    f.loads = o.has(ptx::kLoad) || o.has(ptx::kAtomic);
    f.stores = o.has(ptx::kStore) || o.has(ptx::kAtomic) || o.has(ptx::kRed);
    f.space = space_class(o);
    f.ends_window = window_ends(op, static_cast<uint32_t>(i)) || branches_inside(o);
    f.fragments = o.mnemonic == Mnemonic::kWgmma || o.mnemonic == Mnemonic::kTcgen05;
    f.wmma = o.mnemonic == Mnemonic::kWmma;
    const bool async = o.mnemonic == Mnemonic::kCp && o.has_mod(Mod::kAsync);
    f.async_copy = async && (o.has_mod(Mod::kCa) || o.has_mod(Mod::kCg));
    f.commits = async && o.has_mod(Mod::kCommitGroup) && !o.has_mod(Mod::kBulk);
    if (async && o.has_mod(Mod::kWaitGroup) && !o.has_mod(Mod::kBulk))
      f.waits = WaitFor::kAsyncGroups;
    if (async && o.has_mod(Mod::kWaitAll)) f.waits = WaitFor::kAllAsync;
    for (const emulator::Slot& s : program.slots_of(op)) {
      if (s.reg == UINT32_MAX || s.sink) continue;
      if (s.read) f.reads.push_back(s.reg);
      if (s.written) f.writes.push_back(s.reg);
    }
    if (op.guard != 0 && op.guard_reg != UINT32_MAX) f.reads.push_back(op.guard_reg);
  }
  return out;
}

MemoryLatencies latencies_of(const arch::Capability& c) {
  return {c.latency_shared.value_or(0), c.latency_l1.value_or(0), c.latency_l2.value_or(0),
          c.latency_dram.value_or(0)};
}

}  // namespace pitot::profile
