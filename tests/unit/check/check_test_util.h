// Kernels from text and files, checked against each other.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "check/check.h"
#include "ptx/parser.h"

namespace pitot::check::test {

struct Loaded {
  std::shared_ptr<const ptx::Module> module;
  emulator::Program program;
  uint32_t kernel = 0;

  Side side() const { return {module, &program, kernel}; }
};

inline Loaded load_text(std::string name, std::string text) {
  Loaded l;
  l.module = std::make_shared<ptx::Module>(ptx::parse(std::move(name), std::move(text)));
  for (const auto& d : l.module->diagnostics.items()) ADD_FAILURE() << d.message;
  auto p = emulator::load(l.module);
  EXPECT_TRUE(p.ok());
  if (!p) return l;
  l.program = std::move(*p);
  auto k = l.program.find_kernel("");
  EXPECT_TRUE(k.ok());
  if (k) l.kernel = *k;
  return l;
}

inline std::string kernels_directory() { return std::string(PITOT_SOURCE_DIR) + "/kernels/"; }

inline Loaded load_file(const std::string& path) {
  auto m = ptx::parse_file(kernels_directory() + path);
  EXPECT_TRUE(m.ok()) << path;
  return m ? load_text(path, std::string(m->text())) : Loaded{};
}

inline CheckResult check_loaded(const Loaded& a, const Loaded& b, const Options& options = {}) {
  auto r = check_kernels(a.side(), b.side(), options);
  EXPECT_TRUE(r.ok());
  return r ? *r : CheckResult{};
}

// What is known of a verdict, for failure messages.
inline std::string explain(const CheckResult& r) {
  std::string out;
  for (const auto& c : r.counterexamples)
    out += c.size + ": " + c.first.buffer + "[" + std::to_string(c.first.index) + "] " + c.first.a +
           " against " + c.first.b + " exact " + c.first.exact + "\n";
  for (const auto& f : r.faults) out += f.kind + ": " + f.message + "\n";
  for (const auto& s : r.reasons) out += s + "\n";
  for (const auto& s : r.notes) out += s + "\n";
  return out;
}

// `k(out, x, n)`: what the body leaves in %f0 goes to out[thread].
inline std::string kernel_of(const std::string& body, const std::string& type = "f32") {
  const bool wide = type == "f64";
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 k_out, .param .u64 k_x, .param .u32 k_n)\n"
         ".reqntid 32\n{\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n"
         ".reg .b64 %rd<16>;\n.reg .f32 %f<32>;\n.reg .f64 %fd<16>;\n.shared .b32 tile[64];\n"
         "ld.param.u64 %rd0, [k_out];\nld.param.u64 %rd1, [k_x];\nld.param.u32 %r0, [k_n];\n"
         "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, %r0, 0;\n"
         "mad.wide.u32 %rd2, %r1, 4, %rd0;\nmad.wide.u32 %rd3, %r2, 4, %rd1;\n" +
         body + "\nst.global." + (wide ? "f64 [%rd2], %fd0" : type + " [%rd2], %f0") +
         ";\nret;\n}\n";
}

}  // namespace pitot::check::test
