#include "check/by_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "check/drawn_sizes.h"
#include "check/endless.h"
#include "check/rounding.h"
#include "device/emulated.h"
#include "support/parallel.h"

namespace pitot::check {
namespace {

// Where code never ran: sizes to draw, and what the first kernel may execute at all of them.
constexpr size_t kDrawnSizes = 24;
constexpr uint64_t kDrawnInstructions = 16'000'000, kDrawnBudget = 2'000'000;
constexpr size_t kSizesAtOnce = 4;  // sizes beside each other at most: each may take gigabytes

double volume(const device::SizeSpec& s) {
  double v = 1;
  for (const auto& [name, n] : s.values) v *= static_cast<double>(std::max<int64_t>(n, 1));
  return v;
}

class SpecCheck {
 public:
  SpecCheck(const Side& a, const Side& b, const Options& o, CheckResult& out)
      : a_(a), b_(b), o_(o), out_(out), spec_(*o.spec), given_{spec_.rtol, spec_.atol} {}

  // Both kernels at one size. The second is not run where the first says that it need not be.
  struct Runs {
    std::optional<Result<device::RunResult>> a, b;
    uint64_t allowed = 0;  // instructions of the second
  };

  Runs run_both(const CheckedSize& s, unsigned workers) const {
    Runs out;
    const uint64_t budget =
        s.drawn ? std::min(o_.most_instructions(), kDrawnBudget) : o_.most_instructions();
    out.a = run(a_, s.size, nullptr, true, budget, workers);
    if (!*out.a || (s.added && !(*out.a)->ok()) || ran_out(**out.a)) return out;
    out.allowed = patience((*out.a)->warp_instructions, budget);
    out.b = run(b_, s.size, nullptr, true, out.allowed, workers);
    return out;
  }

  // True when there is nothing more to learn.
  Result<bool> look_at(const CheckedSize& s, Runs runs, Reached& reached_a, Reached& reached_b) {
    Result<device::RunResult>& a = *runs.a;
    if (!a) return s.added ? Result<bool>(false) : a.error();
    if (s.added && !a->ok()) return false;
    if (ran_out(*a)) {
      out_.reasons.push_back(fmt::format(
          "with {} a has no end within {} warp instructions: it was {}; --budget "
          "allows more",
          a->size_text, grouped(o_.most_instructions()), loop_text(a_, a->faults[0].line)));
      return true;
    }
    const uint64_t allowed = runs.allowed;
    Result<device::RunResult>& b = *runs.b;
    if (!b) return b.error();
    reached_a.add(a->executed);
    reached_b.add(b->executed);
    if (ran_out(*b) && a->ok()) {
      if (!hangs(allowed, a->warp_instructions)) {
        out_.reasons.push_back(
            fmt::format("with {} b has no end within {} warp instructions (a is done after {}): "
                        "it was {}; --budget allows more",
                        b->size_text, grouped(allowed), grouped(a->warp_instructions),
                        loop_text(b_, b->faults[0].line)));
        return true;
      }
      b->faults[0].kind = "hang";
      b->faults[0].message =
          hang_text(b_, b->faults[0].line, b->warp_instructions, a->warp_instructions);
    }
    if (!a->ok() || !b->ok()) {
      for (const auto& f : a->faults)
        out_.faults.push_back({'a', f.kind, f.message, out_.path_a, f.line, a->size_text});
      for (const auto& f : b->faults)
        out_.faults.push_back({'b', f.kind, f.message, out_.path_b, f.line, a->size_text});
      out_.verdict = Verdict::kFault;
      return true;
    }
    ++out_.trials;
    return compare(s.size, *a, *b);
  }

 private:
  Result<device::RunResult> run(const Side& side, const device::SizeSpec& size,
                                emulator::Follower* follower, bool checks, uint64_t budget,
                                unsigned workers) const {
    device::EmulatedOptions e;
    e.seed = o_.seed;
    e.emulator.workers = follower != nullptr ? 1 : workers;
    e.emulator.instruction_budget = budget;
    e.emulator.follower = follower;
    e.emulator.checks.uninitialised = e.emulator.checks.async_copies = checks;
    e.emulator.checks.races = checks;
    return device::run_emulated(*side.program, side.kernel, spec_, size, e);
  }

  static bool ran_out(const device::RunResult& r) {
    return !r.ok() && r.faults[0].kind == emulator::name_of(emulator::FaultKind::kBudget);
  }

  struct Pair {
    const device::RunOutput *a, *b;
    bool variable = false;
  };

  // What is compared, as far as it has different bits: buffers, and variables of one name.
  std::vector<Pair> differing(const device::RunResult& a, const device::RunResult& b) {
    std::vector<Pair> out;
    for (size_t k = 0; k < a.outputs.size(); ++k)
      if (a.outputs[k].bytes != b.outputs[k].bytes) out.push_back({&a.outputs[k], &b.outputs[k]});
    const auto named = [](const device::RunResult& r, const std::string& name) {
      const auto it = std::find_if(r.variables.begin(), r.variables.end(),
                                   [&](const auto& v) { return v.name == name; });
      return it != r.variables.end() ? &*it : nullptr;
    };
    for (const auto& x : a.variables) {
      const device::RunOutput* y = named(b, x.name);
      if (y == nullptr && x.written) lonely('a', x.name);
      if (y != nullptr && (x.written || y->written) && x.bytes != y->bytes)
        out.push_back({&x, y, true});
    }
    for (const auto& y : b.variables)
      if (y.written && named(a, y.name) == nullptr) lonely('b', y.name);
    return out;
  }

  void lonely(char side, const std::string& variable) {
    const std::string note = unpaired_variable(side, variable);
    if (std::find(out_.notes.begin(), out_.notes.end(), note) == out_.notes.end())
      out_.notes.push_back(note);
  }

