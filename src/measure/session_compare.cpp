// Two kernels timed in turns: placements that load both anew, rounds within them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "device/values.h"
#include "measure/sampling.h"
#include "measure/session.h"
#include "measure/statistics.h"

namespace pitot::measure {
namespace {

constexpr size_t kLeastRounds = 6;  // of a placement
constexpr int kUncounted = 2;       // first rounds of a placement: other code was in the caches

// Which side failed, with the reason.
struct SideError {
  const char* side;
  Error error;
};

// A and B, set up for one placement.
struct Pair {
  std::optional<TimedKernel> a, b;
};

// One sample of each, A first unless `b_first`.
std::optional<SideError> sample_both(Pair& pair, bool b_first, std::array<double, 2>& out) {
  for (int i = 0; i < 2; ++i) {
    const bool is_b = (i == 1) != b_first;
    auto t = is_b ? pair.b->sample() : pair.a->sample();
    if (!t) return SideError{is_b ? "B" : "A", t.error()};
    out[is_b] = *t;
  }
  return std::nullopt;
}

}  // namespace

CompareRecord Meter::Session::compare(const Subject& a, const Subject& b,
                                      const MeterOptions& options, uint64_t seed) const {
  CompareRecord c;
  auto fail = [&](const SideError& e) {
    c.verdict = Verdict::kFault;
    c.reason = fmt::format("{}: {}", e.side, e.error.message);
    return c;
  };
  const Protocol& p = options.protocol;
  auto launch_of = [&](const Subject& s) {
    return device::resolve(*s.module, s.kernel, *s.spec, s.spec->sizes[s.size], options.seed);
  };
  auto launch_a = launch_of(a), launch_b = launch_of(b);
  if (!launch_a) return fail({"A", launch_a.error()});
  if (!launch_b) return fail({"B", launch_b.error()});
  const bool shared = a.spec_hash == b.spec_hash && a.size == b.size;
  std::optional<TimedKernel> base;  // whose buffers all placements use, when A and B share them
  auto make = [&](Pair& pair) -> std::optional<SideError> {
    auto kernel_a = load(a), kernel_b = load(b);
    if (!kernel_a) return SideError{"A", kernel_a.error()};
    if (!kernel_b) return SideError{"B", kernel_b.error()};
    auto timed_a = TimedKernel::make(bench, *kernel_a, *launch_a, p, base ? &*base : nullptr);
    if (!timed_a) return SideError{"A", timed_a.error()};
    auto timed_b = TimedKernel::make(bench, *kernel_b, *launch_b, p, shared ? &*timed_a : nullptr);
    if (!timed_b) return SideError{"B", timed_b.error()};
    pair.a = std::move(*timed_a);
    pair.b = std::move(*timed_b);
    if (shared && !base) base = pair.a;
    return std::nullopt;
  };

  c.a.before = c.b.before = telemetry();
  Pairs pairs;
  uint64_t drawn = 0;
  const size_t most = std::max<size_t>(kLeastRounds, p.max_samples / p.placements);
  for (uint32_t placement = 0; placement < p.placements; ++placement) {
    Pair pair;
    if (auto e = make(pair)) return fail(*e);
    if (placement == 0) {
      describe(pair.a->kernel(), pair.a->first().shape(), c.a);
      describe(pair.b->kernel(), pair.b->first().shape(), c.b);
      c.a.batch = pair.a->batch();
      c.b.batch = pair.b->batch();
      auto warm = warm_up(*pair.a, p);
      if (!warm) return fail({"A", warm.error()});
      c.a.stable = c.b.stable = warm->stable;
      c.a.warmup_ms = c.b.warmup_ms = warm->ms;
    }
    std::array<double, 2> times{};
    for (int i = 0; i < kUncounted; ++i)
      if (auto e = sample_both(pair, false, times)) return fail(*e);
    std::vector<std::array<double, 2>> rounds;
    const auto start = std::chrono::steady_clock::now();
    auto spent = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (rounds.size() < kLeastRounds ||
           (rounds.size() < most && spent() < 2 * p.seconds / p.placements)) {
      const bool b_first = (device::random_bits(seed, drawn++) & 1) != 0;
      if (auto e = sample_both(pair, b_first, times)) return fail(*e);
      rounds.push_back(times);
      c.a.samples.push_back(times[0]);
      c.b.samples.push_back(times[1]);
    }
    pairs.placements.push_back(std::move(rounds));
    for (auto [timed, side] : {std::pair{&*pair.a, "A"}, std::pair{&*pair.b, "B"}}) {
      auto outside = timed->overwritten();
      if (!outside) return fail({side, outside.error()});
      if (!outside->empty()) return fail({side, failed_error("out-of-bounds: " + *outside)});
    }
  }
  c.a.after = c.b.after = telemetry();
  summarise(p, c.a);
  summarise(p, c.b);
  c.a.ok = c.b.ok = true;
  const PairedResult r = compare_pairs(pairs, seed);
  c.change = r.change;
  c.noise_band = r.noise_band;
  c.least_detectable = r.least_detectable;
  c.placements = p.placements;
  c.rounds = static_cast<uint32_t>(c.a.samples.size());
  c.verdict = !r.differs           ? Verdict::kSame
              : r.change.value < 0 ? Verdict::kFaster
                                   : Verdict::kSlower;
  if (!r.differs)
    c.reason =
        fmt::format("a change below {:.2g} % could not have been seen", 100 * r.least_detectable);
  return c;
}

}  // namespace pitot::measure
