// Which version of the floating-point kernels this machine runs.
#include "emulator/float_lanes.h"

#include <cstdlib>

namespace pitot::emulator {

bool has_avx2_fma() {
#ifdef PITOT_X86
  // The variable lets a machine that has both show what others compute.
  static const bool have = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                           std::getenv("PITOT_PLAIN_KERNELS") == nullptr;
  return have;
#else
  return false;
#endif
}

}  // namespace pitot::emulator
