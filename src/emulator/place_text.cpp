#include "emulator/place_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::emulator {
namespace {

constexpr uint64_t kNear = uint64_t{1} << 30;  // farther away is near nothing
constexpr uint64_t kNullPage = 1 << 16;        // what addresses through a null pointer reach

}  // namespace

std::string place_text(const Region& r, uint64_t address) {
  const uint64_t points_to = r.base() + r.origin;
  return address >= points_to ? fmt::format("{}+{}", r.name(), address - points_to)
                              : fmt::format("{}-{}", r.name(), points_to - address);
}

std::string outside_text(const GlobalMemory& memory, std::string_view verb, uint64_t address,
                         uint64_t bytes) {
  const std::string what = fmt::format("{} of {} byte{}", verb, bytes, bytes == 1 ? "" : "s");
  if (address < kNullPage)
    return fmt::format("{} at {:#x}: a null pointer{}", what, address,
                       address == 0 ? "" : " and an offset");
  const Region* n = memory.nearest(address);
  if (n == nullptr) return fmt::format("{} at {:#x}, where nothing is", what, address);
  const uint64_t end = n->base() + n->size();
  const uint64_t away =
      address < n->base() ? n->base() - address : address - std::min(address, end);
  if (away > kNear) return fmt::format("{} at {:#x}, where nothing is, nor near it", what, address);
  std::string out = fmt::format("{} at {} ({:#x}), ", what, place_text(*n, address), address);
  if (address < n->base()) {
    out += fmt::format("{} byte{} before", away, away == 1 ? "" : "s");
  } else if (address < end) {
    out += fmt::format("the last {} of them behind", address + bytes - end);
  } else if (away == 0) {
    out += "right behind";
  } else {
    out += fmt::format("{} byte{} behind", away, away == 1 ? "" : "s");
  }
  return out +
         fmt::format(" '{}', which has {} byte{}", n->name(), n->size(), n->size() == 1 ? "" : "s");
}

}  // namespace pitot::emulator
