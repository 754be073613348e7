// What a run of a spec gives, in plain data: for reports and comparisons.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pitot::device {

struct RunFault {
  std::string kind, message;
  uint32_t line = 0;
  std::array<uint32_t, 3> thread{}, block{};
  uint64_t address = 0;
  uint32_t other_line = 0;  // of a race: of the access before
};

struct RunOutput {
  std::string name;
  std::string type;  // "f32"
  unsigned element_bytes = 4;
  uint64_t address = 0;  // where it lay; 0: the texels of an image, without what pads its rows
  std::vector<std::byte> bytes;
  bool written = true;  // of a variable: the kernel did
  uint64_t elements() const { return bytes.size() / element_bytes; }
  uint64_t bits(uint64_t element) const;
};

struct RunResult {
  std::string device;  // "emu", "cuda:0"
  std::string gpu;     // its name; empty on the emulator
  std::string kernel, ptx, size_text;
  std::vector<RunOutput> outputs;  // buffers that are out or inout
  // Variables of the module that kernels may write; on the emulator only. Of type b32 where it is
  // not said: nvcc declares all as arrays of bytes.
  std::vector<RunOutput> variables;
  std::vector<RunFault> faults;
  uint64_t warp_instructions = 0, thread_instructions = 0;
  std::vector<uint8_t> executed;  // by operation, see emulator::Outcome
  double seconds = 0;             // of the launch alone: by the clock, or by the GPU's events
  uint32_t registers = 0;         // a thread, as loaded on the GPU
  bool ok() const { return faults.empty(); }
};

}  // namespace pitot::device
