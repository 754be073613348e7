// List schedules of a stretch.
#include "transform/schedule.h"

#include <algorithm>
#include <queue>

namespace pitot::transform {
namespace {

struct Candidate {
  uint32_t priority = 0, node = 0;
  // For a heap whose top is the highest priority, then the first in the source.
  bool operator<(const Candidate& o) const {
    return priority != o.priority ? priority < o.priority : node > o.node;
  }
};
using Heap = std::priority_queue<Candidate>;

// Calls take(), which names the next node of those that were put; put(node) for each that is ready.
template <class Put, class Take>
std::vector<uint32_t> topological(const StretchOrder& order, Put&& put, Take&& take) {
  const uint32_t n = order.size();
  std::vector<uint32_t> waits(n), out;
  out.reserve(n);
  for (uint32_t k = 0; k < n; ++k) {
    waits[k] = static_cast<uint32_t>(order.before(k).size());
    if (waits[k] == 0) put(k);
  }
  while (out.size() < n) {
    const uint32_t k = take();
    out.push_back(k);
    for (uint32_t s : order.after(k))
      if (--waits[s] == 0) put(s);
  }
  return out;
}

uint32_t pop(Heap& heap) {
  const uint32_t node = heap.top().node;
  heap.pop();
  return node;
}

// The wanted nodes with all that is before them, `forward`, or behind, else.
std::vector<uint32_t> gather(const StretchOrder& order, std::span<const uint8_t> wanted,
                             bool forward) {
  const uint32_t n = order.size();
  auto needs = [&](uint32_t k) { return forward ? order.before(k) : order.after(k); };
  // In the direction of the walk: place 0 is the first node, or the last.
  auto at = [&](uint32_t place) { return forward ? place : n - 1 - place; };
  std::vector<uint32_t> row(n, 0), sorted;
  for (uint32_t place = 0; place < n; ++place) {
    const uint32_t k = at(place);
    const auto before = needs(k);
    for (size_t e = 0; e < before.size(); ++e) {
      if (forward && order.loose_before(k)[e] != 0) continue;
      row[k] = std::max(row[k], row[before[e]] + (order.outward(before[e]) ? 1 : 0));
    }
    if (wanted[k] != 0) sorted.push_back(k);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](uint32_t a, uint32_t b) { return row[a] < row[b]; });
  std::vector<uint8_t> done(n, 0);
  std::vector<uint32_t> out, found;
  out.reserve(n);
  for (uint32_t w : sorted) {
    if (done[w] != 0) continue;
    found.assign(1, w);
    done[w] = 1;
    for (size_t k = 0; k < found.size(); ++k)
      for (uint32_t p : needs(found[k]))
        if (done[p] == 0) {
          done[p] = 1;
          found.push_back(p);
        }
    std::sort(found.begin(), found.end());
    if (!forward) std::reverse(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  for (uint32_t place = 0; place < n; ++place)
    if (done[at(place)] == 0) out.push_back(at(place));
  if (!forward) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<uint32_t> by_priority(const StretchOrder& order, std::span<const uint32_t> priority) {
  Heap ready;
  return topological(
      order,
      [&](uint32_t k) {
        ready.push({priority[k], k});
      },
      [&] { return pop(ready); });
}

std::vector<uint32_t> in_turns(const StretchOrder& order, std::span<const uint8_t> kind,
                               uint8_t first_kind) {
  std::array<Heap, 2> ready;
  uint8_t turn = first_kind;
  return topological(
      order,
      [&](uint32_t k) {
        ready[kind[k]].push({0, k});
      },
      [&] {
        if (ready[turn].empty()) turn = 1 - turn;
        const uint32_t node = pop(ready[turn]);
        turn = 1 - turn;
        return node;
      });
}

std::vector<uint32_t> wanted_first(const StretchOrder& order, std::span<const uint8_t> wanted) {
  return gather(order, wanted, true);
}

std::vector<uint32_t> wanted_last(const StretchOrder& order, std::span<const uint8_t> wanted) {
  return gather(order, wanted, false);
}

void reorder(Subject& subject, Edit& edit, const Arrange& arrange) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  StretchOrder order;
  InlinedPlaces places;
  places.build(subject.module(), subject.function());
  for (const Stretch& s : stretches(subject, edit)) {
    order.build(subject, s);
    write_order(subject, edit, s, arrange(order, s), places);
  }
}

}  // namespace pitot::transform
