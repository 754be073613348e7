// The grid: which blocks run together, on how many threads, and what is counted.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "emulator/gang.h"
#include "emulator/launch.h"
#include "support/parallel.h"

namespace pitot::emulator {
namespace {

constexpr uint64_t kGangTurn = 1 << 22;  // warp instructions before another gang may start
constexpr size_t kLiveGangs = 64;        // started and not done, a worker

uint64_t volume(const Dim3& d) { return uint64_t{d[0]} * d[1] * d[2]; }

// Whether the result may depend on the order in which blocks run: then they run one after the
// other.
bool order_matters(const Program& p) {
  for (const Op& op : p.ops) {
    if (op.instruction == kNoInstruction) continue;
    const ptx::Opcode& o = *p.instruction(op).opcode;
    if (o.has(ptx::kAtomic)) return true;
    // The element type of a tensor is in its map.
    const bool floats =
        ptx::kind_of(o.type) == ptx::TypeKind::kFloat || o.has_mod(ptx::Mod::kTensor);
    if (o.has(ptx::kRed) && floats) return true;
    if (o.has(ptx::kLoad) &&
        (o.has(ptx::kVolatile) || o.has_mod(ptx::Mod::kAcquire) || o.has_mod(ptx::Mod::kRelaxed)))
      return true;
  }
  return false;
}

Status valid(const Program& program, const FunctionCode& kernel, const Launch& l) {
  for (unsigned i = 0; i < 3; ++i)
    if (l.grid[i] == 0 || l.block[i] == 0 || l.cluster[i] == 0)
      return input_error("grid, block and cluster need at least 1 in every dimension");
  if (volume(l.block) > 1024)
    return input_error(fmt::format("a block has at most 1024 threads, not {}", volume(l.block)));
  if (volume(l.cluster) > 16) return input_error("a cluster has at most 16 blocks");
  for (unsigned i = 0; i < 3; ++i)
    if (l.grid[i] % l.cluster[i] != 0)
      return input_error("the grid is not a multiple of the cluster");
  const auto& bounds = kernel.function->bounds;
  if (bounds.reqntid && volume(*bounds.reqntid) != volume(l.block))
    return input_error(fmt::format("the kernel requires blocks of {} threads, not {}",
                                   volume(*bounds.reqntid), volume(l.block)));
  if (bounds.maxntid && volume(*bounds.maxntid) < volume(l.block))
    return input_error(fmt::format("the kernel allows blocks of {} threads, not {}",
                                   volume(*bounds.maxntid), volume(l.block)));
  if (l.parameters.size() < kernel.parameter_bytes)
    return input_error(fmt::format("the kernel takes {} bytes of parameters, not {}",
                                   kernel.parameter_bytes, l.parameters.size()));
  const uint64_t shared = std::max<uint64_t>(
      kernel.shared_bytes,
      l.dynamic_shared != 0 ? uint64_t{program.dynamic_shared_at} + l.dynamic_shared : 0);
  if (shared > kSharedStride) return input_error("too much shared memory for a block");
  return Ok{};
}

// Linear block numbers of every gang.
std::vector<std::vector<uint64_t>> all_gangs(const Launch& l) {
  std::vector<std::vector<uint64_t>> out;
  const Dim3& g = l.grid;
  const Dim3& c = l.cluster;
  const uint64_t blocks = volume(g);
  if (l.cooperative) {
    out.emplace_back();
    for (uint64_t n = 0; n < blocks; ++n) out.back().push_back(n);
    return out;
  }
  if (volume(c) == 1) {
    for (uint64_t n = 0; n < blocks; ++n) out.push_back({n});
    return out;
  }
  for (uint32_t z = 0; z < g[2]; z += c[2])
    for (uint32_t y = 0; y < g[1]; y += c[1])
      for (uint32_t x = 0; x < g[0]; x += c[0]) {
        std::vector<uint64_t> gang;
        for (uint32_t k = 0; k < c[2]; ++k)
          for (uint32_t j = 0; j < c[1]; ++j)
            for (uint32_t i = 0; i < c[0]; ++i) {
              const uint64_t n = (uint64_t{z + k} * g[1] + (y + j)) * g[0] + (x + i);
              gang.push_back(n);
            }
        out.push_back(std::move(gang));
      }
  return out;
}

}  // namespace

std::vector<std::vector<uint64_t>> gangs_of(const Launch& l, std::span<const uint64_t> only) {
  if (!only.empty() && !l.cooperative && volume(l.cluster) == 1) {
    std::vector<std::vector<uint64_t>> out;
    for (uint64_t n : only)
      if (n < volume(l.grid)) out.push_back({n});
    return out;
  }
  auto all = all_gangs(l);
  if (!only.empty())
    std::erase_if(all, [&](const std::vector<uint64_t>& gang) {
      return std::none_of(gang.begin(), gang.end(), [&](uint64_t n) {
        return std::binary_search(only.begin(), only.end(), n);
      });
    });
  return all;
}

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kUncovered:
      return "uncovered";
    case FaultKind::kOutOfBounds:
      return "out-of-bounds";
    case FaultKind::kMisaligned:
      return "misaligned";
    case FaultKind::kUninitialised:
      return "uninitialised";
    case FaultKind::kRace:
      return "race";
    case FaultKind::kBarrierDivergence:
      return "barrier-divergence";
    case FaultKind::kMemberMask:
      return "member-mask";
    case FaultKind::kUnwaitedCopy:
      return "unwaited-copy";
    case FaultKind::kTransactions:
      return "transactions";
    case FaultKind::kDeadlock:
      return "deadlock";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kBudget:
      return "budget";
    case FaultKind::kMemoryCap:
      return "memory-cap";
    case FaultKind::kIllegal:
      return "illegal";
  }
  return "illegal";
}

Result<Outcome> execute(const Program& program, uint32_t kernel, const Launch& launch,
                        GlobalMemory& memory, const Options& options) {
  if (kernel >= program.functions.size() || !program.module->functions[kernel].is_entry)
    return input_error("no such kernel");
  const FunctionCode& code = program.functions[kernel];
  if (Status s = valid(program, code, launch); !s) return s.error();
  LaunchState state(program, code, launch, memory, options);
  state.executed.assign(program.ops.size(), 0);
  const auto gangs = gangs_of(launch, options.blocks);
  unsigned workers =
      order_matters(program) || options.checks.races ? 1 : worker_count(options.workers);
  workers = static_cast<unsigned>(std::min<size_t>(workers, gangs.size()));
  std::atomic<size_t> next{0};
  parallel_for(workers, workers, [&](size_t) {
    std::deque<std::unique_ptr<Gang>> live;
    while (!state.stop) {
      if (live.size() < kLiveGangs)
        if (const size_t n = next.fetch_add(1); n < gangs.size())
          live.push_front(std::make_unique<Gang>(state, gangs[n], n));
      if (live.empty()) break;
      std::unique_ptr<Gang> gang = std::move(live.front());
      live.pop_front();
      if (gang->run(kGangTurn)) {
        gang->finish();
      } else {
        live.push_back(std::move(gang));  // others, perhaps those it waits for, get their turn
      }
    }
    for (auto& gang : live) gang->finish();
  });
  Outcome out;
  // A read that came too early for the write is why a value was undefined.
  std::stable_partition(state.faults.begin(), state.faults.end(), [&](const Fault& f) {
    return f.kind != FaultKind::kUninitialised || !options.checks.races;
  });
  out.faults = std::move(state.faults);
  out.counters = state.counters;
  out.executed = std::move(state.executed);
  return out;
}

}  // namespace pitot::emulator
