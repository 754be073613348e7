// reorder_sl: stores come as late as what waits for them allows.
#include "transform/loads.h"
#include "transform/schedule.h"
#include "transform/transforms.h"

namespace pitot::transform {

void reorder_stores_last(Subject& subject, Edit& edit, Action) {
  std::vector<uint8_t> flags;
  reorder(subject, edit, [&](const StretchOrder& order, const Stretch&) {
    flags.resize(order.size());
    for (uint32_t k = 0; k < order.size(); ++k)
      flags[k] = is_store(*subject.body()[order.instruction(k)].opcode) ? 1 : 0;
    return wanted_last(order, flags);
  });
}

}  // namespace pitot::transform
