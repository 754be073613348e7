// Kernels that copy parts of a tensor whose words hold their own numbers.
#pragma once

#include <fmt/format.h>

#include "async_test_util.h"
#include "emulator/tensor_map.h"

namespace pitot::emulator::test {
// Of its own, so that helpers of the same name in other tests stay apart.
inline namespace tensor_copies {

inline constexpr uint32_t kWords = 4096;

struct Tensor {
  std::vector<uint32_t> in, out;  // the tensor's words; what the kernel wrote
  Outcome outcome;
  std::string faults() const {
    Ran r;
    r.outcome = outcome;
    return r.faults();
  }
};

// The kernel gets out, the tensor's memory (word i holds i + 1) and the map as parameters.
inline Tensor run_tensor(TensorMap map, const std::string& body, Options o = copies_checked(),
                         const std::string& target = "sm_90a") {
  const std::string text =
      ".version 8.6\n.target " + target +
      "\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
      ".param .align 64 .b8 map[128])\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n"
      ".reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.shared .align 1024 .b8 s[8192];\n"
      ".shared .align 8 .b64 m;\n.shared .align 128 .b8 made[128];\n"
      "ld.param.u64 %rd0, [out];\nld.param.u64 %rd1, [in];\nmov.b64 %rd2, map;\n"
      "cvta.param.u64 %rd2, %rd2;\nmov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n"
      "mov.u32 %r4, s;\nmov.u32 %r5, m;\n@%p1 mbarrier.init.shared.b64 [m], 1;\nbar.sync 0;\n" +
      body + "\nret;\n}\n";
  Tensor t;
  Program p = load_text(text);
  GlobalMemory memory;
  Region& out = memory.allocate("out", kWords * 4, 256, true);
  Region& in = memory.allocate("in", kWords * 4, 256, true);
  std::vector<uint32_t> words(kWords);
  for (uint32_t i = 0; i < kWords; ++i) words[i] = i + 1;
  EXPECT_TRUE(memory.write(in.base(), std::as_bytes(std::span(words))).ok());
  map.address += in.base();
  Launch l = threads(32);
  l.parameters.resize(16 + 48 + 128);
  const uint64_t bases[2] = {out.base(), in.base()};
  std::memcpy(l.parameters.data(), bases, 16);
  const auto bytes = map.encode();
  std::memcpy(l.parameters.data() + 64, bytes.data(), 128);
  auto outcome = execute(p, *p.find_kernel(""), l, memory, o);
  EXPECT_TRUE(outcome.ok());
  t.outcome = std::move(*outcome);
  t.in.resize(kWords), t.out.resize(kWords);
  EXPECT_TRUE(memory.read(in.base(), std::as_writable_bytes(std::span(t.in))).ok());
  EXPECT_TRUE(memory.read(out.base(), std::as_writable_bytes(std::span(t.out))).ok());
  return t;
}

// Loads a box, then writes `words` words of shared memory to out.
inline std::string load(const std::string& dims, const std::string& coordinates, uint32_t words) {
  return fmt::format(
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], {};\n"
      "@%p1 cp.async.bulk.tensor.{}.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], "
      "[%rd2, {{{}}}], [%r5];\nW: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra W;\n"
      "mov.u32 %r10, %r2;\nL: shl.b32 %r11, %r10, 2;\nadd.u32 %r12, %r4, %r11;\n"
      "ld.shared.u32 %r13, [%r12];\ncvt.u64.u32 %rd10, %r11;\nadd.s64 %rd10, %rd0, %rd10;\n"
      "st.global.u32 [%rd10], %r13;\nadd.u32 %r10, %r10, 32;\nsetp.lt.u32 %p3, %r10, {};\n"
      "@%p3 bra L;\n",
      words * 4, dims, coordinates, words);
}

inline TensorMap words_2d(uint32_t columns, uint32_t rows, uint32_t box_columns,
                          uint32_t box_rows) {
  TensorMap m;
  m.rank = 2;
  m.element = 2;  // u32
  m.size = {columns, rows, 1, 1, 1};
  m.stride[0] = columns * 4;
  m.box = {box_columns, box_rows, 1, 1, 1};
  return m;
}

}  // namespace tensor_copies
}  // namespace pitot::emulator::test
