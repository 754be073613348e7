#include "check/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "device/emulated.h"

namespace pitot::check {
namespace {

// Calls f(parameter, type, index, a, b, address in a) for elements with different bits.
template <class F>
void for_each_differing(const Plan& plan, const Run& a, const Run& b, F&& f) {
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    emulator::Region *x = a.regions[i], *y = b.regions[i];
    if (x == nullptr || (!x->written && !y->written)) continue;
    const ptx::Type type = result_of(plan.parameters[i]);
    const uint64_t origin = origin_of(plan.parameters[i]);
    const unsigned bytes = ptx::bytes_of(type);
    std::set<uint64_t> pages;
    for (uint64_t n : x->touched()) pages.insert(n);
    for (uint64_t n : y->touched()) pages.insert(n);
    for (uint64_t n : pages) {
      const emulator::Page* p = x->page(n * emulator::kPageBytes);
      const emulator::Page* q = y->page(n * emulator::kPageBytes);
      if (p == nullptr || q == nullptr || p->bytes == q->bytes) continue;
      for (uint64_t at = 0; at < emulator::kPageBytes; at += bytes) {
        uint64_t u = 0, v = 0;
        std::memcpy(&u, p->bytes.data() + at, bytes);
        std::memcpy(&v, q->bytes.data() + at, bytes);
        if (u == v) continue;
        const uint64_t offset = n * emulator::kPageBytes + at;
        f(i, type,
          (static_cast<int64_t>(offset) - static_cast<int64_t>(origin)) /
              static_cast<int64_t>(bytes),
          u, v, x->base() + offset);
      }
    }
  }
}

// Variables of a module that kernels may write, by name.
std::map<std::string, emulator::Region*> variables_of(const Run& run) {
  std::map<std::string, emulator::Region*> out;
  for (const auto& r : run.memory->regions())
    if (r->base() >= emulator::kModuleBase && r->base() < emulator::kGlobalBase && !r->read_only)
      out[r->name()] = r.get();
  return out;
}

// Calls f(element, a, b, address in a) for elements of a variable with different bits.
template <class F>
void for_each_differing_in(emulator::Region& x, emulator::Region& y, unsigned bytes, F&& f) {
  const uint64_t size = std::min(x.size(), y.size());
  for (uint64_t at = 0; at < size; at += bytes) {
    const emulator::Page* p = x.page(at);
    const emulator::Page* q = y.page(at);
    if (p == nullptr || q == nullptr) return;
    const uint64_t in_page = at % emulator::kPageBytes;
    if (in_page == 0 && p->bytes == q->bytes) {
      at += emulator::kPageBytes - bytes;
      continue;
    }
    const auto n = static_cast<size_t>(std::min<uint64_t>(bytes, size - at));
    uint64_t u = 0, v = 0;
    std::memcpy(&u, p->bytes.data() + in_page, n);
    std::memcpy(&v, q->bytes.data() + in_page, n);
    if (u != v) f(at / bytes, u, v, x.base() + at);
  }
}

}  // namespace

JudgeState JudgeState::fresh() {
  JudgeState s;
  s.checks.uninitialised = true;
  s.checks.async_copies = true;
  s.checks.races = true;
  return s;
}

void JudgeState::learn(const JudgeState& trial) {
  checks = trial.checks;
  for (const std::string& note : trial.notes)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  if (not_followed.empty()) not_followed = trial.not_followed;
  too_long_for_shadow |= trial.too_long_for_shadow;
  if (race_line == 0) race_line = trial.race_line;
}

TrialJudge::TrialJudge(const Side& a, const Side& b, const Plan& plan, const Options& options,
                       JudgeState state)
    : a_(a),
      b_(b),
      plan_(plan),
      options_(options),
      narrow_(narrowest(a, b)),
      state_(std::move(state)) {}

