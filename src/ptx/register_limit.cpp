#include "ptx/register_limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::ptx {

void set_maxnreg(const Function& kernel, uint32_t limit, Rewriter& out) {
  const auto& directives = kernel.performance_directives;
  const std::string text = fmt::format(".maxnreg {}", limit);
  // Of several the last one counts.
  const auto there = std::find_if(directives.rbegin(), directives.rend(),
                                  [](const DirectiveNode& d) { return d.name == ".maxnreg"; });
  if (there != directives.rend()) return out.replace(there->range, text);
  out.insert_before(directives.empty() ? kernel.header.end : directives.back().range.end,
                    "\n" + text);
}

}  // namespace pitot::ptx
