// What a run of a spec gives, in plain data: for reports and comparisons.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/types.h"

namespace pitot::device {

struct RunFault {
  std::string kind, message;
  uint32_t line = 0;
  std::array<uint32_t, 3> thread{}, block{};
  uint64_t address = 0;
};

struct RunOutput {
  std::string name;
  ptx::Type type = ptx::Type::kNone;
  std::vector<std::byte> bytes;
  uint64_t elements() const { return bytes.size() / ptx::bytes_of(type); }
  uint64_t bits(uint64_t element) const;
};

struct RunResult {
  std::string device;  // "emu"
  std::string kernel, ptx, size_text;
  std::vector<RunOutput> outputs;  // buffers that are out or inout
  std::vector<RunFault> faults;
  uint64_t warp_instructions = 0, thread_instructions = 0;
  double seconds = 0;
  bool ok() const { return faults.empty(); }
};

}  // namespace pitot::device
