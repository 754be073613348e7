#include "bench/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/values.h"
#include "support/draws.h"

namespace pitot::bench {
namespace {

constexpr unsigned kAttempts = 1000;  // to fulfil `volume`

int64_t draw(const SizeRange& r, Draws& draws) {
  const double low = std::log(static_cast<double>(r.from));
  const double high = std::log(static_cast<double>(r.to) + 1);
  const auto v = static_cast<int64_t>(std::exp(low + (high - low) * draws.unit()));
  const int64_t least = (r.from + r.multiple - 1) / r.multiple, most = r.to / r.multiple;
  return std::clamp(v / r.multiple, least, most) * r.multiple;
}

bool fulfils(const std::string& volume, const device::Sizes& sizes) {
  if (volume.empty()) return true;
  auto v = device::evaluate(volume, sizes);
  return v && *v != 0;
}

// The `init` that makes such data: device/values.h. Bits of special values: device::Sample.
std::string init_of(Data data, uint64_t seed) {
  const auto sample = [&](device::SamplePattern p) {
    return fmt::format("sample({}, {}, 0)", seed & 0xffffffff, static_cast<int>(p));
  };
  switch (data) {
    case Data::kPositive:
      return sample(device::SamplePattern::kPositive);
    case Data::kNegative:
      return sample(device::SamplePattern::kNegative);
    case Data::kEqual:
      return sample(device::SamplePattern::kEqual);
    case Data::kWide:
      return sample(device::SamplePattern::kWide);
    case Data::kLarge:
      return sample(device::SamplePattern::kLarge);
    case Data::kNan:
      return fmt::format("special({}, 24)", 0x01 | 0x08);
    case Data::kInfinite:
      return fmt::format("special({}, 40)", 0x02 | 0x04);
    case Data::kTiny:  // nothing but −0 and subnormal ones: they are nothing beside others
      return fmt::format("special({}, 1)", 0x08 | 0x80);
    case Data::kHuge:
      return fmt::format("special({}, 12)", 0x40);
    default:
      return sample(device::SamplePattern::kMixed);
  }
}

// The first public size with every number one step more, and one less, within the task's ranges:
// odd where published sizes are even, one too many for a block.
std::vector<device::SizeSpec> beside_published(const Task& task) {
  std::vector<device::SizeSpec> out;
  for (int64_t step : {1, -1}) {
    device::SizeSpec size{"private", task.spec.sizes.front().values};
    bool other = false;
    for (auto& [name, value] : size.values) {
      const auto range = task.ranges.find(name);
      if (range == task.ranges.end()) continue;
      const SizeRange& r = range->second;
      const int64_t next = (value / r.multiple + step) * r.multiple;
      if (next < r.from || next > r.to) continue;
      value = next;
      other = true;
    }
    if (other && fulfils(task.volume, size.values)) out.push_back(std::move(size));
  }
  return out;
}

// The kinds of data that come one after the other, the most telling first.
std::vector<Data> kinds_of(const Task& task) {
  std::vector<Data> out{Data::kGiven};
  if (task.accuracy.any_values) {
    for (Data d : {Data::kPositive, Data::kWide}) out.push_back(d);
    if (task.accuracy.special) out.push_back(Data::kNan);
    out.push_back(Data::kNegative);
    if (task.accuracy.special) out.push_back(Data::kInfinite);
    for (Data d : {Data::kEqual, Data::kGiven, Data::kLarge}) out.push_back(d);
    if (task.accuracy.special)
      for (Data d : {Data::kTiny, Data::kHuge}) out.push_back(d);
    out.push_back(Data::kMixed);
  }
  return out;
}

}  // namespace

std::string_view name_of(Data data) {
  constexpr std::string_view kNames[] = {
      "as given",         "mixed", "positive", "negative",        "all equal",
      "of wide range",    "large", "with NaN", "with infinities", "with subnormal numbers",
      "with huge numbers"};
  return kNames[static_cast<size_t>(data)];
}

std::vector<device::SizeSpec> draw_sizes(const Task& task, uint64_t seed, unsigned count) {
  std::vector<device::SizeSpec> out;
  Draws draws(seed);
  for (unsigned n = 0; n < count; ++n) {
    if (task.ranges.empty()) {
      out.push_back(task.spec.sizes[n % task.spec.sizes.size()]);
      continue;
    }
    for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
      device::SizeSpec size{"private", {}};
      for (const auto& [name, range] : task.ranges) size.values[name] = draw(range, draws);
      if (!fulfils(task.volume, size.values)) continue;
      out.push_back(std::move(size));
      break;
    }
  }
  return out;
}

std::vector<TrialPlan> plan_trials(const Task& task, uint64_t seed, unsigned drawn) {
  std::vector<TrialPlan> out;
  const std::vector<Data> kinds = kinds_of(task);
  Draws draws(seed);
  const auto add = [&](const device::SizeSpec& size, bool secret, Data data) {
    out.push_back({size, secret, data, draws.bits() >> 32, draws.bits() >> 32});
  };
  for (const device::SizeSpec& s : task.spec.sizes) add(s, false, Data::kGiven);
  for (const device::SizeSpec& s : beside_published(task)) add(s, true, Data::kGiven);
  size_t next = kinds.size() > 1 ? 1 : 0;
  for (const device::SizeSpec& s : draw_sizes(task, draws.bits(), drawn))
    add(s, true, kinds[next++ % kinds.size()]);
  // Kinds that no drawn size had come at public sizes, in turn; special values in any case at the
  // largest, where there are enough elements for them.
  for (size_t n = 0; next < kinds.size(); ++next, ++n)
    if (!is_special(kinds[next]))
      add(task.spec.sizes[n % task.spec.sizes.size()], false, kinds[next]);
  const auto volume = [](const device::SizeSpec& s) {
    double v = 1;
    for (const auto& [name, value] : s.values) v *= static_cast<double>(value);
    return v;
  };
  const device::SizeSpec& largest =
      *std::max_element(task.spec.sizes.begin(), task.spec.sizes.end(),
                        [&](const auto& a, const auto& b) { return volume(a) < volume(b); });
  for (Data d : kinds)
    if (is_special(d)) add(largest, false, d);
  return out;
}

device::KernelSpec with_data(const device::KernelSpec& spec, Data data, uint64_t seed) {
  device::KernelSpec out = spec;
  if (data == Data::kGiven) return out;
  for (size_t i = 0; i < out.arguments.size(); ++i) {
    device::ArgumentSpec& a = out.arguments[i];
    // Others have a meaning that any number would break: probabilities, indices.
    if (!a.is_buffer || a.role == device::Role::kOut || a.init != "normal" ||
        ptx::kind_of(a.type) != ptx::TypeKind::kFloat)
      continue;
    a.init = init_of(data, seed + i * 7919);
  }
  return out;
}

}  // namespace pitot::bench