  Result<bool> compare(const device::SizeSpec& size, const device::RunResult& a,
                       const device::RunResult& b) {
    const std::vector<Pair> pairs = differing(a, b);
    if (pairs.empty()) return false;
    Rounding rounding{narrowest(a_, b_), nullptr, spec_.has_tolerance ? &given_ : nullptr};
    emulator::Shadow shadow(*a_.program);
    // It also knows which words of a variable are floats.
    const bool words = std::any_of(pairs.begin(), pairs.end(), [](const Pair& p) {
      return p.variable && p.a->type == ptx::name_of(ptx::Type::kB32);
    });
    const emulator::Shadow* followed = nullptr;
    if ((!spec_.has_tolerance || words) && a.warp_instructions <= kShadowInstructions) {
      if (auto again = run(a_, size, &shadow, false, o_.most_instructions(), 1); !again)
        return again.error();
      if (shadow.not_followed().empty()) followed = &shadow;
      if (!spec_.has_tolerance) rounding.shadow = followed;
    }
    Compared c;
    for (const Pair& p : pairs) {
      const auto& x = *p.a;
      const auto& y = *p.b;
      const ptx::Type declared = ptx::type_from_name(x.type);
      for (uint64_t i = 0; i < std::min(x.elements(), y.bytes.size() / x.element_bytes); ++i) {
        uint64_t u = x.bits(i), v = 0;
        std::memcpy(&v, y.bytes.data() + i * x.element_bytes, x.element_bytes);
        if (u == v) continue;
        const uint64_t address = x.address + i * x.element_bytes;
        const bool is_float = p.variable && declared == ptx::Type::kB32 && followed != nullptr &&
                              followed->global(address, 4, u).has_value();
        const ptx::Type type = is_float ? ptx::Type::kF32 : declared;
        if (!compare_element(rounding, address, u, v, type, c) || c.differing++ != 0) continue;
        c.first = difference_of(rounding, address, u, v, type);
        c.first.buffer = x.name;
        c.first.index = i;
      }
    }
    out_.bits_equal = false;
    if (c.differing == 0) {
      if (!c.by_tolerance && rounding.shadow != nullptr) out_.reassociated = true;
      return false;
    }
    Counterexample e;
    e.size = a.size_text.empty() ? "the spec's launch" : a.size_text;
    e.seed = o_.seed;
    e.first = c.first;
    e.differing = c.differing;
    e.no_spec = "it was found with a spec";
    out_.counterexamples.push_back(std::move(e));
    out_.verdict = Verdict::kDifferent;
    return true;
  }

  const Side& a_;
  const Side& b_;
  const Options& o_;
  CheckResult& out_;
  const device::KernelSpec& spec_;
  const Tolerance given_;
};

}  // namespace

std::vector<CheckedSize> checked_sizes(const device::KernelSpec& spec) {
  std::vector<CheckedSize> out;
  for (const device::SizeSpec& s : spec.sizes) out.push_back({s, false});
  std::stable_sort(out.begin(), out.end(), [](const CheckedSize& x, const CheckedSize& y) {
    return volume(x.size) < volume(y.size);
  });
  auto full = std::find_if(out.begin(), out.end(),
                           [](const CheckedSize& s) { return s.size.kind == "full"; });
  if (full == out.end()) full = out.begin();
  const device::Sizes base = full->size.values;
  auto add = [&](const device::Sizes& values) {
    for (const CheckedSize& s : out)
      if (s.size.values == values) return;
    out.push_back({{"boundary", values}, true});
  };
  for (const auto& [name, n] : base)
    for (int64_t v : {n - 1, n + 1}) {
      if (v < 1) continue;
      device::Sizes changed = base;
      changed[name] = v;
      add(changed);
    }
  device::Sizes ones = base;
  for (auto& [name, n] : ones) n = 1;
  add(ones);
  return out;
}

Status check_by_spec(const Side& a, const Side& b, const Options& options, CheckResult& out,
                     Reached& reached_a, Reached& reached_b) {
  SpecCheck check(a, b, options, out);
  const std::vector<CheckedSize> sizes = checked_sizes(*options.spec);
  const unsigned workers = worker_count(options.workers);
  std::vector<SpecCheck::Runs> wave;
  size_t first = 0;  // the wave's first size
  for (size_t n = 0; n < sizes.size(); ++n) {
    if (n >= first + wave.size()) {
      first = n;
      // The smallest alone: where kernels differ it mostly shows at once.
      wave.assign(n == 0 ? 1 : std::min<size_t>({workers, kSizesAtOnce, sizes.size() - n}), {});
      const auto each = static_cast<unsigned>(workers / wave.size());
      parallel_for(wave.size(), workers,
                   [&](size_t i) { wave[i] = check.run_both(sizes[n + i], std::max(1u, each)); });
    }
    auto done = check.look_at(sizes[n], std::move(wave[n - first]), reached_a, reached_b);
    if (!done) return done.error();
    if (*done) return Ok{};
  }
  uint64_t executed = 0;
  for (device::Sizes& drawn : drawn_sizes(*options.spec, kDrawnSizes, options.seed)) {
    if ((reached_a.complete() && reached_b.complete()) || executed > kDrawnInstructions) break;
    const CheckedSize size{{"drawn", std::move(drawn)}, true, true};
    SpecCheck::Runs runs = check.run_both(size, workers);
    if (runs.a && *runs.a) executed += (**runs.a).warp_instructions;
    auto done = check.look_at(size, std::move(runs), reached_a, reached_b);
    if (!done) return done.error();
    if (*done) break;
  }
  return Ok{};
}

}  // namespace pitot::check