Result<Run> TrialJudge::run_side(const Side& side, const Trial& trial,
                                 const emulator::Checks& checks, uint64_t budget, uint64_t order,
                                 emulator::Follower* follower) const {
  RunOptions o;
  o.checks = checks;
  o.follower = follower;
  o.seed = order;
  o.budget = budget;  // trials run beside each other: one worker each
  return run_kernel(side, plan_, trial, o);
}

// Inferred arguments may be nonsense, but not so that a kernel reads registers that it never wrote:
// what the first kernel itself does is taken as meant.
bool TrialJudge::drop_check(const emulator::Fault& f) {
  emulator::Checks& checks = state_.checks;
  bool* check =
      f.kind == emulator::FaultKind::kUninitialised && checks.uninitialised ? &checks.uninitialised
      : f.kind == emulator::FaultKind::kUnwaitedCopy && checks.async_copies ? &checks.async_copies
                                                                            : nullptr;
  if (check == nullptr) return false;
  *check = false;
  state_.notes.push_back(fmt::format("{} is not checked: a itself does it at line {} ({})",
                                     emulator::name_of(f.kind), f.line, f.message));
  return true;
}

// The first kernel, with as many checks as it stands; `checks` is what is left of them.
Result<Run> TrialJudge::run_first(const Trial& trial, uint64_t budget, emulator::Checks& checks) {
  for (;;) {
    checks = state_.checks;
    auto a = run_side(a_, trial, checks, budget);
    if (!a || a->outcome.ok()) return a;
    const emulator::Fault& f = a->outcome.faults[0];
    if (drop_check(f)) continue;
    if (f.kind != emulator::FaultKind::kRace) return a;
    // Arguments without a relation make rows overlap: its results may still be the same ones.
    if (state_.race_line == 0) state_.race_line = f.line;
    checks.races = false;
    return run_side(a_, trial, checks, budget);
  }
}

Result<Judged> TrialJudge::run(const Trial& trial, uint64_t budget) {
  if (budget == 0) budget = options_.most_instructions();
  Judged out;
  emulator::Checks checks;
  auto a = run_first(trial, budget, checks);
  if (!a) return a.error();
  out.instructions = out.instructions_a = a->outcome.counters.warp_instructions;
  out.executed_a = a->outcome.executed;
  if (!a->outcome.ok()) {
    out.end = ran_out(a->outcome) ? TrialEnd::kRanOut : TrialEnd::kInvalid;
    out.fault = a->outcome.faults[0];
    return out;
  }
  const uint64_t allowed = patience(out.instructions_a, budget);
  auto b = run_side(b_, trial, checks, allowed);
  if (!b) return b.error();
  out.instructions += b->outcome.counters.warp_instructions;
  out.executed_b = b->outcome.executed;
  if (!b->outcome.ok()) {
    out.side = 'b';
    out.fault = b->outcome.faults[0];
    out.hang = out.fault.kind == emulator::FaultKind::kBudget && hangs(allowed, out.instructions_a);
    out.end = ran_out(b->outcome) && !out.hang ? TrialEnd::kRanOut : TrialEnd::kFault;
    return out;
  }
  auto compared = compare_runs(trial, *a, *b, budget);
  if (!compared) return compared.error();
  out.compared = std::move(*compared);
  out.end = out.compared.differing != 0 ? TrialEnd::kDifferent : TrialEnd::kEqual;
  if (out.end == TrialEnd::kEqual) return out;
  auto order = depends_on_order(trial, *a, budget);
  if (!order) return order.error();
  if (*order) {
    out.end = TrialEnd::kOrder;
  } else if (!checks.races) {
    // Blocks run one after the other here: that its results do not change proves nothing.
    out.end = TrialEnd::kRace;
  }
  return out;
}

Result<bool> TrialJudge::second_ends(const Trial& trial, uint64_t budget) {
  auto b = run_side(b_, trial, {}, budget);
  if (!b) return b.error();
  return !ran_out(b->outcome);
}

