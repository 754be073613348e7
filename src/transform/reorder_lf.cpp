// reorder_lf: loads come as early as what they wait for allows.
#include "transform/loads.h"
#include "transform/schedule.h"
#include "transform/transforms.h"

namespace pitot::transform {

void reorder_loads_first(Subject& subject, Edit& edit, Action) {
  std::vector<uint8_t> flags;
  reorder(subject, edit, [&](const StretchOrder& order, const Stretch&) {
    flags.resize(order.size());
    for (uint32_t k = 0; k < order.size(); ++k)
      flags[k] = is_load(*subject.body()[order.instruction(k)].opcode) ? 1 : 0;
    return wanted_first(order, flags);
  });
}

}  // namespace pitot::transform
