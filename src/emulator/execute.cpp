// The grid: which blocks run together, on how many threads, and what is counted.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "emulator/gang.h"
#include "emulator/launch.h"
#include "emulator/race_check.h"
#include "support/parallel.h"

namespace pitot::emulator {
namespace {

constexpr uint64_t kGangTurn = 1 << 22;   // warp instructions before another gang may start
constexpr uint64_t kMostOfAll = 1 << 24;  // of a launch that runs them all
constexpr size_t kLiveGangs = 64;         // started and not done, a worker
constexpr size_t kTurnsOfWorker = 8;      // with runs of neighbouring gangs

using ptx::Mnemonic;

// Whether the result may depend on the order in which blocks run: then they run one after the
// other.
bool order_matters(const Program& p) {
  for (const Op& op : p.ops) {
    if (op.instruction == kNoInstruction) continue;
    const ptx::Opcode& o = *p.instruction(op).opcode;
    const bool one_address = o.mnemonic == Mnemonic::kAtom || o.mnemonic == Mnemonic::kRed ||
                             o.mnemonic == Mnemonic::kLd;
    if (one_address && ptx::base_space(o.space) == ptx::Space::kShared) continue;
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

// Whether to look for races on several workers first. Blocks that update one place together would
// only be run again; the race check does not see accesses to images.
bool worth_trying_apart(const Program& p) {
  return std::none_of(p.ops.begin(), p.ops.end(), [&](const Op& op) {
    if (op.instruction == kNoInstruction) return false;
    const ptx::Opcode& o = *p.instruction(op).opcode;
    switch (o.mnemonic) {
      case Mnemonic::kTex:
      case Mnemonic::kTld4:
      case Mnemonic::kSuld:
      case Mnemonic::kSust:
      case Mnemonic::kSured:
        return true;
      default:
        return o.has(ptx::kRed) && ptx::base_space(o.space) != ptx::Space::kShared;
    }
  });
}

Status valid(const Program& program, uint32_t kernel, const Launch& l, bool all_blocks) {
  if (auto problem = launch_problem(program, kernel, l)) return input_error(problem->message);
  const FunctionCode& code = program.functions[kernel];
  if (l.parameters.size() < code.parameter_bytes)
    return input_error(fmt::format("the kernel takes {} bytes of parameters, not {}",
                                   code.parameter_bytes, l.parameters.size()));
  if (all_blocks && volume_of(l.grid) > kMostOfAll)
    return input_error(fmt::format("a grid of {} blocks: the emulator runs at most {}",
                                   volume_of(l.grid), kMostOfAll));
  return Ok{};
}

// Linear block numbers of every gang.
std::vector<std::vector<uint64_t>> all_gangs(const Launch& l) {
  std::vector<std::vector<uint64_t>> out;
  const Dim3& g = l.grid;
  const Dim3& c = l.cluster;
  const uint64_t blocks = volume_of(g);
  if (l.cooperative) {
    out.emplace_back();
    for (uint64_t n = 0; n < blocks; ++n) out.back().push_back(n);
    return out;
  }
  if (volume_of(c) == 1) {
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

// Runs the gangs on so many workers. False when this was a try and something was found, or blocks
// of different workers met in memory: their order may have mattered.
bool run_gangs(LaunchState& state, const std::vector<std::vector<uint64_t>>& gangs,
               unsigned workers) {
  const bool races = state.options.checks.races;
  std::vector<std::unique_ptr<RaceCheck>> checks(races ? workers : 0);
  for (auto& c : checks) c = std::make_unique<RaceCheck>(state);
  // Neighbours mostly touch the same pages: what one worker has seen needs no comparing.
  const size_t at_once =
      state.tentative ? std::max<size_t>(1, gangs.size() / (workers * kTurnsOfWorker)) : 1;
  // Each worker has some to begin with, however late its thread comes.
  std::atomic<size_t> next{workers * at_once};
  parallel_for(workers, workers, [&](size_t worker) {
    RaceCheck* const check = races ? checks[worker].get() : nullptr;
    std::deque<std::unique_ptr<Gang>> live;
    size_t n = worker * at_once, end = std::min(n + at_once, gangs.size());
    while (!state.stop) {
      if (live.size() < kLiveGangs) {
        if (n >= end) {
          n = std::min(next.fetch_add(at_once), gangs.size());
          end = std::min(n + at_once, gangs.size());
        }
        if (n < end) {
          live.push_front(std::make_unique<Gang>(state, gangs[n], n, check));
          ++n;
        }
      }
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
  return !state.tentative ||
         (state.faults.empty() && !RaceCheck::conflict(checks, state.memory, workers));
}

}  // namespace

std::optional<arch::ShapeProblem> launch_problem(const Program& program, uint32_t kernel,
                                                 const Launch& l) {
  const FunctionCode& code = program.functions[kernel];
  arch::LaunchShape shape{l.grid, l.block, l.cluster, code.shared_bytes};
  if (l.dynamic_shared != 0)
    shape.shared =
        std::max<uint64_t>(shape.shared, uint64_t{program.dynamic_shared_at} + l.dynamic_shared);
  if (auto problem = arch::launch_problem(shape, program.module->target.sm)) return problem;
  auto text = [](const Dim3& d) { return fmt::format("{}x{}x{}", d[0], d[1], d[2]); };
  // Directives may leave the later dimensions out; the front end fills them with 1 or 0.
  auto filled = [](Dim3 d) {
    for (uint32_t& n : d) n = std::max(n, 1u);
    return d;
  };
  const auto& bounds = code.function->bounds;
  if (bounds.reqntid && filled(*bounds.reqntid) != l.block)
    return arch::ShapeProblem{
        arch::LaunchPart::kBlock,
        fmt::format("the kernel requires blocks of {} threads (.reqntid), not {}",
                    text(filled(*bounds.reqntid)), text(l.block))};
  if (bounds.maxntid && volume_of(filled(*bounds.maxntid)) < volume_of(l.block))
    return arch::ShapeProblem{
        arch::LaunchPart::kBlock,
        fmt::format("the kernel allows blocks of {} threads (.maxntid), not {}",
                    volume_of(filled(*bounds.maxntid)), volume_of(l.block))};
  if (bounds.reqnctapercluster && filled(*bounds.reqnctapercluster) != l.cluster)
    return arch::ShapeProblem{
        arch::LaunchPart::kCluster,
        fmt::format("the kernel requires clusters of {} blocks (.reqnctapercluster), not {}",
                    text(filled(*bounds.reqnctapercluster)), text(l.cluster))};
  return std::nullopt;
}

uint32_t most_shared(const Program& program) {
  return arch::most_shared(program.module->target.sm);
}

std::vector<std::vector<uint64_t>> gangs_of(const Launch& l, std::span<const uint64_t> only) {
  if (!only.empty() && !l.cooperative && volume_of(l.cluster) == 1) {
    std::vector<std::vector<uint64_t>> out;
    for (uint64_t n : only)
      if (n < volume_of(l.grid)) out.push_back({n});
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
  if (Status s = valid(program, kernel, launch, options.blocks.empty()); !s) return s.error();
  const auto gangs = gangs_of(launch, options.blocks);
  const bool races = options.checks.races;
  unsigned workers = order_matters(program) ? 1 : worker_count(options.workers);
  if (races && (!worth_trying_apart(program) || options.observers != nullptr)) workers = 1;
  workers = static_cast<unsigned>(std::min<size_t>(workers, gangs.size()));
  auto fresh = [&](bool tentative) {
    auto state = std::make_unique<LaunchState>(program, code, launch, memory, options);
    state->executed.assign(program.ops.size(), 0);
    state->tentative = tentative;
    return state;
  };
  std::unique_ptr<LaunchState> state;
  if (races && workers > 1) {
    // Blocks that share no byte which one of them writes compute the same in any order. If that
    // turns out to hold and nothing else was found, this is what one worker would have come to; if
    // not, one worker does it all again, so that what is reported never hangs on the workers.
    const MemorySnapshot before = memory.snapshot();
    state = fresh(true);
    if (!run_gangs(*state, gangs, workers)) {
      memory.restore(before);
      state = fresh(false);
      run_gangs(*state, gangs, 1);
    }
  } else {
    state = fresh(false);
    run_gangs(*state, gangs, workers);
  }
  Outcome out;
  // A read that came too early for the write is why a value was undefined.
  std::stable_partition(state->faults.begin(), state->faults.end(), [&](const Fault& f) {
    return f.kind != FaultKind::kUninitialised || !options.checks.races;
  });
  out.faults = std::move(state->faults);
  out.counters = state->counters;
  out.executed = std::move(state->executed);
  return out;
}

}  // namespace pitot::emulator
