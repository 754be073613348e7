// Which function does which action.
#include "transform/transforms.h"

namespace pitot::transform {

Transform transform_of(Action action) {
  switch (action) {
    case Action::kReorderCp:
      return reorder_critical_path;
    case Action::kReorderIl:
      return reorder_interleaved;
    case Action::kReorderLf:
      return reorder_loads_first;
    case Action::kReorderSl:
      return reorder_stores_last;
    case Action::kLdNc:
      return read_only_loads;
    case Action::kReuseLoads:
      return reuse_loads;
    case Action::kNarrowAddress:
      return narrow_addresses;
    case Action::kUnroll2:
    case Action::kUnroll4:
      return unroll_loops;
    case Action::kFmaContract:
      return contract_products;
    default:
      return nullptr;
  }
}

}  // namespace pitot::transform
