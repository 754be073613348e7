#include "check/judge.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace pitot::check {
namespace {

// Calls f(parameter, type, index, a, b, address in a) for elements with different bits.
template <class F>
void for_each_differing(const Plan& plan, const Run& a, const Run& b, F&& f) {
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    emulator::Region *x = a.regions[i], *y = b.regions[i];
    if (x == nullptr || (!x->written && !y->written)) continue;
    const ptx::Type type = result_of(plan.parameters[i]);
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
          (static_cast<int64_t>(offset) - static_cast<int64_t>(kMiddle)) /
              static_cast<int64_t>(bytes),
          u, v, x->base() + offset);
      }
    }
  }
}

}  // namespace

TrialJudge::TrialJudge(const Side& a, const Side& b, const Plan& plan, const Options& options)
    : a_(a), b_(b), plan_(plan), options_(options), narrow_(narrowest(a, b)) {
  checks_.uninitialised = true;
  checks_.async_copies = true;
  checks_.races = true;
}

Result<Run> TrialJudge::run_side(const Side& side, const Trial& trial,
                                 const emulator::Checks& checks, uint64_t order,
                                 emulator::Follower* follower) const {
  RunOptions o;
  o.checks = checks;
  o.follower = follower;
  o.seed = order;
  o.workers = options_.workers;
  o.budget = options_.budget;
  return run_kernel(side, plan_, trial, o);
}

// Inferred arguments may be nonsense, but not so that a kernel reads registers that it never wrote:
// what the first kernel itself does is taken as meant.
bool TrialJudge::drop_check(const emulator::Fault& f) {
  bool* check = f.kind == emulator::FaultKind::kUninitialised && checks_.uninitialised
                    ? &checks_.uninitialised
                : f.kind == emulator::FaultKind::kUnwaitedCopy && checks_.async_copies
                    ? &checks_.async_copies
                    : nullptr;
  if (check == nullptr) return false;
  *check = false;
  notes_.push_back(fmt::format("{} is not checked: a itself does it at line {} ({})",
                               emulator::name_of(f.kind), f.line, f.message));
  return true;
}

// The first kernel, with as many checks as it stands; `checks` is what is left of them.
Result<Run> TrialJudge::run_first(const Trial& trial, emulator::Checks& checks) {
  for (;;) {
    checks = checks_;
    auto a = run_side(a_, trial, checks);
    if (!a || a->outcome.ok()) return a;
    const emulator::Fault& f = a->outcome.faults[0];
    if (drop_check(f)) continue;
    if (f.kind != emulator::FaultKind::kRace) return a;
    // Arguments without a relation make rows overlap: its results may still be the same ones.
    if (!races_)
      notes_.push_back(
          fmt::format("a itself has a race at line {} on some of the arguments", f.line));
    races_ = true;
    checks.races = false;
    return run_side(a_, trial, checks);
  }
}

Result<Judged> TrialJudge::run(const Trial& trial) {
  Judged out;
  emulator::Checks checks;
  auto a = run_first(trial, checks);
  if (!a) return a.error();
  out.instructions = a->outcome.counters.warp_instructions;
  out.executed_a = a->outcome.executed;
  if (!a->outcome.ok()) {
    out.end = ran_out(a->outcome) ? TrialEnd::kRanOut : TrialEnd::kInvalid;
    out.fault = a->outcome.faults[0];
    return out;
  }
  auto b = run_side(b_, trial, checks);
  if (!b) return b.error();
  out.instructions += b->outcome.counters.warp_instructions;
  out.executed_b = b->outcome.executed;
  if (!b->outcome.ok()) {
    out.end = ran_out(b->outcome) ? TrialEnd::kRanOut : TrialEnd::kFault;
    out.fault = b->outcome.faults[0];
    return out;
  }
  auto compared = compare_runs(trial, *a, *b);
  if (!compared) return compared.error();
  out.compared = std::move(*compared);
  out.end = out.compared.differing != 0 ? TrialEnd::kDifferent : TrialEnd::kEqual;
  if (out.end == TrialEnd::kEqual) return out;
  if (!checks.races) {
    out.end = TrialEnd::kOrder;
    return out;
  }
  auto order = depends_on_order(trial, *a);
  if (!order) return order.error();
  if (*order) out.end = TrialEnd::kOrder;
  return out;
}

// Arguments that make threads write over each other's results are no arguments to compare by.
Result<bool> TrialJudge::depends_on_order(const Trial& trial, const Run& a) {
  for (uint64_t order : {1, 2, 3}) {
    auto again = run_side(a_, trial, {}, order);
    if (!again) return again.error();
    if (!again->outcome.ok()) return true;
    auto compared = compare_runs(trial, a, *again);
    if (!compared) return compared.error();
    if (compared->differing != 0) return true;
  }
  return false;
}

Result<Compared> TrialJudge::compare_runs(const Trial& trial, const Run& a, const Run& b) {
  Compared out;
  bool floats = false;
  for_each_differing(plan_, a, b, [&](size_t, ptx::Type t, int64_t, uint64_t, uint64_t, uint64_t) {
    floats |= ptx::kind_of(t) == ptx::TypeKind::kFloat;
    out.bits_equal = false;
  });
  if (out.bits_equal) return out;
  Rounding rounding{narrow_, nullptr, nullptr};
  emulator::Shadow shadow(*a_.program);
  if (floats && a.outcome.counters.warp_instructions <= kShadowInstructions) {
    auto again = run_side(a_, trial, {}, 0, &shadow);
    if (!again) return again.error();
    if (not_followed_.empty()) not_followed_ = shadow.not_followed();
    if (shadow.not_followed().empty()) rounding.shadow = &shadow;
  } else if (floats) {
    too_long_ = true;
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
  return out;
}

}  // namespace pitot::check
