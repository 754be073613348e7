#include "bench/assumptions.h"

#include <algorithm>
#include <bit>

#include "device/arguments.h"

namespace pitot::bench {

void add_spec(const device::KernelSpec& spec, const ptx::Module& module, uint32_t kernel,
              transform::Assumptions& out) {
  const ptx::Function& f = module.functions[kernel];
  const size_t count = std::min(f.parameters.size(), spec.arguments.size());
  for (size_t k = 0; k < count; ++k) {
    const device::ArgumentSpec& a = spec.arguments[k];
    if (!a.is_buffer || a.map) continue;
    // A pointer into the buffer is aligned as its elements are.
    uint32_t bytes = a.origin == "0" ? a.align : std::min(a.align, ptx::bytes_of(a.type));
    if (!std::has_single_bit(bytes)) continue;
    uint32_t& alignment = out.alignment[std::string(module.symbols[f.parameters[k]].name)];
    alignment = std::max(alignment, bytes);
  }
  out.distinct_buffers = true;
  if (out.block) return;
  std::optional<std::array<uint32_t, 3>> block;
  for (const device::SizeSpec& size : spec.sizes) {
    device::ResolvedLaunch launch;
    if (!device::resolve_launch(spec, size.values, launch) || (block && *block != launch.block))
      return;
    block = launch.block;
  }
  out.block = block;
}

}  // namespace pitot::bench
