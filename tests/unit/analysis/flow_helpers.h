// Small kernels as text, and random graphs, for the tests of the flow analyses.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/flow_facts.h"
#include "ptx/parser.h"

namespace pitot::analysis {

// A module with one entry `k` that has this body, a pointer parameter `out` and a count `n`.
inline std::string kernel_text(const std::string& body) {
  return ".version 8.5\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<20>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<60>;\n.reg .f32 %f<20>;\n"
         ".reg .b64 %rd<20>;\n.reg .f64 %fd<9>;\n.reg .b128 %rq<5>;\n" +
         body + "\n}\n";
}

// A parsed module with the facts of one of its functions.
struct Analysed {
  ptx::Module module;
  Workspace workspace;
  FlowFacts facts;

  explicit Analysed(std::string text, std::string_view function = "k")
      : module(ptx::parse("test.ptx", std::move(text))) {
    for (const Diagnostic& d : module.diagnostics.items())
      ADD_FAILURE() << d.code << ": " << d.message << " at '" << module.slice(d.range) << "'";
    const ptx::Function* f = module.find_function(function);
    if (f == nullptr) {
      ADD_FAILURE() << "no function " << function;
      return;
    }
    facts.build(module, *f, workspace);
  }

  RegId reg(std::string_view name) const {
    const auto& registers = facts.function->registers;
    for (RegId r = 0; r < registers.size(); ++r)
      if (registers[r].name == name) return r;
    ADD_FAILURE() << "no register " << name;
    return kNoId;
  }
  // The block where the label stands.
  BlockId block(std::string_view label) const {
    for (const ptx::Label& l : facts.function->labels)
      if (l.name == label) return facts.cfg.block_of[l.instruction];
    ADD_FAILURE() << "no label " << label;
    return kNone;
  }
};

inline Analysed analyse(const std::string& body) { return Analysed(kernel_text(body)); }

inline std::vector<BlockId> list(std::span<const BlockId> s) { return {s.begin(), s.end()}; }

using Edges = std::vector<std::pair<BlockId, BlockId>>;

// A random graph of `blocks` nodes: mostly forward edges, some back; node 0 is the entry.
inline Edges random_graph(std::mt19937& rng, uint32_t blocks) {
  Edges edges;
  auto pick = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
  for (uint32_t b = 0; b < blocks; ++b) {
    const uint32_t count = pick(10) == 0 ? 0 : 1 + pick(2);
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t to = pick(3) == 0 ? pick(blocks) : std::min(blocks - 1, b + 1 + pick(3));
      if (std::find(edges.begin(), edges.end(), std::pair{b, to}) == edges.end())
        edges.emplace_back(b, to);
    }
  }
  return edges;
}

}  // namespace pitot::analysis
