// Order proof by write epochs for registers and scalar resources, pairwise for memory.
#include "gate/order_check.h"

#include <algorithm>

namespace pitot::gate {

namespace {

// Scalar resources are numbered after the registers and the carry flag.
enum Resource : uint32_t { kEverything, kConvergence, kAsync, kResources };

// Beyond these the answer is "not proved" rather than a long wait.
constexpr size_t kMaxUsers = 30'000;
constexpr size_t kMaxPairs = 4'000'000;

}  // namespace

OrderChecker::OrderChecker(const Side& a, const Side& b, const Bijection& registers)
    : a_(a), b_(b), registers_(registers) {
  for (auto [epochs, side] : {std::pair{&epochs_a_, &a}, std::pair{&epochs_b_, &b}}) {
    epochs->count.assign(analysis::register_slots(side->f) + kResources, 0);
    epochs->stamped.assign(epochs->count.size(), 0);
  }
  place_.assign(b.size(), 0);
}

uint32_t& OrderChecker::Epochs::of(uint32_t resource) {
  if (stamped[resource] != block) {
    stamped[resource] = block;
    count[resource] = 0;
  }
  return count[resource];
}

void OrderChecker::stamp(const Side& s, std::span<const uint32_t> order, Epochs& epochs,
                         std::vector<std::vector<Access>>& out) {
  ++epochs.block;
  out.assign(order.size(), {});
  const uint32_t scalars = analysis::register_slots(s.f);
  for (size_t k = 0; k < order.size(); ++k) {
    uint32_t i = order[k];
    std::vector<Access>& list = out[k];
    const OrderFacts& facts = s.facts[i];
    std::pair<uint32_t, Use> scalar[] = {
        {kEverything, facts.everything}, {kConvergence, facts.convergence}, {kAsync, facts.async}};
    for (auto [resource, use] : scalar)
      if (use == Use::kRead)
        list.push_back({scalars + resource, epochs.of(scalars + resource), false});
    for (const auto& access : s.accesses.of(i))
      if (!access.write) list.push_back({access.reg, epochs.of(access.reg), false});
    for (auto [resource, use] : scalar)
      if (use == Use::kWrite)
        list.push_back({scalars + resource, epochs.of(scalars + resource)++, true});
    for (const auto& access : s.accesses.of(i))
      if (access.write) list.push_back({access.reg, epochs.of(access.reg)++, true});
  }
}

bool OrderChecker::legal(std::span<const uint32_t> in_a, std::span<const uint32_t> in_b,
                         std::span<const uint32_t> partner) {
  bool moved = false;
  for (size_t k = 0; k < in_b.size(); ++k) {
    place_[in_b[k]] = static_cast<uint32_t>(k);
    moved |= in_b[k] != partner[k];
  }
  if (!moved) return true;
  std::vector<std::vector<Access>> of_a, of_b;
  stamp(a_, in_a, epochs_a_, of_a);
  stamp(b_, in_b, epochs_b_, of_b);
  const uint32_t slots_a = analysis::register_slots(a_.f);
  const uint32_t slots_b = analysis::register_slots(b_.f);
  std::vector<uint32_t> place_in_b(in_a.size());
  for (size_t k = 0; k < in_a.size(); ++k) {
    place_in_b[k] = place_[partner[k]];
    const std::vector<Access>& xs = of_a[k];
    const std::vector<Access>& ys = of_b[place_in_b[k]];
    if (xs.size() != ys.size()) return false;
    for (const Access& x : xs) {
      uint32_t image =
          x.resource < slots_a ? registers_.image(x.resource) : x.resource - slots_a + slots_b;
      bool found = std::any_of(ys.begin(), ys.end(), [&](const Access& y) {
        return y.resource == image && y.write == x.write && y.epoch == x.epoch;
      });
      if (!found) return false;
    }
  }
  return memory_legal(in_a, partner, place_in_b, of_a, of_b);
}

bool OrderChecker::memory_legal(std::span<const uint32_t> in_a, std::span<const uint32_t> partner,
                                std::span<const uint32_t> place_in_b,
                                const std::vector<std::vector<Access>>& epochs_a,
                                const std::vector<std::vector<Access>>& epochs_b) {
  std::vector<uint32_t> users;  // places in A of memory uses
  for (uint32_t k = 0; k < in_a.size(); ++k) {
    const MemoryUse& x = a_.facts[in_a[k]].memory;
    const MemoryUse& y = b_.facts[partner[k]].memory;
    if (x.use != y.use) return false;
    if (x.use != Use::kNone) users.push_back(k);
  }
  if (users.size() > kMaxUsers) return false;
  auto same_value = [](const std::vector<std::vector<Access>>& epochs, size_t p, size_t q,
                       const MemoryUse& x, const MemoryUse& y) {
    if (x.on_symbol || y.on_symbol || x.base != y.base) return false;
    auto epoch = [&](size_t at) {
      for (const Access& e : epochs[at])
        if (e.resource == x.base && !e.write) return e.epoch;
      return UINT32_MAX;
    };
    uint32_t first = epoch(p);
    return first != UINT32_MAX && first == epoch(q);
  };
  size_t pairs = 0;
  for (size_t u = 0; u < users.size(); ++u) {
    for (size_t v = u + 1; v < users.size(); ++v) {
      uint32_t p = users[u], q = users[v];
      if (place_in_b[p] < place_in_b[q]) continue;
      if (++pairs > kMaxPairs) return false;
      const MemoryUse& pa = a_.facts[in_a[p]].memory;
      const MemoryUse& qa = a_.facts[in_a[q]].memory;
      if (may_conflict(a_.m, pa, qa, same_value(epochs_a, p, q, pa, qa))) return false;
      const MemoryUse& pb = b_.facts[partner[p]].memory;
      const MemoryUse& qb = b_.facts[partner[q]].memory;
      if (may_conflict(b_.m, pb, qb, same_value(epochs_b, place_in_b[p], place_in_b[q], pb, qb)))
        return false;
    }
  }
  return true;
}

}  // namespace pitot::gate
