#include "profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/register_estimate.h"
#include "arch/occupancy.h"
#include "profile/collector.h"
#include "profile/dram.h"
#include "profile/merged.h"
#include "profile/model.h"
#include "profile/sample.h"

namespace pitot::profile {
namespace {

// Of the unified L1, what the shared memory of the resident blocks leaves: the driver takes the
// smallest shared part that they fit in.
uint64_t l1_left(const arch::Capability& c, const arch::Occupancy& o) {
  if (!c.l1_bytes) return 0;
  const uint64_t needed = uint64_t{o.shared_per_block} * o.blocks;
  uint64_t part = c.shared_configs.empty() ? needed : c.shared_configs.back();
  for (uint32_t config : c.shared_configs)
    if (config >= needed) part = std::min<uint64_t>(part, config);
  return *c.l1_bytes > part ? *c.l1_bytes - part : 0;
}

// Whether all buffers together stay in L2 from one launch to the next.
bool fits_l2(const emulator::GlobalMemory& memory, const arch::Gpu& gpu) {
  double bytes = 0;
  for (const auto& region : memory.regions()) bytes += static_cast<double>(region->size());
  return gpu.l2_bytes && bytes <= kUsableL2 * static_cast<double>(*gpu.l2_bytes);
}

void add_texts(const ptx::Module& m, ProfileResult& out) {
  std::string_view rest = m.text();
  uint32_t number = 1;
  for (ProfileLine& line : out.lines) {
    for (; number < line.line; ++number) {
      const size_t end = rest.find('\n');
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    std::string_view text = rest.substr(0, rest.find('\n'));
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    line.text = std::string(text);
    std::replace(line.text.begin(), line.text.end(), '\t', ' ');
  }
}

}  // namespace

Result<const arch::Gpu*> default_gpu(ptx::Target target) {
  const unsigned sm = target.sm == 0 ? 80 : target.sm;
  const arch::Gpu* best = nullptr;
  int most = -1;
  for (const arch::Gpu& g : arch::gpus()) {
    if (g.capability->sm() != sm) continue;
    const int known = (g.l2_bytes_per_clk ? 1 : 0) + (g.dram_gb_per_s ? 1 : 0) +
                      (g.l2_bytes ? 1 : 0) + (g.boost_mhz ? 1 : 0);
    if (known > most) best = &g;
    most = std::max(most, known);
  }
  if (best != nullptr) return best;
  return input_error(fmt::format("the GPU table has no chip of sm_{}; name one with --gpu", sm));
}

Result<ProfileResult> profile(const emulator::Program& program, uint32_t kernel,
                              const emulator::Launch& launch, emulator::GlobalMemory& memory,
                              const ProfileOptions& options) {
  const ptx::Module& m = *program.module;
  const ptx::Function& f = m.functions[kernel];
  const arch::Gpu* gpu = options.gpu;
  if (gpu == nullptr) {
    auto found = default_gpu(m.target);
    if (!found) return found.error();
    gpu = *found;
  }
  const arch::Capability& c = *gpu->capability;
  if (!gpu->sms) return input_error(fmt::format("how many SMs {} has is not known", gpu->name));
  ProfileResult out;
  out.kernel = std::string(f.name);
  out.ptx = m.source->path();
  out.gpu = std::string(gpu->name);
  out.architecture = std::string(gpu->architecture);
  out.sm = c.sm();
  out.grid = launch.grid;
  out.block = launch.block;
  out.blocks = emulator::volume_of(launch.grid);
  out.registers = options.registers != 0
                      ? options.registers
                      : analysis::estimated_registers(m, f, {static_cast<uint16_t>(c.sm()), 0});
  out.registers_from = options.registers != 0 ? options.registers_from : "estimate";
  const uint64_t dynamic_end =
      launch.dynamic_shared != 0 ? uint64_t{program.dynamic_shared_at} + launch.dynamic_shared : 0;
  out.shared_bytes = std::max<uint64_t>(program.functions[kernel].shared_bytes, dynamic_end);
  const uint64_t threads = emulator::volume_of(launch.block);
  if (threads > 1024)
    return input_error(fmt::format("a block has at most 1024 threads, not {}", threads));
  arch::LaunchResources resources;
  resources.threads = static_cast<uint32_t>(threads);
  resources.registers_per_thread = out.registers;
  resources.dynamic_shared = static_cast<uint32_t>(out.shared_bytes);
  resources.cluster_blocks = static_cast<uint32_t>(emulator::volume_of(launch.cluster));
  const arch::Occupancy occupancy = arch::occupancy(*gpu, resources);
  if (!occupancy.runs())
    return input_error(fmt::format("{} cannot run this launch: {}", gpu->name, occupancy.message));
  out.blocks_per_sm = occupancy.blocks;
  out.warps_per_sm = occupancy.warps;
  out.max_warps = occupancy.max_warps;
  out.occupancy = occupancy.occupancy;
  out.limited_by = arch::limit_names(occupancy.limits);
  out.waves = static_cast<double>(out.blocks) /
              (static_cast<double>(*gpu->sms) * static_cast<double>(occupancy.blocks));
  out.l1_bytes = l1_left(c, occupancy);

  const Sample sample = choose_blocks(launch, options.blocks, *gpu->sms);
  std::vector<OpFacts> facts = op_facts(program, c.sm());
  mark_merged(program, facts);
  CollectorOptions collect;
  const auto on_sm = static_cast<uint64_t>(std::ceil(static_cast<double>(out.blocks) / *gpu->sms));
  collect.l1_bytes =
      out.l1_bytes / std::max<uint64_t>(1, std::min<uint64_t>(occupancy.blocks, on_sm));
  collect.warps = static_cast<size_t>((threads + 31) / 32);
  collect.latencies = latencies_of(c);
  out.warm = options.warm && fits_l2(memory, *gpu);
  if (out.warm) collect.latencies.dram = collect.latencies.l2;
  collect.whole_l1_bytes = out.l1_bytes;
  collect.clump = sample.clump;
  collect.successors = sample.successors;
  std::optional<SteadyLoops> loops;
  if (options.sample_loops) collect.loops = &loops.emplace(program);
  Collector collector(program, facts, memory, sample.gangs, collect);
  emulator::Options run = options.emulator;
  run.blocks = sample.blocks;
  run.observers = &collector;
  auto outcome = emulator::execute(program, kernel, launch, memory, run);
  if (!outcome) return outcome.error();
  out.executed = outcome->counters.warp_instructions;
  out.sampled_blocks =
      sample.blocks.empty() ? out.blocks : sample.gangs * (out.blocks / sample.all_gangs);
  for (const emulator::Fault& fault : outcome->faults)
    out.faults.push_back({std::string(emulator::name_of(fault.kind)), fault.message, fault.line,
                          fault.thread, fault.block});
  if (!c.l1_bytes)
    out.notes.push_back("the size of this GPU's L1 is not known: every load is taken as a miss");
  if (out.ok()) apply_model({program, facts, collector, sample, *gpu, occupancy}, out);
  add_texts(m, out);
  return out;
}

}  // namespace pitot::profile
