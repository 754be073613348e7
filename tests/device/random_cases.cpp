// Structured programs: control flow, calls, memory and many instructions that work on each other's
// results.
#include <fmt/format.h>

#include <cstring>

#include "case.h"
#include "kernel_builder.h"

namespace pitot::conformance {

Case random_case_of(const property::RandomProgram& p) {
  Case c;
  c.family = "structured";
  c.name = fmt::format("structured-{}", p.seed);
  c.seed = p.seed;
  c.text = property::render(p, nullptr);
  c.block = {p.threads, 1, 1};
  const std::vector<uint8_t> all = property::random_input(p);
  const size_t input = property::kMaxThreads * property::kInputStride;
  c.input.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(input));
  c.parameters.assign(all.begin() + static_cast<ptrdiff_t>(input), all.end());
  c.output_bytes = property::kMaxThreads * property::kOutputStride + 8 * property::kAccumulators;
  return c;
}

Case random_case(uint64_t seed) { return random_case_of(property::random_program(seed, kHeader)); }

}  // namespace pitot::conformance
