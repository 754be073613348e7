// Shared by the tests of diff and gate: modules from text, files of tests/data, small kernels.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gate/diff.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::gate::test {

inline std::string data(const std::string& name) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/tests/data/" + name);
  EXPECT_TRUE(text.ok()) << name;
  return text.ok() ? *text : std::string();
}

inline DiffResult diff_text(const std::string& a, const std::string& b) {
  ptx::Module ma = ptx::parse("a.ptx", a), mb = ptx::parse("b.ptx", b);
  return diff_modules(ma, mb);
}

inline ChangeClass class_of(const std::string& a, const std::string& b) {
  return diff_text(a, b).cls;
}

// A kernel around a body: registers %r %f %rd %p of 32 each, parameters p (u64) and n (u32).
inline std::string kernel(const std::string& body, const std::string& top = "",
                          const std::string& bounds = "", const std::string& name = "k") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + top + ".visible .entry " + name +
         "(.param .u64 p, .param .u32 n)\n" + bounds +
         "{\n\t.reg .b32 %r<32>;\n\t.reg .f32 %f<32>;\n\t.reg .b64 %rd<32>;\n\t.reg .pred %p<32>;\n"
         "\t.reg .b16 %h<32>;\n\t.reg .f64 %fd<8>;\n" +
         body + "\tret;\n}\n";
}

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

#define EXPECT_CLASS(expected, a, b)                            \
  EXPECT_STREQ(::pitot::gate::to_string(ChangeClass::expected), \
               ::pitot::gate::to_string(::pitot::gate::test::class_of((a), (b))))

}  // namespace pitot::gate::test
