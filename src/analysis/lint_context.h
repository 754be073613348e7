// What the checks share: the facts of one function and ways to report. Internal to the lint files.
#pragma once

#include <string>

#include "analysis/access.h"
#include "analysis/lint.h"

namespace pitot::analysis {

struct LintContext {
  const LintOptions& options;
  Diagnostics& out;
  Workspace ws;
  FlowFacts flow;
  Uniformity uniformity;
  AffineForms forms;
  AccessTable table;
  BlockShape shape;  // what the kernel or the caller says, else one full warp as an example

  LintContext(const LintOptions& o, Diagnostics& d) : options(o), out(d) {}

  const ptx::Module& module() const { return *flow.module; }
  std::string text(SourceRange r) const { return std::string(module().slice(r)); }
  uint32_t line(SourceRange r) const { return module().source->position(r.begin).line; }
  const ptx::Operand& operand(uint32_t instruction, size_t k) const {
    return module().operands_of(flow.instruction(instruction))[k];
  }
  // "in a block of 32×1×1 threads", for findings that rest on the shape.
  std::string shape_text() const;
  // Faults in every launch are errors when the shape is certain.
  Severity severity() const { return shape.certain ? Severity::kError : Severity::kWarning; }
  void report(Severity severity, const char* code, SourceRange range, std::string message,
              std::string hint);
};

std::string hex_mask(LaneMask mask);  // "0x0000ffff"

void lint_addresses(LintContext& c);    // misaligned-access, alignment-unproved
void lint_spaces(LintContext& c);       // window-generic, space-mismatch, nc-of-written
void lint_convergence(LintContext& c);  // barriers, masks, shuffles, .uni
void lint_races(LintContext& c);        // shared-race
void lint_async(LintContext& c);        // async-no-wait
void lint_undefined(LintContext& c);    // undefined-read

}  // namespace pitot::analysis
