// Runs the blocks of a gang in turn.
#include "emulator/gang.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/race_check.h"

namespace pitot::emulator {

void LaunchState::note(Fault fault) {
  std::lock_guard lock(mutex);
  for (const Fault& f : faults)
    if (f.kind == fault.kind && f.line == fault.line && f.other_line == fault.other_line) return;
  faults.push_back(std::move(fault));
  if (tentative) stop = true;
}

void LaunchState::report(Fault fault) {
  std::lock_guard lock(mutex);
  faults.push_back(std::move(fault));
  stop = true;
}

Gang::Gang(LaunchState& s, const std::vector<uint64_t>& numbers, size_t number, RaceCheck* r)
    : state(s), races(r), number_(number) {
  if (s.options.observers != nullptr) observer = s.options.observers->begin(number);
  executed.assign(s.program.ops.size(), 0);
  const Dim3& g = s.launch.grid;
  const Dim3& c = s.launch.cluster;
  for (uint64_t n : numbers) {
    const uint64_t x = n % g[0], y = n / g[0] % g[1], z = n / g[0] / g[1];
    const uint64_t rank = (z % c[2] * c[1] + y % c[1]) * c[0] + x % c[0];
    blocks_.push_back(std::make_unique<Block>(*this, n, static_cast<uint32_t>(rank)));
  }
}

bool Gang::run(uint64_t quantum) {
  const uint64_t fair = std::max<uint64_t>(quantum / blocks_.size(), 50'000);
  uint64_t ran = 0;
  while (ran < quantum) {
    bool any = false, all_done = true;
    uint64_t total = 0;
    // A small budget is not to be overrun by a whole turn.
    const uint64_t used = state.instructions, budget = state.options.instruction_budget;
    const uint64_t left = budget > used ? (budget - used) / blocks_.size() : 0;
    const uint64_t turn = std::min(fair, left) + 1;
    for (auto& b : blocks_) {
      any |= b->run(turn);
      total += b->counters().warp_instructions;
      all_done &= b->finished();
    }
    const uint64_t added = total - counted_;
    counted_ = total;
    ran += added;
    if (state.instructions.fetch_add(added) + added > state.options.instruction_budget &&
        !all_done && !state.stop) {
      Fault f;
      f.kind = FaultKind::kBudget;
      f.block = blocks_[0]->index();
      f.message = fmt::format("{} warp instructions are used up", state.options.instruction_budget);
      for (auto& b : blocks_)
        if (!b->finished() && f.line == 0)
          for (auto& w : b->warps())
            if (!w->fragments().empty() && f.line == 0) {
              f.block = b->index();
              f.line = state.program.line(state.program.ops[w->fragments()[0].pc]);
            }
      state.report(std::move(f));
    }
    if (all_done || state.stop) return true;
    if (!any) {
      for (auto& b : blocks_)
        if (!b->finished()) {
          b->stuck();
          return true;
        }
    }
  }
  return false;
}

void Gang::finish() {
  if (observer != nullptr) state.options.observers->end(number_);
  std::lock_guard lock(state.mutex);
  for (auto& b : blocks_) state.counters.add(b->counters());
  for (size_t i = 0; i < executed.size(); ++i) state.executed[i] |= executed[i];
}

}  // namespace pitot::emulator
