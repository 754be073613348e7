#include "device/emulated.h"

#include <chrono>
#include <cstring>

#include "device/prepare.h"

namespace pitot::device {

uint64_t RunOutput::bits(uint64_t element) const {
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + element * element_bytes, element_bytes);
  return v;
}

ptx::Type variable_type(const ptx::Module& module, std::string_view name) {
  for (const ptx::Symbol& s : module.symbols)
    if (s.name == name && ptx::base_space(s.space) == ptx::Space::kGlobal)
      return ptx::bytes_of(s.type) >= 2 && ptx::bytes_of(s.type) <= 8 ? s.type : ptx::Type::kB32;
  return ptx::Type::kB32;
}

Result<RunResult> run_emulated(const emulator::Program& program, uint32_t kernel,
                               const KernelSpec& spec, const SizeSpec& size,
                               const EmulatedOptions& options) {
  auto run = prepare(program, kernel, spec, size, options.seed);
  if (!run) return run.error();
  const auto start = std::chrono::steady_clock::now();
  auto outcome = emulator::execute(program, kernel, run->launch, *run->memory, options.emulator);
  if (!outcome) return outcome.error();
  RunResult r;
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  r.device = "emu";
  r.kernel = std::string(program.module->functions[kernel].name);
  r.ptx = program.module->source->path();
  r.size_text = size_text(size);
  r.warp_instructions = outcome->counters.warp_instructions;
  r.thread_instructions = outcome->counters.thread_instructions;
  r.executed = std::move(outcome->executed);
  for (const emulator::Fault& fault : outcome->faults)
    r.faults.push_back({std::string(emulator::name_of(fault.kind)), fault.message, fault.line,
                        fault.thread, fault.block, fault.address, fault.other_line});
  for (const PreparedBuffer& b : run->buffers) {
    if (b.argument->role == Role::kIn) continue;
    RunOutput out;
    out.name = b.argument->name;
    out.type = std::string(ptx::name_of(b.argument->type));
    out.element_bytes = ptx::bytes_of(b.argument->type);
    out.address = b.base;
    out.bytes.resize(b.bytes);
    if (Status s = run->memory->read(b.base, out.bytes); !s) return s.error();
    r.outputs.push_back(std::move(out));
  }
  for (const auto& region : run->memory->regions()) {
    if (region->base() < emulator::kModuleBase || region->base() >= emulator::kGlobalBase ||
        region->read_only)
      continue;
    const ptx::Type type = variable_type(*program.module, region->name());
    RunOutput out;
    out.name = region->name();
    out.type = std::string(ptx::name_of(type));
    out.element_bytes = ptx::bytes_of(type);
    out.address = region->base();
    out.written = region->written;
    out.bytes.resize(region->size());
    if (Status s = run->memory->read(region->base(), out.bytes); !s) return s.error();
    out.bytes.resize((out.bytes.size() + out.element_bytes - 1) / out.element_bytes *
                     out.element_bytes);
    r.variables.push_back(std::move(out));
  }
  for (const PreparedImage& i : run->images) {
    if (i.argument->role == Role::kIn) continue;
    auto texels = texels_of(*run->memory, i.image);
    if (!texels) return texels.error();
    RunOutput out;
    out.name = i.argument->name;
    out.type = std::string(ptx::name_of(i.argument->type));
    out.element_bytes = ptx::bytes_of(i.argument->type);
    out.bytes = std::move(*texels);
    r.outputs.push_back(std::move(out));
  }
  return r;
}

}  // namespace pitot::device
