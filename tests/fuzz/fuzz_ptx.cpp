// Fuzzes the whole static path: parse, verify, lint, print, normal form, features.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pitot;
  ptx::Module m = ptx::parse("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  if (ptx::print(m) != std::string_view(reinterpret_cast<const char*>(data), size)) std::abort();
  Diagnostics found;
  ptx::verify(m, {}, found);
  analysis::lint(m, {}, found);
  for (const auto& d : found.items())
    if (d.range.begin > d.range.end || d.range.end > size) std::abort();
  for (const auto& d : m.diagnostics.items())
    if (d.range.begin > d.range.end || d.range.end > size) std::abort();
  analysis::FeatureExtractor extractor;
  for (const auto& f : m.functions)
    if (f.has_body) {
      extractor.extract(m, f);
      analysis::compat_counts(m, f);
    }
  ptx::Module again = ptx::parse("canonical", ptx::print_canonical(m));
  if (m.diagnostics.errors() == 0 && again.instructions.size() != m.instructions.size())
    std::abort();
  return 0;
}
