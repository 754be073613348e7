// Many spellings of one instruction in few programs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "emulate.h"
#include "spellings.h"

namespace pitot::conformance {

// Programs of up to `per_kernel` spellings each, in order. What the emulator does not have is left
// out and named in out.uncovered. Kernel: made of a name and a seed, with add(spelling), count()
// and finish().
template <class Kernel, class Programs>
void pack_programs(ptx::Mnemonic m, std::vector<const Spelling*> list, size_t per_kernel,
                   uint64_t seed, Programs& out) {
  const auto build = [&] {
    std::vector<Case> made;
    size_t at = 0;
    for (uint32_t n = 0; at < list.size(); ++n) {
      Kernel k(fmt::format("{}-{}", ptx::name_of(m), n), seed + n);
      while (at < list.size() && k.count() < per_kernel) k.add(*list[at++]);
      if (k.count() != 0) made.push_back(k.finish());
    }
    return made;
  };
  std::vector<Case> made = build();
  std::set<std::string> without;
  for (const Case& c : made)
    for (std::string& name : uncovered_in(c)) without.insert(std::move(name));
  if (!without.empty()) {
    std::erase_if(list, [&](const Spelling* s) { return without.contains(s->text); });
    out.uncovered.merge(without);
    made = build();
  }
  std::move(made.begin(), made.end(), std::back_inserter(out.programs));
}

}  // namespace pitot::conformance
