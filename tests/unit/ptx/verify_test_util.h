// Helpers of the verifier's tests: verify a text, a file or one statement in a ready-made kernel.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/parser.h"
#include "ptx/verify.h"
#include "support/file.h"

namespace pitot::ptx::test {

struct Found {
  Severity severity;
  std::string code;
  uint32_t line, column, end_column;
  std::string message, hint;
  uint32_t count;
};

inline std::vector<Found> verify_module(const Module& module, const VerifyOptions& options = {}) {
  Diagnostics all = module.diagnostics;
  verify(module, options, all);
  all.sort();
  std::vector<Found> found;
  for (const Diagnostic& d : all.items()) {
    Position begin = module.source->position(d.range.begin);
    Position end = module.source->position(d.range.end);
    found.push_back(
        {d.severity, d.code, begin.line, begin.column, end.column, d.message, d.hint, d.count});
  }
  return found;
}

inline std::vector<Found> verify_text(const std::string& text, const VerifyOptions& options = {}) {
  return verify_module(parse("test.ptx", text), options);
}

inline std::vector<Found> verify_file(const std::string& name, const VerifyOptions& options = {}) {
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/" + name);
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return {};
  }
  return verify_text(*text, options);
}

inline size_t errors(const std::vector<Found>& found) {
  size_t n = 0;
  for (const Found& f : found) n += f.severity == Severity::kError;
  return n;
}

inline std::string show(const std::vector<Found>& found) {
  std::string text;
  for (const Found& f : found)
    text += std::to_string(f.line) + ":" + std::to_string(f.column) + " " + f.code + ": " +
            f.message + "\n";
  return text.empty() ? "no findings" : text;
}

// A kernel with registers of every class, variables in every space and one statement, on line 14.
inline std::string in_kernel(const std::string& statement, const std::string& version = "9.0",
                             const std::string& target = "sm_90a") {
  return ".version " + version + "\n.target " + target + R"(
.address_size 64
.global .align 8 .b8 g[64]; .const .align 8 .b8 cc[64]; .global .texref tx; .global .surfref sf;
.func fn(.reg .u32 a) { ret; }
.visible .entry k(.param .u64 p, .param .u32 q)
{
.reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;
.reg .u16 %uh<9>; .reg .s16 %sh<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u64 %ud<9>; .reg .s64 %sd<9>;
.reg .f16 %hf<9>; .reg .f16x2 %hx<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;
.reg .v4 .b32 %v; .reg .v2 .f32 %vf;
.shared .align 16 .b8 sh[64]; .local .align 16 .b8 lo[64];
L0:
)" + statement +
         "\nret;\n}\n";
}
inline constexpr uint32_t kStatementLine = 14;

}  // namespace pitot::ptx::test
