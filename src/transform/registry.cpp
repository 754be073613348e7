// Which function does which action.
#include "transform/transforms.h"

namespace pitot::transform {

Transform transform_of(Action action) {
  switch (action) {
    case Action::kVecLd:
      return vectorise_loads;
    case Action::kVecSt:
      return vectorise_stores;
    case Action::kVecWide:
      return widen_accesses;
    case Action::kSplitLd:
      return split_loads;
    case Action::kCacheCs:
    case Action::kCacheCg:
    case Action::kCacheCa:
    case Action::kCacheCv:
      return cache_loads;
    case Action::kStCacheCs:
    case Action::kStCacheWt:
    case Action::kStCacheWb:
      return cache_stores;
    case Action::kMaxnreg32:
    case Action::kMaxnreg64:
    case Action::kMaxnreg128:
    case Action::kMaxnreg255:
      return limit_registers;
    case Action::kPrefetchL1:
    case Action::kPrefetchL2:
      return prefetch;
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
