// Profiles a kernel given as text and hands back the result.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "arch/gpu.h"
#include "profile/profile.h"
#include "ptx/parser.h"

namespace pitot::profile::test {

// A kernel with a pointer `out` in %rd1 and the thread's number in %r1; %rd2 is free for addresses.
inline std::string kernel_of(const std::string& body, const std::string& shared = {},
                             const std::string& target = "sm_90") {
  return ".version 8.0\n.target " + target +
         "\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<8>;\n.reg .b32 "
         "%r<64>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<32>;\n" +
         shared + "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n" + body + "ret;\n}\n";
}

struct Shape {
  uint32_t block = 32, grid = 1;
  size_t bytes = 1 << 20;  // of the buffer
};

inline ProfileResult profile_text(const std::string& text, const Shape& shape = {},
                                  ProfileOptions options = {}) {
  auto module = std::make_shared<ptx::Module>(ptx::parse("test.ptx", text));
  for (const auto& d : module->diagnostics.items()) ADD_FAILURE() << d.message;
  auto program = emulator::load(module);
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  emulator::GlobalMemory memory;
  EXPECT_TRUE(emulator::place_globals(*program, memory).ok());
  emulator::Region& out = memory.allocate("out", shape.bytes, 256, true);
  emulator::Launch launch;
  launch.block = {shape.block, 1, 1};
  launch.grid = {shape.grid, 1, 1};
  launch.parameters.resize(8);
  const uint64_t base = out.base();
  std::memcpy(launch.parameters.data(), &base, 8);
  if (options.gpu == nullptr) options.gpu = *arch::find_gpu("H200");
  auto r = profile(*program, *program->find_kernel(""), launch, memory, options);
  if (!r) {
    ADD_FAILURE() << r.error().message;
    return {};
  }
  for (const auto& f : r->faults) ADD_FAILURE() << f.kind << ": " << f.message;
  return std::move(*r);
}

// The line whose text holds `part`.
inline ProfileCounts line_with(const ProfileResult& r, const std::string& part) {
  for (const ProfileLine& l : r.lines)
    if (l.text.find(part) != std::string::npos) return l.counts;
  ADD_FAILURE() << "no line with " << part;
  return {};
}

// A load of one word a lane, each `stride` bytes from the last, `shift` bytes from the start.
inline std::string strided_load(unsigned stride, unsigned shift = 0) {
  return "mul.wide.u32 %rd2, %r1, " + std::to_string(stride) +
         ";\nadd.s64 %rd2, %rd2, %rd1;\nld.global.u32 %r2, [%rd2+" + std::to_string(shift) +
         "];\nst.global.u32 [%rd1], %r2;\n";
}

}  // namespace pitot::profile::test
