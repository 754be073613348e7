#include "check/kernel_run.h"

#include <algorithm>
#include <cstring>

namespace pitot::check {
namespace {

constexpr uint64_t kTrialMemory = uint64_t{512} << 20;

// What lies behind a pointer, as a function of the offset: the same for both kernels.
emulator::PageFill filling(const device::Sample& sample, ptx::Type type, uint64_t origin) {
  return [sample, type, origin](uint64_t offset, std::span<std::byte, emulator::kPageBytes> page) {
    const unsigned bytes = ptx::bytes_of(type);
    const int64_t first =
        (static_cast<int64_t>(offset) - static_cast<int64_t>(origin)) / static_cast<int64_t>(bytes);
    for (uint64_t at = 0; at < page.size(); at += bytes) {
      const uint64_t v =
          device::sample_bits(sample, first + static_cast<int64_t>(at / bytes), type);
      std::memcpy(page.data() + at, &v, bytes);
    }
  };
}

// An image's texels come to be when they are touched. Its rows have no padding: element_of() then
// counts texels as a spec does.
Result<emulator::OpaqueObject> make_image(const Plan& plan, const Trial& trial, size_t i,
                                          emulator::GlobalMemory& memory) {
  const Parameter& p = plan.parameters[i];
  const device::ImageSpec spec = image_spec(trial, p, i);
  emulator::OpaqueObject out;
  out.kind = spec.kind;
  out.name = p.name;
  spec.apply(out.sampler);
  if (!spec.has_texels()) return out;
  auto image = device::evaluate_image(spec, p.name, {});
  if (!image) return image.error();
  out.image = *image;
  out.image.region =
      &memory.allocate_filled(p.name, out.image.bytes(), 256,
                              filling(sample_of(plan, trial, i), element_of(p), origin_of(p)));
  return out;
}

}  // namespace

uint64_t Run::element(const Plan& plan, size_t parameter, int64_t index, unsigned bytes) const {
  uint64_t v = 0;
  const emulator::Region* r = regions[parameter];
  if (r == nullptr) return 0;
  const uint64_t at =
      r->base() + origin_of(plan.parameters[parameter]) + static_cast<uint64_t>(index) * bytes;
  if (!memory->read(at, std::as_writable_bytes(std::span(&v, 1)).first(bytes))) return 0;
  return v;
}

void shape_of(const Side& side, const Plan& plan, const Trial& trial, emulator::Launch& l) {
  l.grid = trial.grid;
  l.block = trial.block;
  if (const auto& c = side.function().bounds.reqnctapercluster)
    for (size_t i = 0; i < 3; ++i) {
      l.cluster[i] = std::max((*c)[i], 1u);
      l.grid[i] *= l.cluster[i];
    }
  const uint32_t at = side.program->dynamic_shared_at;
  if (plan.dynamic_shared && at < plan.most_shared)
    l.dynamic_shared = (plan.most_shared - at) & ~127u;
}

Result<Run> run_kernel(const Side& s, const Plan& plan, const Trial& trial,
                       const RunOptions& options) {
  Run run;
  run.memory = std::make_unique<emulator::GlobalMemory>(kTrialMemory);
  if (Status st = emulator::place_globals(*s.program, *run.memory); !st) return st.error();
  emulator::Launch l;
  shape_of(s, plan, trial, l);
  l.parameters.resize(s.program->functions[s.kernel].parameter_bytes);
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& p = plan.parameters[i];
    uint64_t bits = trial.scalars[i];
    emulator::Region* region = nullptr;
    if (p.kind == ParameterKind::kPointer) {
      region = &run.memory->allocate_lazy(
          p.name, kRegionBytes, filling(sample_of(plan, trial, i), element_of(p), kMiddle));
      region->origin = kMiddle;
      bits = region->base() + kMiddle;
    } else if (p.kind == ParameterKind::kImage) {
      auto image = make_image(plan, trial, i, *run.memory);
      if (!image) return image.error();
      region = image->image.region;
      if (p.reference) {
        if (emulator::OpaqueObject* o = run.memory->objects().declared(p.name); o != nullptr)
          o->image = image->image;
      } else {
        bits = run.memory->objects().add(std::move(*image));
      }
    }
    run.regions.push_back(region);
    if (p.reference) continue;
    const ptx::SymbolId symbol = s.function().parameters[i];
    if (p.kind != ParameterKind::kBytes)
      std::memcpy(l.parameters.data() + s.program->symbols[symbol].address, &bits,
                  std::min<uint64_t>(s.module->symbols[symbol].size, 8));
  }
  if (const Override* o = options.override_one) {
    const unsigned bytes = ptx::bytes_of(element_of(plan.parameters[o->parameter]));
    const uint64_t at =
        run.regions[o->parameter]->base() + kMiddle + static_cast<uint64_t>(o->index) * bytes;
    Status st = run.memory->write(at, std::as_bytes(std::span(&o->bits, 1)).first(bytes));
    if (!st) return st.error();
  }
  emulator::Options o;
  o.instruction_budget = options.budget;
  o.workers = options.follower != nullptr ? 1 : options.workers;
  o.seed = options.seed;
  o.checks = options.checks;
  o.follower = options.follower;
  auto outcome = emulator::execute(*s.program, s.kernel, l, *run.memory, o);
  if (!outcome) return outcome.error();
  run.outcome = std::move(*outcome);
  return run;
}

bool ran_out(const emulator::Outcome& outcome) {
  if (outcome.ok()) return false;
  const auto kind = outcome.faults[0].kind;
  return kind == emulator::FaultKind::kBudget || kind == emulator::FaultKind::kMemoryCap;
}

}  // namespace pitot::check
