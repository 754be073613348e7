// Counts of a kernel, taken from the static features.
#include <cmath>

#include "analysis/features.h"
#include "gate/diff.h"

namespace pitot::gate {

Counts pitot_counts(const ptx::Module& m, const ptx::Function& f) {
  analysis::FeatureExtractor extractor;
  analysis::FeatureRow row = extractor.extract(m, f);
  Counts c;
  auto table = analysis::feature_table();
  for (size_t k = 0; k < row.size(); ++k)
    if (!std::isnan(row[k])) c.set(std::string(table[k].name), row[k]);
  return c;
}

Counts compat_counts(const ptx::Module& m, const ptx::Function& f) {
  analysis::CompatCounts x = analysis::compat_counts(m, f);
  Counts c;
  c.set("registers", static_cast<double>(x.registers));
  c.set("spills", static_cast<double>(x.spills));
  c.set("local_bytes", static_cast<double>(x.local_bytes));
  c.set("instructions", static_cast<double>(x.instructions));
  return c;
}

}  // namespace pitot::gate
