#include "predict/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "measure/random_draws.h"

namespace pitot::predict {
namespace {

// Names of a family's measured variants in random order; sorted first, so that the order of the
// rows does not matter.
std::vector<std::string> shuffled_variants(const Dataset& data, const std::string& family,
                                           uint64_t seed) {
  std::set<std::string> names;
  for (const DataRow& r : data.rows)
    if (r.family == family && r.measured()) names.insert(r.variant);
  std::vector<std::string> out(names.begin(), names.end());
  measure::RandomDraws random(seed ^ hash_bytes(family).low);
  for (size_t i = out.size(); i > 1; --i)
    std::swap(out[i - 1], out[random.below(static_cast<uint32_t>(i))]);
  return out;
}

template <class Held>
Split split_by(const Dataset& data, std::string name, const Held& held) {
  Split s;
  s.name = std::move(name);
  for (size_t i = 0; i < data.rows.size(); ++i)
    if (data.rows[i].measured()) (held(data.rows[i]) ? s.test : s.train).push_back(i);
  return s;
}

}  // namespace

std::vector<Split> folds_within_families(const Dataset& data, unsigned k, uint64_t seed) {
  std::set<std::pair<std::string, std::string>> none;
  std::vector<std::set<std::pair<std::string, std::string>>> members(k);
  for (const std::string& family : data.families()) {
    const auto variants = shuffled_variants(data, family, seed);
    for (size_t i = 0; i < variants.size(); ++i) members[i % k].insert({family, variants[i]});
  }
  std::vector<Split> out;
  for (unsigned f = 0; f < k; ++f)
    out.push_back(split_by(data, fmt::format("fold {} of {}", f + 1, k), [&](const DataRow& r) {
      return members[f].contains({r.family, r.variant});
    }));
  return out;
}

std::vector<Split> leave_one_family_out(const Dataset& data) {
  std::vector<Split> out;
  for (const std::string& family : data.families())
    out.push_back(
        split_by(data, "family " + family, [&](const DataRow& r) { return r.family == family; }));
  return out;
}

std::vector<Split> few_shot(const Dataset& data, unsigned shots, uint64_t seed) {
  std::vector<Split> out;
  for (const std::string& family : data.families()) {
    auto variants = shuffled_variants(data, family, seed);
    variants.resize(std::min<size_t>(shots, variants.size()));
    const std::set<std::string> drawn(variants.begin(), variants.end());
    Split s = split_by(data, fmt::format("{} of {}", shots, family), [&](const DataRow& r) {
      return r.family == family && !drawn.contains(r.variant);
    });
    for (size_t i : s.train)
      if (data.rows[i].family == family) s.shots.push_back(i);
    out.push_back(std::move(s));
  }
  return out;
}

std::vector<Split> leave_one_target_out(const Dataset& data) {
  std::set<std::string> targets;
  for (const DataRow& r : data.rows)
    if (r.measured()) targets.insert(r.target);
  std::vector<Split> out;
  for (const std::string& t : targets)
    out.push_back(split_by(data, "target " + t, [&](const DataRow& r) { return r.target == t; }));
  return out;
}

Split families_apart(const Dataset& data, const std::vector<std::string>& families) {
  const std::set<std::string> held(families.begin(), families.end());
  return split_by(data, "families apart",
                  [&](const DataRow& r) { return held.contains(r.family); });
}

}  // namespace pitot::predict
