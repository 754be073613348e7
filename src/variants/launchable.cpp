#include "variants/launchable.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/occupancy.h"

namespace pitot::variants {
namespace {

uint64_t threads_in(const std::array<uint32_t, 3>& d) { return uint64_t{d[0]} * d[1] * d[2]; }

// What the kernel itself says of its launch; a driver refuses anything else.
std::string bound_problem(const LaunchNeeds& n) {
  const uint64_t threads = threads_in(n.shape.block);
  if (n.exact_block && n.shape.block != *n.exact_block)
    return fmt::format("a block of {}: the kernel requires {} (.reqntid)",
                       fmt::join(n.shape.block, "×"), fmt::join(*n.exact_block, "×"));
  if (n.most_threads && threads > *n.most_threads)
    return fmt::format("a block of {} threads: the kernel states at most {} (.maxntid)", threads,
                       *n.most_threads);
  return {};
}

}  // namespace

const char* to_string(CanLaunch answer) {
  switch (answer) {
    case CanLaunch::kYes:
      return "yes";
    case CanLaunch::kNo:
      return "no";
    case CanLaunch::kUnsure:
      return "unsure";
  }
  return "";
}

LaunchAnswer can_launch(const arch::Capability& capability, const LaunchNeeds& n) {
  if (auto problem = arch::launch_problem(n.shape, capability.sm()))
    return {CanLaunch::kNo, problem->message};
  if (std::string bound = bound_problem(n); !bound.empty()) return {CanLaunch::kNo, bound};
  const uint64_t dynamic = n.shape.shared - std::min(n.static_shared, n.shape.shared);
  arch::LaunchResources r;
  r.threads = static_cast<uint32_t>(threads_in(n.shape.block));
  r.static_shared = static_cast<uint32_t>(std::min<uint64_t>(n.static_shared, 0xffffffff));
  r.dynamic_shared = static_cast<uint32_t>(std::min<uint64_t>(dynamic, 0xffffffff));
  r.barriers = n.barriers;
  r.cluster_blocks = static_cast<uint32_t>(threads_in(n.shape.cluster));
  // What does not depend on registers first: it is certain.
  const arch::Occupancy without = arch::occupancy(capability, r);
  if (!without.runs()) return {CanLaunch::kNo, without.message};
  r.registers_per_thread = n.registers;
  const arch::Occupancy with = arch::occupancy(capability, r);
  if (with.runs()) return {CanLaunch::kYes, with.note};
  if (n.registers_estimated)
    return {CanLaunch::kUnsure, with.message + "; registers are estimated"};
  return {CanLaunch::kNo, with.message};
}

}  // namespace pitot::variants
