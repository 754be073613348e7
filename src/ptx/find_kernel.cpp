// Finding the kernel that a user means.
#include <fmt/format.h>

#include "ptx/module.h"

namespace pitot::ptx {

Result<uint32_t> find_kernel(const Module& module, std::string_view name) {
  uint32_t found = kNoId;
  for (uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    if (!function.is_entry || !function.has_body) continue;
    if (!name.empty() && function.name != name) continue;
    if (found != kNoId)
      return input_error(fmt::format("{}: several kernels; name one", module.source->path()));
    found = f;
  }
  if (found != kNoId) return found;
  return input_error(name.empty() ? fmt::format("{}: no kernel", module.source->path())
                                  : fmt::format("{}: no kernel '{}'", module.source->path(), name));
}

}  // namespace pitot::ptx
