#include "bench/launches.h"

#include <cstring>

#include "device/arguments.h"
#include "device/values.h"

namespace pitot::bench {

Result<Launches> Launches::make(const emulator::Program& program, uint32_t kernel,
                                device::KernelSpec spec, const device::SizeSpec& size,
                                uint64_t seed) {
  Launches out(program, kernel);
  out.spec_ = std::make_unique<device::KernelSpec>(std::move(spec));
  out.size_ = size;
  auto run = device::prepare(program, kernel, *out.spec_, size, seed);
  if (!run) return run.error();
  out.run_ = std::move(*run);
  if (Status s = out.remember_inputs(); !s) return s.error();
  return out;
}

Status Launches::remember_inputs() {
  inputs_.assign(run_.buffers.size(), {});
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const device::PreparedBuffer& b = run_.buffers[i];
    if (b.argument->role != device::Role::kIn) continue;
    inputs_[i].resize(b.bytes);
    if (Status s = run_.memory->read(b.base, inputs_[i]); !s) return s;
  }
  return Ok{};
}

Status Launches::refill(const device::KernelSpec& spec, uint64_t seed) {
  auto resolved = device::resolve(*program_->module, kernel_, spec, size_, seed);
  if (!resolved) return resolved.error();
  size_t buffer = 0;
  for (const device::ResolvedArgument& a : resolved->arguments) {
    if (!a.spec->is_buffer) continue;
    const device::PreparedBuffer& b = run_.buffers[buffer++];
    if (a.spec->role == device::Role::kOut) continue;
    auto bytes = device::initial_values(a.init, a.spec->type, a.count, a.seed, a.origin);
    if (!bytes) return bytes.error();
    const Status s =
        a.init == "poison" ? run_.memory->fill(b.base, *bytes) : run_.memory->write(b.base, *bytes);
    if (!s) return s;
  }
  return remember_inputs();
}

Status Launches::poison_outputs() {
  for (const device::PreparedBuffer& b : run_.buffers) {
    if (b.argument->role != device::Role::kOut) continue;
    const std::vector<std::byte> poison(b.bytes, device::kPoison);
    if (Status s = run_.memory->fill(b.base, poison); !s) return s;
  }
  return Ok{};
}

Status Launches::set_output(size_t output, std::span<const std::byte> bytes) {
  for (const device::PreparedBuffer& b : run_.buffers) {
    if (b.argument->role == device::Role::kIn || output-- != 0) continue;
    return run_.memory->write(b.base, bytes.first(std::min<size_t>(bytes.size(), b.bytes)));
  }
  return Ok{};
}

Result<emulator::Outcome> Launches::launch(const emulator::Options& options) {
  return emulator::execute(*program_, kernel_, run_.launch, *run_.memory, options);
}

Result<std::vector<std::vector<std::byte>>> Launches::outputs() const {
  std::vector<std::vector<std::byte>> out;
  for (const device::PreparedBuffer& b : run_.buffers) {
    if (b.argument->role == device::Role::kIn) continue;
    out.emplace_back(b.bytes);
    if (Status s = run_.memory->read(b.base, out.back()); !s) return s.error();
  }
  return out;
}

Result<std::string> Launches::changed_input() const {
  std::vector<std::byte> now;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const device::PreparedBuffer& b = run_.buffers[i];
    if (b.argument->role != device::Role::kIn) continue;
    now.resize(b.bytes);
    if (Status s = run_.memory->read(b.base, now); !s) return s.error();
    if (now != inputs_[i]) return b.argument->name;
  }
  return std::string();
}

Result<std::vector<Launches::Variable>> Launches::variables() const {
  std::vector<Variable> out;
  for (const auto& region : run_.memory->regions()) {
    if (region->base() < emulator::kModuleBase || region->base() >= emulator::kGlobalBase ||
        region->read_only)
      continue;
    Variable v{region->name(), region->base(), std::vector<std::byte>(region->size())};
    if (Status s = run_.memory->read(v.address, v.bytes); !s) return s.error();
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace pitot::bench