// Arguments that make threads write over each other's results are no arguments to compare by.
Result<bool> TrialJudge::depends_on_order(const Trial& trial, const Run& a, uint64_t budget) {
  for (uint64_t order : {1, 2, 3}) {
    auto again = run_side(a_, trial, {}, budget, order);
    if (!again) return again.error();
    if (ran_out(again->outcome)) continue;
    if (!again->outcome.ok()) return true;
    auto compared = compare_runs(trial, a, *again, budget);
    if (!compared) return compared.error();
    if (compared->differing != 0) return true;
  }
  return false;
}

Result<Compared> TrialJudge::compare_runs(const Trial& trial, const Run& a, const Run& b,
                                          uint64_t budget) {
  Compared out;
  bool floats = false;
  for_each_differing(plan_, a, b, [&](size_t, ptx::Type t, int64_t, uint64_t, uint64_t, uint64_t) {
    floats |= ptx::kind_of(t) == ptx::TypeKind::kFloat;
    out.bits_equal = false;
  });
  struct Variable {
    std::string name;
    emulator::Region *a, *b;
    ptx::Type type;
  };
  std::vector<Variable> variables;
  const auto in_a = variables_of(a), in_b = variables_of(b);
  auto lonely = [&](char side, const std::string& name) {
    const std::string note = unpaired_variable(side, name);
    if (std::find(state_.notes.begin(), state_.notes.end(), note) == state_.notes.end())
      state_.notes.push_back(note);
  };
  for (const auto& [name, y] : in_b)
    if (y->written && !in_a.contains(name)) lonely('b', name);
  for (const auto& [name, x] : in_a) {
    const auto y = in_b.find(name);
    if (y == in_b.end()) {
      if (x->written) lonely('a', name);
      continue;
    }
    if (!x->written && !y->second->written) continue;
    Variable v{name, x, y->second, device::variable_type(*a_.module, name)};
    bool differs = false;
    for_each_differing_in(*v.a, *v.b, ptx::bytes_of(v.type),
                          [&](uint64_t, uint64_t, uint64_t, uint64_t) { differs = true; });
    if (!differs) continue;
    floats = true;  // words may be floats
    out.bits_equal = false;
    variables.push_back(std::move(v));
  }
  if (out.bits_equal) return out;
  Rounding rounding{narrow_, nullptr, nullptr};
  emulator::Shadow shadow(*a_.program);
  if (floats && a.outcome.counters.warp_instructions <= kShadowInstructions) {
    auto again = run_side(a_, trial, {}, budget, 0, &shadow);
    if (!again) return again.error();
    if (state_.not_followed.empty()) state_.not_followed = shadow.not_followed();
    if (shadow.not_followed().empty()) rounding.shadow = &shadow;
  } else if (floats) {
    state_.too_long_for_shadow = true;
  }
  for_each_differing(
      plan_, a, b,
      [&](size_t i, ptx::Type type, int64_t index, uint64_t u, uint64_t v, uint64_t address) {
        if (!compare_element(rounding, address, u, v, type, out)) return;
        if (out.differing++ != 0) return;
        out.first = difference_of(rounding, address, u, v, type);
        out.first.buffer = plan_.parameters[i].name;
        out.first.before = index < 0;
        out.first.index = static_cast<uint64_t>(index < 0 ? -index : index);
        out.buffer = i;
        out.index = index;
      });
  for (const Variable& v : variables)
    for_each_differing_in(*v.a, *v.b, ptx::bytes_of(v.type),
                          [&](uint64_t index, uint64_t x, uint64_t y, uint64_t address) {
                            // Of a word the shadow knows whether a float was stored there.
                            const bool is_float =
                                v.type == ptx::Type::kB32 && rounding.shadow != nullptr &&
                                rounding.shadow->global(address, 4, x).has_value();
                            const ptx::Type type = is_float ? ptx::Type::kF32 : v.type;
                            if (!compare_element(rounding, address, x, y, type, out)) return;
                            if (out.differing++ != 0) return;
                            out.first = difference_of(rounding, address, x, y, type);
                            out.first.buffer = v.name;
                            out.first.index = index;
                            out.buffer = kVariable;
                          });
  return out;
}

}  // namespace pitot::check
