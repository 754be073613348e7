// Fuzzes the whole static path: parse, verify, lint, print, normal form, features.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verify.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pitot;
  ptx::Module m = ptx::parse("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  require(ptx::print(m) == std::string_view(reinterpret_cast<const char*>(data), size),
          "printed as read");
  Diagnostics found;
  ptx::verify(m, {}, found);
  analysis::lint(m, {}, found);
  for (const auto& d : found.items())
    require(d.range.begin <= d.range.end && d.range.end <= size, "findings lie in the text");
  for (const auto& d : m.diagnostics.items())
    require(d.range.begin <= d.range.end && d.range.end <= size, "findings lie in the text");
  analysis::FeatureExtractor extractor;
  for (const auto& f : m.functions)
    if (f.has_body) {
      extractor.extract(m, f);
      analysis::compat_counts(m, f);
    }
  ptx::Module again = ptx::parse("canonical", ptx::print_canonical(m));
  require(m.diagnostics.errors() != 0 || again.instructions.size() == m.instructions.size(),
          "the normal form has the same instructions");
  return 0;
}
