// reorder_il: loads and arithmetic take turns.
#include "transform/loads.h"
#include "transform/schedule.h"
#include "transform/transforms.h"

namespace pitot::transform {

void reorder_interleaved(Subject& subject, Edit& edit, Action) {
  std::vector<uint8_t> flags;
  reorder(subject, edit, [&](const StretchOrder& order, const Stretch&) {
    flags.resize(order.size());
    for (uint32_t k = 0; k < order.size(); ++k)
      flags[k] = is_load(*subject.body()[order.instruction(k)].opcode) ? 1 : 0;
    return in_turns(order, flags, 1);
  });
}

}  // namespace pitot::transform
