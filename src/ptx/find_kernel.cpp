// Finding the kernel that a user means.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ptx/module.h"
#include "support/text.h"

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
  if (name.empty()) return input_error(fmt::format("{}: no kernel", module.source->path()));
  std::vector<std::string_view> names;
  for (const Function& f : module.functions)
    if (f.is_entry && f.has_body) names.push_back(f.name);
  std::string message = fmt::format("{}: no kernel '{}'", module.source->path(), name);
  if (const std::string_view like = nearest(name, names); !like.empty())
    message += fmt::format("; did you mean '{}'?", like);
  else if (names.size() == 1)
    message += fmt::format("; it has '{}'", names[0]);
  return input_error(std::move(message));
}

}  // namespace pitot::ptx
