// reorder_cp: what the end of the block waits for the longest comes first.
#include <algorithm>

#include "transform/schedule.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

// Cycles from the issue of each instruction until all of its block that waits for it is done.
std::vector<uint32_t> distances_to_end(Subject& subject) {
  const auto body = subject.body();
  std::vector<uint32_t> out(body.size(), 0);
  for (size_t i = body.size(); i-- > 0;) {
    out[i] = std::max<uint32_t>(out[i], std::max<uint32_t>(1, body[i].opcode->latency));
    for (const analysis::Dependence& d : subject.dependences().of(static_cast<uint32_t>(i)))
      if (d.is_true())
        out[d.from] = std::max(out[d.from], out[i] + std::max<uint32_t>(1, d.latency));
  }
  return out;
}

}  // namespace

void reorder_critical_path(Subject& subject, Edit& edit, Action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  const std::vector<uint32_t> distance = distances_to_end(subject);
  reorder(subject, edit, [&](const StretchOrder& order, const Stretch& s) {
    return by_priority(order, std::span(distance).subspan(s.first, s.last - s.first));
  });
}

}  // namespace pitot::transform
