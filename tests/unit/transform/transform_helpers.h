// Small kernels and what transforms make of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/parser.h"
#include "transform/apply.h"

namespace pitot::transform {

struct KernelText {
  std::string version = "8.8", target = "sm_90";
  std::string parameters =
      ".param .u64 .ptr .global .align 16 p, .param .u64 .ptr .global .align 16 q, "
      ".param .u32 n";
  std::string directives;  // ".maxntid 128\n"
};

inline constexpr const char* kDeclarations =
    "\t.reg .pred %p<8>;\n\t.reg .b16 %rs<8>;\n\t.reg .b32 %r<16>;\n\t.reg .f32 %f<16>;\n"
    "\t.reg .b64 %rd<16>;\n\t.reg .f64 %fd<8>;\n";
// %rd1 = p, %rd2 = q, %r0 = n.
inline constexpr const char* kLoads =
    "\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [q];\n\tld.param.u32 %r0, [n];\n";

inline std::string kernel(const std::string& body, const KernelText& k = {}) {
  return ".version " + k.version + "\n.target " + k.target + "\n.address_size 64\n\n" +
         ".visible .entry k(" + k.parameters + ")\n" + k.directives + "{\n" + kDeclarations +
         kLoads + body + "\tret;\n}\n";
}

// Applies one action; a failure is a test failure.
inline Applied run(const std::string& text, Action action, const Assumptions& assumptions = {}) {
  const ptx::Module m = ptx::parse("k.ptx", text);
  EXPECT_EQ(m.diagnostics.errors(), 0u)
      << text << (m.diagnostics.items().empty() ? "" : m.diagnostics.items()[0].message);
  auto function = ptx::find_kernel(m, "");
  EXPECT_TRUE(function.ok());
  if (!function || m.diagnostics.errors() != 0) return {};
  auto out = apply(m, *function, action, assumptions);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message) << "\n" << text;
  return out ? *out : Applied{};
}

// The body becomes `expected`, and applying again changes nothing.
inline void expect_becomes(const std::string& body, Action action, const std::string& expected,
                           const KernelText& k = {}, const Assumptions& assumptions = {}) {
  const Applied a = run(kernel(body, k), action, assumptions);
  EXPECT_EQ(a.text, kernel(expected, k));
  for (const Declined& d : a.step.declined)
    if (a.text != kernel(expected, k)) ADD_FAILURE() << d.line << ": " << d.reason;
  const Applied again = run(a.text, action, assumptions);
  EXPECT_EQ(again.text, a.text);
  EXPECT_EQ(again.step.changes, 0u);
}

// Nothing is changed, and one of the reasons is `reason`.
inline void expect_declines(const std::string& body, Action action, const std::string& reason,
                            const KernelText& k = {}, const Assumptions& assumptions = {}) {
  const std::string text = kernel(body, k);
  const Applied a = run(text, action, assumptions);
  EXPECT_EQ(a.text, text);
  EXPECT_EQ(a.step.changes, 0u);
  std::vector<std::string> reasons;
  for (const Declined& d : a.step.declined) reasons.push_back(d.reason);
  EXPECT_THAT(reasons, testing::Contains(testing::HasSubstr(reason))) << body;
}

}  // namespace pitot::transform
