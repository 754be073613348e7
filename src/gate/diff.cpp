// Module comparison: headers, kernel pairs, counts, overall class and verdict.
#include "gate/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "gate/declaration_diff.h"
#include "gate/kernel_diff.h"
#include "gate/kernel_match.h"
#include "gate/kernel_names.h"
#include "support/parallel.h"

namespace pitot::gate {

namespace {

uint32_t line_of(const ptx::Module& m, const ptx::Function& f) {
  return m.source->position(f.header.begin).line;
}

KernelDiff compare_pair(const ptx::Module& a, const ptx::Module& b, const KernelPair& pair) {
  KernelDiff d;
  d.matched_by = pair.matched_by;
  if (pair.a != nullptr) {
    d.name_a = pair.a->name;
    d.demangled_a = demangle(pair.a->name);
    d.line_a = line_of(a, *pair.a);
    d.counts_a = pitot_counts(a, *pair.a);
    d.compat_a = compat_counts(a, *pair.a);
  }
  if (pair.b != nullptr) {
    d.name_b = pair.b->name;
    d.demangled_b = demangle(pair.b->name);
    d.line_b = line_of(b, *pair.b);
    d.counts_b = pitot_counts(b, *pair.b);
    d.compat_b = compat_counts(b, *pair.b);
  }
  if (pair.a == nullptr) {
    d.cls = ChangeClass::kAdded;
  } else if (pair.b == nullptr) {
    d.cls = ChangeClass::kRemoved;
  } else {
    ModuleSides sides_a(a), sides_b(b);
    diff_kernels(sides_a, *pair.a, sides_b, *pair.b, d);
  }
  return d;
}

// The one sentence that matters when only the header moved.
std::string verdict_of(const DiffResult& r) {
  if (r.header.empty()) return {};
  std::string what;
  bool only_labels = true;
  for (const DeclarationChange& h : r.header) {
    if (!what.empty()) what += ", ";
    what += h.what == "version"  ? fmt::format(".version ({} → {})", h.from, h.to)
            : h.what == "target" ? fmt::format(".target ({} → {})", h.from, h.to)
                                 : fmt::format("{} ({} → {})", h.what, h.from, h.to);
    if (h.cls != ChangeClass::kIdentical) only_labels = false;
  }
  if (r.cls > ChangeClass::kReordered || !only_labels) return fmt::format("header: {}", what);
  return fmt::format(
      "only the header differs: {}. The kernels are the same program, so the PTX is exonerated: if "
      "results or speed changed, look at ptxas, the driver or the launch.",
      what);
}

}  // namespace

DiffResult diff_modules(const ptx::Module& a, const ptx::Module& b, const DiffOptions& options) {
  DiffResult r;
  r.path_a = a.source->path();
  r.path_b = b.source->path();
  r.header = diff_headers(a, b);
  std::vector<KernelPair> pairs = match_kernels(a, b);
  r.kernels.resize(pairs.size());
  parallel_for(pairs.size(), options.workers,
               [&](size_t k) { r.kernels[k] = compare_pair(a, b, pairs[k]); });
  ChangeClass header = ChangeClass::kIdentical;
  for (const DeclarationChange& h : r.header) header = std::max(header, h.cls);
  for (KernelDiff& k : r.kernels) {
    const bool paired = k.cls != ChangeClass::kAdded && k.cls != ChangeClass::kRemoved;
    if (paired) k.cls = std::max(k.cls, header);
    r.cls = std::max(r.cls, paired ? k.cls : ChangeClass::kStructural);
  }
  r.cls = std::max(r.cls, header);
  r.verdict = verdict_of(r);
  return r;
}

}  // namespace pitot::gate
