#include "emulator/select.h"

#include "emulator/families.h"

namespace pitot::emulator {

bool select_operation(Selection& s) {
  constexpr Family kFamilies[] = {
      select_integer,        select_bits,           select_move,         select_compare,
      select_memory,         select_barrier,        select_warp,         select_atomic,
      select_matrix_move,    select_matrix_bytes,   select_mma,          select_float,
      select_float_bits,     select_convert,        select_video,        select_packed,
      select_wgmma,          select_tcgen05,        select_wmma,         select_mbarrier,
      select_async,          select_bulk,           select_async_store,  select_tensor,
      select_cluster,        select_stack,          select_hint,         select_convert_packed,
      select_convert_scaled, select_half,           select_half_compare, select_sfu,
      select_multimem,       select_launch_control, select_texture,      select_texture_query,
      select_surface};
  for (Family family : kFamilies)
    if (family(s)) return true;
  return false;
}

}  // namespace pitot::emulator
