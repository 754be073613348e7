#include "measure/protocol.h"

#include <fmt/format.h>

namespace pitot::measure {

std::string describe(const Protocol& p) {
  return fmt::format("graph/1 {} batch={:g}ms warmup={:g}-{:g}s ci={:g} budget={:g}s n={}-{}{}",
                     p.cache == CacheState::kCold ? "cold" : "warm", p.batch_ms, p.warmup_seconds,
                     p.warmup_limit_seconds, p.half_width, p.seconds, p.min_samples, p.max_samples,
                     p.cycles ? "" : " no-cycles");
}

std::string describe_comparison(const Protocol& p) {
  return fmt::format("pairs/1 {} batch={:g}ms budget={:g}s placements={} n={}-{}",
                     p.cache == CacheState::kCold ? "cold" : "warm", p.batch_ms, 2 * p.seconds,
                     p.placements, p.min_samples, p.max_samples);
}

}  // namespace pitot::measure
