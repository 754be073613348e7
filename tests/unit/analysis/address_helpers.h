// Kernels as text with all address facts, for the tests of uniformity, forms, accesses and checks.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "analysis/access.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::analysis {

// An entry `k` with pointers a, b (.align 16), c (no attribute) and counts n, m; `attributes`
// stands between header and body: ".reqntid 64".
inline std::string address_kernel(const std::string& body, const std::string& attributes = {},
                                  const std::string& target = "sm_80") {
  return ".version 8.0\n.target " + target +
         "\n.address_size 64\n"
         ".extern .shared .align 16 .b8 dynamic[];\n.global .align 8 .b8 table[256];\n"
         ".const .align 4 .b8 constants[64];\n"
         ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .global .align "
         "16 b, .param .u64 c, .param .u32 n, .param .u32 m)\n" +
         attributes +
         "\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n"
         ".reg .b64 %d<40>;\n.shared .align 16 .b8 tile[4096];\n" +
         body + "\n}\n";
}

inline std::string data_file(const std::string& name) {
  return std::string(PITOT_SOURCE_DIR) + "/tests/data/" + name;
}

struct Addressed {
  ptx::Module module;
  Workspace workspace;
  FlowFacts flow;
  Uniformity uniformity;
  AffineForms forms;
  AccessTable table;

  Addressed(ptx::Module m, std::optional<std::array<uint32_t, 3>> block) : module(std::move(m)) {
    for (const Diagnostic& d : module.diagnostics.items())
      ADD_FAILURE() << d.code << ": " << d.message << " at '" << module.slice(d.range) << "'";
    const ptx::Function* f = module.find_function("k");
    if (f == nullptr) {
      ADD_FAILURE() << "no function k";
      return;
    }
    flow.build(module, *f, workspace);
    std::optional<BlockShape> shape = block_shape_of(*f, block);
    uniformity.build(flow, shape, workspace);
    forms.build(flow, uniformity);
    table.build(flow, uniformity, forms, shape);
  }

  const MemoryRequest& access(size_t k) const { return table.accesses.at(k); }
  std::string form(size_t k) const {
    FormId f = access(k).address;
    return f == kNone ? "?" : forms.to_string_form(f);
  }
  // Facts of the value that the last write of a register by name holds, seen where it is written.
  ValueFacts facts(std::string_view name) const {
    for (uint32_t v = static_cast<uint32_t>(flow.values.values.size()); v-- > 0;) {
      const Value& value = flow.values.values[v];
      if (value.kind == ValueKind::kWrite && value.reg < flow.function->registers.size() &&
          flow.function->registers[value.reg].name == name)
        return uniformity.at(flow, v, flow.block_of_value(v));
    }
    ADD_FAILURE() << "nothing writes " << name;
    return {};
  }
  Scope level(std::string_view name) const { return facts(name).level(); }
  BlockId block(std::string_view label) const {
    for (const ptx::Label& l : flow.function->labels)
      if (l.name == label) return flow.cfg.block_of[l.instruction];
    ADD_FAILURE() << "no label " << label;
    return 0;
  }
};

inline Addressed addressed(const std::string& body, const std::string& attributes = {},
                           std::optional<std::array<uint32_t, 3>> block = {}) {
  return Addressed(ptx::parse("test.ptx", address_kernel(body, attributes)), block);
}

}  // namespace pitot::analysis
