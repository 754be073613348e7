// What a transform looks at: one kernel, what is assumed of its launch, and the analyses, each
// made when first asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "analysis/access.h"
#include "analysis/affine.h"
#include "analysis/depgraph.h"
#include "analysis/flow_facts.h"
#include "analysis/uniformity.h"

namespace pitot::transform {

// What a kernel spec states and PTX does not. Nothing is assumed that is not here.
struct Assumptions {
  // Bytes that a pointer parameter is aligned to; powers of two. Taken with `.ptr .align`, the
  // larger counts.
  std::map<std::string, uint32_t> alignment;
  // Buffers of different parameters do not overlap.
  bool distinct_buffers = false;
  // Consent to results that are rounded otherwise.
  bool may_round_otherwise = false;
  std::optional<std::array<uint32_t, 3>> block;
};

// Not for several threads at once. The module must outlive it.
class Subject {
 public:
  Subject(const ptx::Module& module, const ptx::Function& function, const Assumptions& assumptions)
      : module_(module), function_(function), assumptions_(assumptions) {}

  const ptx::Module& module() const { return module_; }
  const ptx::Function& function() const { return function_; }
  const Assumptions& assumptions() const { return assumptions_; }

  const analysis::FlowFacts& flow();
  const analysis::Uniformity& uniformity();
  analysis::AffineForms& forms();
  // Addresses and proved alignment of every access, without how lanes lie.
  const analysis::AccessTable& accesses();
  // Every edge: for schedules.
  const analysis::DepGraph& dependences();
  // Nothing may be concluded but counts, see FlowFacts::too_complex; transforms that need a proof
  // decline everything.
  bool too_complex() { return flow().too_complex; }

  std::span<const ptx::Instruction> body() const { return module_.body(function_); }
  std::string_view text(SourceRange r) const { return module_.slice(r); }
  uint32_t line(const ptx::Instruction& i) const {
    return module_.source->position(i.opcode_range.begin).line;
  }

 private:
  const ptx::Module& module_;
  const ptx::Function& function_;
  const Assumptions& assumptions_;
  analysis::Workspace workspace_;
  std::unique_ptr<analysis::FlowFacts> flow_;
  std::unique_ptr<analysis::Uniformity> uniformity_;
  std::unique_ptr<analysis::AffineForms> forms_;
  std::unique_ptr<analysis::AccessTable> accesses_;
  std::unique_ptr<analysis::DepGraph> dependences_;
};

}  // namespace pitot::transform
