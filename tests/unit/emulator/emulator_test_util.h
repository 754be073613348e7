// Runs a kernel given as text and hands back the words that it wrote.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulator/launch.h"
#include "ptx/parser.h"

namespace pitot::emulator::test {

struct Ran {
  std::vector<uint32_t> out;  // words of the buffer that the first parameter points to
  Outcome outcome;
  std::string faults() const {
    std::string text;
    for (const Fault& f : outcome.faults)
      text += std::string(name_of(f.kind)) + " at line " + std::to_string(f.line) + ": " +
              f.message + "\n";
    return text;
  }
};

inline Launch threads(uint32_t block, uint32_t grid = 1) {
  Launch l;
  l.block = {block, 1, 1};
  l.grid = {grid, 1, 1};
  return l;
}

inline Program load_text(const std::string& text) {
  auto module = std::make_shared<ptx::Module>(ptx::parse("test.ptx", text));
  for (const auto& d : module->diagnostics.items()) ADD_FAILURE() << d.message;
  auto p = load(module);
  if (!p) {
    ADD_FAILURE() << p.error().message;
    return {};
  }
  return std::move(*p);
}

// The kernel's first parameter is a pointer to `words` zeroed words; further parameters are words
// given in `more` (32 bits each, behind the pointer).
inline Ran run_text(const std::string& text, size_t words, Launch launch = {},
                    std::vector<uint32_t> more = {}, Options options = {}) {
  Ran r;
  Program p = load_text(text);
  if (p.module == nullptr) return r;
  GlobalMemory memory;
  EXPECT_TRUE(place_globals(p, memory).ok());
  Region& out = memory.allocate("out", words * 4, 256, true);
  launch.parameters.resize(8 + 4 * more.size());
  const uint64_t base = out.base();
  std::memcpy(launch.parameters.data(), &base, 8);
  if (!more.empty()) std::memcpy(launch.parameters.data() + 8, more.data(), 4 * more.size());
  auto kernel = p.find_kernel("");
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message;
    return r;
  }
  auto outcome = execute(p, *kernel, launch, memory, options);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return r;
  }
  r.outcome = std::move(*outcome);
  r.out.resize(words);
  EXPECT_TRUE(memory.read(base, std::as_writable_bytes(std::span(r.out))).ok());
  return r;
}

inline std::string kernel_text(const std::string& body, const std::string& registers = {},
                               const std::string& before = {}) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<16>;\n.reg .b16 "
         "%h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .f32 %f<32>;\n.reg .f64 %fd<16>;\n" +
         registers +
         "ld.param.u64 %rd0, [out];\ncvta.to.global.u64 %rd0, %rd0;\nld.param.u32 %r0, [n];\n" +
         body + "\nret;\n}\n";
}

}  // namespace pitot::emulator::test
