// From library results to the report's plain structs.
#include "inspect_kernel.h"

#include <fmt/format.h>

#include "analysis/features.h"
#include "analysis/flow_facts.h"
#include "analysis/register_estimate.h"
#include "analysis/trip_counts.h"
#include "arch/occupancy.h"
#include "arch/roofline.h"
#include "support/demangle.h"

namespace pitot::cli {
namespace {

std::vector<report::LoopLine> loops_of(const ptx::Module& m, const analysis::FlowFacts& flow) {
  std::vector<report::LoopLine> out;
  auto trips = analysis::trip_counts(flow);
  out.reserve(trips.size());
  for (analysis::LoopId l = 0; l < trips.size(); ++l) {
    const auto& loop = flow.loops.loops[l];
    report::LoopLine line;
    const auto& header = flow.cfg.blocks[loop.header];
    line.line = m.source->position(flow.instruction(header.first).range.begin).line;
    line.depth = loop.depth;
    line.trips = trips[l].trips;
    line.irreducible = loop.irreducible;
    if (line.trips) {
      line.trips_text = fmt::format("{} trip{}", *line.trips, *line.trips == 1 ? "" : "s");
    } else if (trips[l].waits) {
      line.trips_text = "repeats until memory or a barrier object changes";
    } else if (std::string text = analysis::describe_trips(flow, trips[l]); !text.empty()) {
      line.trips_text = text + " trips";
    } else {
      line.trips_text = "trips not known";
    }
    out.push_back(std::move(line));
  }
  return out;
}

const ptx::Function* function_named(const ptx::Module& m, const std::string& name) {
  return m.find_function(name);
}

report::PtxasResources resources_of(const toolchain::Assembly& a, const std::string& name) {
  report::PtxasResources r;
  r.accepted = a.accepted;
  r.rewritten = a.rewritten;
  if (const auto* f = a.report.find(name)) {
    r.registers = f->registers;
    r.barriers = f->barriers;
    r.stack_frame = f->stack_frame;
    r.spill_stores = f->spill_stores;
    r.spill_loads = f->spill_loads;
    r.shared = f->shared;
  }
  for (const auto& message : a.report.messages) {
    bool elsewhere = !message.function.empty() && message.function != name;
    if (elsewhere || message.severity == toolchain::PtxasSeverity::kInfo) continue;
    r.messages.push_back(fmt::format("{}{}{}: {}",
                                     message.line > 0 ? fmt::format("line {}: ", message.line) : "",
                                     toolchain::to_string(message.severity),
                                     message.code.empty() ? "" : " " + message.code, message.text));
  }
  return r;
}

// Registers for a capability: ptxas' for a target of it, else the estimate.
std::pair<uint64_t, std::string> registers_for(const report::KernelInspection& k, unsigned sm) {
  for (const auto& [target, p] : k.ptxas)
    if (p.accepted && p.registers && ptx::target_from_name(target).sm == sm)
      return {*p.registers, "ptxas"};
  for (const auto& [target, e] : k.estimated)
    if (ptx::target_from_name(target).sm == sm) return {e.registers, "estimate"};
  return {0, ""};
}

double feature(const report::KernelInspection& k, std::string_view name) {
  for (const auto& [n, v] : k.features)
    if (n == name) return v;
  return 0;
}

void add_roofline(const arch::Gpu& gpu, report::KernelInspection& k) {
  double flops = feature(k, "w_flops"),
         bytes = feature(k, "w_bytes_loaded") + feature(k, "w_bytes_stored");
  if (flops <= 0 || bytes <= 0) return;
  arch::Rate rate = feature(k, "w_tensor_ops") > 0                        ? arch::Rate::kTensorFp16
                    : feature(k, "w_fp64_ops") > feature(k, "w_fp32_ops") ? arch::Rate::kFp64
                    : feature(k, "w_half_ops") > feature(k, "w_fp32_ops") ? arch::Rate::kFp16
                                                                          : arch::Rate::kFp32;
  auto roof = arch::roofline(gpu, rate);
  if (!roof) return;
  arch::Attainable a = arch::attainable(*roof, flops, bytes);
  k.roofline.push_back(
      {std::string(gpu.name), flops, bytes, a.intensity, roof->ridge(),
       std::string(a.memory_bound ? "memory" : std::string(arch::name_of(rate)) + " compute")});
}

}  // namespace

Result<Ptxas> open_ptxas() {
  auto toolkit = toolchain::find_toolkit();
  if (!toolkit) return toolkit.error();
  Ptxas p{std::move(*toolkit), nullptr};
  if (std::string dir = toolchain::default_cache_directory(); !dir.empty())
    if (auto cache = toolchain::Cache::open(dir))
      p.cache = std::make_unique<toolchain::Cache>(std::move(*cache));
  return p;
}

report::InspectedFile inspect_module(const ptx::Module& m, const InspectOptions& options) {
  report::InspectedFile file;
  file.path = m.source->path();
  file.version = fmt::format("{}.{}", m.version / 10, m.version % 10);
  file.target = m.target.sm != 0 ? ptx::name_of(m.target) : "no target";
  ptx::Producer producer = ptx::producer_of(m);
  file.producer = producer.name + (producer.version.empty() ? "" : " (" + producer.version + ")");
  file.diagnostics = report::locate(*m.source, m.diagnostics);
  analysis::FeatureOptions extract;
  if (options.block) extract.default_block = *options.block;
  analysis::FeatureExtractor extractor(extract);
  analysis::Workspace ws;
  analysis::FlowFacts flow;
  analysis::Uniformity uniformity;
  std::vector<ptx::Target> targets = options.targets;
  if (targets.empty()) targets.push_back(m.target.sm != 0 ? m.target : ptx::Target{80, 0});
  for (const arch::Gpu* gpu : options.gpus) {
    ptx::Target t{static_cast<uint16_t>(gpu->capability->sm()), 0};
    bool known = false;
    for (const auto& other : targets) known = known || other.sm == t.sm;
    if (!known) targets.push_back(t);
  }
  for (const ptx::Function& f : m.functions) {
    if (!f.has_body) continue;
    report::KernelInspection k;
    k.name = std::string(f.name);
    k.demangled = demangle(f.name);
    k.is_entry = f.is_entry;
    k.line = m.source->position(f.header.begin).line;
    analysis::FeatureRow row = extractor.extract(m, f);
    auto table = analysis::feature_table();
    for (size_t i = 0; i < table.size(); ++i)
      k.features.emplace_back(std::string(table[i].name), row[i]);
    analysis::CompatCounts compat = analysis::compat_counts(m, f);
    k.compat_registers = compat.registers;
    k.compat_spills = compat.spills;
    k.compat_local_bytes = compat.local_bytes;
    k.compat_instructions = compat.instructions;
    k.virtual_registers = static_cast<uint64_t>(feature(k, "declared_registers"));
    double fixed = feature(k, "static_shared");
    k.shared_text = fixed > 0 ? fmt::format("{} bytes", fixed) : "none";
    if (feature(k, "dynamic_shared") > 0)
      k.shared_text = fixed > 0 ? fmt::format("{} bytes and dynamic (set at launch)", fixed)
                                : "dynamic (set at launch)";
    flow.build(m, f, ws);
    if (flow.too_complex) {
      flow = {};
      file.kernels.push_back(std::move(k));
      continue;
    }
    k.pressure = static_cast<uint64_t>(feature(k, "register_pressure"));
    uniformity.build(flow, std::nullopt, ws);
    for (const ptx::Target& t : targets) {
      analysis::RegisterEstimate e = analysis::estimate_registers(flow, uniformity, t, ws);
      k.estimated[ptx::name_of(t)] = {e.registers, e.spill_bytes, e.wanted};
    }
    // After what needs most memory: the lines of a function of nothing but loops are many.
    if (flow.is_long()) uniformity = {};
    k.loops = loops_of(m, flow);
    file.kernels.push_back(std::move(k));
  }
  return file;
}

std::vector<Error> add_ptxas(const ptx::Module& m, const std::vector<ptx::Target>& targets,
                             Ptxas& ptxas, report::InspectedFile& file) {
  std::vector<Error> errors;
  for (const ptx::Target& t : targets) {
    auto assembly = toolchain::assemble(ptxas.toolkit, m.text(), t, {}, ptxas.cache.get());
    if (!assembly) {
      errors.push_back(assembly.error());
      continue;
    }
    for (auto& k : file.kernels) k.ptxas[ptx::name_of(t)] = resources_of(*assembly, k.name);
  }
  return errors;
}

void add_launch_facts(const ptx::Module& m, const InspectOptions& options,
                      report::InspectedFile& file) {
  for (auto& k : file.kernels) {
    const ptx::Function* f = function_named(m, k.name);
    if (f == nullptr || !f->is_entry) continue;
    uint64_t threads = f->bounds.threads().value_or(0);
    if (options.block)
      threads = uint64_t{(*options.block)[0]} * (*options.block)[1] * (*options.block)[2];
    for (const arch::Gpu* gpu : options.gpus) {
      add_roofline(*gpu, k);
      report::OccupancyLine line;
      line.gpu = std::string(gpu->name);
      line.threads = threads;
      if (threads == 0) {
        line.problem = "the block size is not known: give --block";
        k.occupancy.push_back(std::move(line));
        continue;
      }
      auto [registers, from] = registers_for(k, gpu->capability->sm());
      arch::LaunchResources launch;
      launch.threads = static_cast<uint32_t>(std::min<uint64_t>(threads, UINT32_MAX));
      launch.registers_per_thread = static_cast<uint32_t>(registers);
      launch.static_shared = static_cast<uint32_t>(std::min(feature(k, "static_shared"), 4e9));
      launch.dynamic_shared = options.dynamic_shared;
      arch::Occupancy o = arch::occupancy(*gpu, launch);
      line.registers = registers;
      line.registers_from = from;
      line.shared = uint64_t{launch.static_shared} + launch.dynamic_shared;
      line.blocks = o.blocks;
      line.warps = o.warps;
      line.max_warps = o.max_warps;
      line.occupancy = o.occupancy;
      line.limited_by = arch::limit_names(o.limits);
      line.problem = o.message;
      if (auto fewer = arch::fewer_registers(*gpu->capability, launch); fewer && o.runs())
        line.hint =
            fmt::format("{} registers instead of {} would hold {} blocks ({:.0f} %)", fewer->value,
                        registers, fewer->result.blocks, 100 * fewer->result.occupancy);
      k.occupancy.push_back(std::move(line));
    }
  }
}

}  // namespace pitot::cli
