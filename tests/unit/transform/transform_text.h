// Kernels as short bodies, and what a transform makes of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ptx/parser.h"
#include "transform/apply.h"

namespace pitot::transform {

struct Changed {
  std::string body;  // between the declarations and the end
  Step step;
  // The reasons, one a line; nothing where there was no place to decline.
  std::string reasons() const {
    std::string out;
    for (const Declined& d : step.declined)
      if (d.reason != kNothingThere) out += d.reason + "\n";
    return out;
  }
};

inline const std::string& kernel_head() {
  static const std::string head =
      ".version 8.8\n.target sm_90a\n.address_size 64\n"
      ".global .align 16 .b8 table[64];\n.const .align 16 .b8 fixed[64];\n"
      ".extern .func (.param .b32 r) callee(.param .b32 a);\n"
      ".visible .entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b,\n"
      "  .param .u64 c, .param .u32 n)\n{\n"
      "\t.reg .pred %p<9>;\n\t.reg .b16 %h<20>;\n\t.reg .b32 %r<40>;\n\t.reg .f32 %f<40>;\n"
      "\t.reg .b64 %rd<40>;\n\t.reg .f64 %d<9>;\n\t.shared .align 16 .b8 s[1024];\n";
  return head;
}

// Applies to `head` + body + "}"; what comes out must verify. Registers that were added are part of
// what is returned: in front, as they stand.
inline Changed apply_to(Action action, const std::string& body, const Assumptions& assumptions = {},
                        const std::string& head = kernel_head()) {
  const ptx::Module m = ptx::parse("t.ptx", head + body + "}\n");
  EXPECT_EQ(m.diagnostics.errors(), 0u)
      << (m.diagnostics.errors() != 0 ? m.diagnostics.items()[0].message : "");
  Changed out;
  auto function = ptx::find_kernel(m, "");
  EXPECT_TRUE(function) << (function ? "" : function.error().message);
  if (!function) return out;
  auto applied = apply(m, *function, action, assumptions);
  EXPECT_TRUE(applied) << (applied ? "" : applied.error().message);
  if (!applied) return out;
  out.step = applied->step;
  const std::string& text = applied->text;
  // New registers are declared right behind the brace.
  const std::string opening = head.substr(0, head.find("\n{") + 2);
  const std::string rest = head.substr(opening.size());
  const size_t at = text.find(rest, opening.size());
  EXPECT_NE(at, std::string::npos) << text;
  if (at == std::string::npos) return out;
  out.body = text.substr(opening.size(), at - opening.size()) + text.substr(at + rest.size());
  out.body.resize(out.body.size() - 2);
  return out;
}

}  // namespace pitot::transform
