// Which function does which action.
#include "transform/transforms.h"

namespace pitot::transform {

Transform transform_of(Action action) {
  switch (action) {
    default:
      return nullptr;
  }
}

}  // namespace pitot::transform
