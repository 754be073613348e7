#include "emulator/mbarrier.h"

#include <fmt/format.h>

namespace pitot::emulator {

Mbarrier Mbarrier::decode(uint64_t w) {
  Mbarrier m;
  m.pending = static_cast<uint32_t>(w & kMbarrierLimit);
  m.expected = static_cast<uint32_t>(w >> 20 & kMbarrierLimit);
  m.bytes = static_cast<int32_t>(w >> 40 & 0x1fffff) - (1 << 20);
  m.odd = (w >> 62 & 1) != 0;
  m.valid = (w >> 63) != 0;
  return m;
}

uint64_t Mbarrier::encode() const {
  return uint64_t{pending} | uint64_t{expected} << 20 |
         static_cast<uint64_t>(bytes + (1 << 20)) << 40 | uint64_t{odd} << 62 |
         uint64_t{valid} << 63;
}

void Mbarrier::finish_phase() {
  if (pending != 0 || bytes != 0) return;
  odd = !odd;
  pending = expected;
}

std::string Mbarrier::init(uint64_t count) {
  if (count == 0 || count > kMbarrierLimit)
    return fmt::format("an mbarrier for {} arrivals: 1 to {} are possible", count, kMbarrierLimit);
  *this = {};
  pending = expected = static_cast<uint32_t>(count);
  valid = true;
  return {};
}

std::string Mbarrier::arrive(uint64_t count, bool may_complete) {
  if (count == 0 || count > kMbarrierLimit) return fmt::format("{} arrivals at once", count);
  if (count > pending)
    return fmt::format("{} arrivals at an mbarrier that waits for {} more", count, pending);
  if (!may_complete && count == pending)
    return "an arrival with .noComplete that completes the phase";
  pending -= static_cast<uint32_t>(count);
  finish_phase();
  return {};
}

std::string Mbarrier::drop(uint64_t count, bool may_complete) {
  if (count > expected)
    return fmt::format("{} threads leave an mbarrier that expects {}", count, expected);
  expected -= static_cast<uint32_t>(count);
  return arrive(count, may_complete);
}

std::string Mbarrier::add_bytes(int64_t count) {
  const int64_t next = bytes + count;
  if (next > int64_t{kMbarrierLimit} || next < -int64_t{kMbarrierLimit})
    return fmt::format("{} transaction bytes at an mbarrier: the limit is {}", next,
                       kMbarrierLimit);
  bytes = static_cast<int32_t>(next);
  if (count < 0) finish_phase();
  return {};
}

}  // namespace pitot::emulator
