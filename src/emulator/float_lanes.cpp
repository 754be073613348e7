// Which version of the floating-point kernels this machine runs.
#include "emulator/float_lanes.h"

namespace pitot::emulator {

bool has_avx2_fma() {
#ifdef PITOT_X86
  static const bool have = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return have;
#else
  return false;
#endif
}

}  // namespace pitot::emulator
