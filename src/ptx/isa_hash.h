// The hash that isagen uses to lay out the name tables and isa.cpp to look names up in them.
#pragma once

#include <cstdint>
#include <string_view>

namespace pitot::ptx {

// FNV-1a with a final mix; the tables' size is a power of two, so the low bits must be good.
constexpr uint32_t isa_hash(std::string_view name) {
  uint32_t h = 2166136261u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ (h >> 15);
}

}  // namespace pitot::ptx
