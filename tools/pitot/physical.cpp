// Bridges toolchain results to gate counts.
#include "physical.h"

#include <fmt/format.h>

namespace pitot::cli {
namespace {

std::vector<ptx::Target> own_or(const std::vector<ptx::Target>& targets, const ptx::Module& m) {
  if (!targets.empty()) return targets;
  return {m.target.sm != 0 ? m.target : ptx::Target{80, 0}};
}

// The assembly, or nothing after a note on why.
std::optional<toolchain::Assembly> assemble(const ptx::Module& m, ptx::Target t, Ptxas& ptxas,
                                            std::vector<std::string>& problems) {
  auto assembly = toolchain::assemble(ptxas.toolkit, m.text(), t, {}, ptxas.cache.get());
  if (!assembly) {
    problems.push_back(assembly.error().message);
    return std::nullopt;
  }
  if (!assembly->accepted) {
    std::string first;
    for (const auto& message : assembly->report.messages)
      if (message.severity >= toolchain::PtxasSeverity::kError && first.empty())
        first = fmt::format(": line {}: {}", message.line, message.text);
    problems.push_back(
        fmt::format("{}: ptxas rejects it for {}{}", m.source->path(), ptx::name_of(t), first));
    return std::nullopt;
  }
  return std::move(*assembly);
}

}  // namespace

gate::Counts physical_counts(const toolchain::PtxasFunction& f) {
  gate::Counts c;
  auto put = [&](const char* name, const std::optional<uint64_t>& v) {
    if (v) c.set(name, static_cast<double>(*v));
  };
  put("registers", f.registers);
  if (f.spill_stores || f.spill_loads)
    c.set("spills", static_cast<double>(f.spill_stores.value_or(0) + f.spill_loads.value_or(0)));
  put("spill_loads", f.spill_loads);
  put("spill_stores", f.spill_stores);
  put("stack", f.stack_frame);
  put("local", f.local);
  put("shared", f.shared);
  put("barriers", f.barriers);
  return c;
}

void fill_states(const ptx::Module& m, const std::vector<ptx::Target>& targets, Ptxas& ptxas,
                 std::vector<gate::KernelState>& states, std::vector<std::string>& problems) {
  for (ptx::Target t : own_or(targets, m)) {
    auto assembly = assemble(m, t, ptxas, problems);
    if (!assembly) continue;
    for (gate::KernelState& s : states) {
      gate::Physical p;
      if (const auto* f = assembly->report.find(s.name)) p.counts = physical_counts(*f);
      for (const auto& message : assembly->report.messages)
        if (message.advisory && (message.function.empty() || message.function == s.name))
          p.advisories.push_back((message.code.empty() ? "" : message.code + ": ") + message.text);
      s.ptxas[ptx::name_of(t)] = std::move(p);
    }
  }
}

void fill_diff(const ptx::Module& a, const ptx::Module& b, const std::vector<ptx::Target>& targets,
               Ptxas& ptxas, gate::DiffResult& diff, std::vector<std::string>& problems) {
  std::vector<ptx::Target> wanted = targets;
  if (wanted.empty()) wanted = own_or(own_or({}, a), b);
  for (ptx::Target t : wanted) {
    auto before = assemble(a, t, ptxas, problems), after = assemble(b, t, ptxas, problems);
    for (gate::KernelDiff& k : diff.kernels) {
      auto& slot = k.ptxas[ptx::name_of(t)];
      if (before)
        if (const auto* f = before->report.find(k.name_a)) slot.first = physical_counts(*f);
      if (after)
        if (const auto* f = after->report.find(k.name_b)) slot.second = physical_counts(*f);
    }
  }
}

Result<std::vector<ptx::Target>> parse_targets(const std::vector<std::string>& names) {
  std::vector<ptx::Target> out;
  for (const auto& name : names) {
    out.push_back(ptx::target_from_name(name));
    if (out.back().sm == 0) return input_error("'" + name + "' is no target such as sm_90a");
  }
  return out;
}

}  // namespace pitot::cli
