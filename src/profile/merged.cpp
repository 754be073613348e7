#include "profile/merged.h"

#include "analysis/access.h"
#include "analysis/flow_facts.h"
#include "analysis/uniformity.h"

namespace pitot::profile {

void mark_merged(const emulator::Program& program, std::vector<OpFacts>& facts) {
  const ptx::Module& m = *program.module;
  analysis::Workspace ws;
  for (size_t f = 0; f < m.functions.size(); ++f) {
    const emulator::FunctionCode& code = program.functions[f];
    if (!m.functions[f].has_body || code.count == 0) continue;
    analysis::FlowFacts flow;
    flow.build(m, m.functions[f], ws);
    if (flow.too_complex) continue;
    analysis::Uniformity uniformity;
    uniformity.build(flow, std::nullopt, ws);
    analysis::AffineForms forms;
    forms.build(flow, uniformity);
    analysis::AccessTable table;
    table.build_addresses(flow, uniformity, forms, std::nullopt);
    for (const analysis::VectorGroup& group : table.vector_groups(flow, forms)) {
      if (group.hindered) continue;
      for (size_t i = 0; i < group.accesses.size(); ++i) {
        const analysis::MemoryRequest& a = table.accesses[group.accesses[i]];
        if (ptx::base_space(a.space) != ptx::Space::kShared &&
            ptx::base_space(a.resolved) != ptx::Space::kShared)
          continue;
        OpFacts& member = facts[code.first + a.instruction];
        member.merged_bytes = group.bytes;
        member.merged_offset = static_cast<uint32_t>(i) * a.bytes;
      }
    }
  }
}

}  // namespace pitot::profile
