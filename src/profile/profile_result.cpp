#include "profile/profile_result.h"

namespace pitot::profile {
namespace {

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

}  // namespace

double ProfileCounts::active_lanes() const { return ratio(thread_instructions, warp_instructions); }

double ProfileCounts::sectors_per_request() const {
  return ratio(global_sectors + local_sectors, global_requests + local_requests);
}

double ProfileCounts::l1_hit_rate() const { return ratio(l1_hits, l1_sectors); }

double ProfileCounts::l2_hit_rate() const {
  const double asked = l2_reads + l2_atomics;
  return asked == 0 ? 0 : 1 - ratio(dram_reads, asked);
}

}  // namespace pitot::profile
