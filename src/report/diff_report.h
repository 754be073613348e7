// The result of diff in every form.
#pragma once

#include <string>
#include <vector>

#include "gate/diff_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

struct DiffTextOptions {
  bool all_counts = false;  // every count that moved, not only the main ones
  bool excerpt = true;      // the changed lines side by side, or below each other when narrow
};

std::string diff_text(const gate::DiffResult& result, const TextStyle& style,
                      const DiffTextOptions& options = {});

// {"schema": "pitot.diff/1", "class": …, "kernels": […]}. `deltas`, `compat` and `ptxas.TARGET`
// hold B minus A as numbers, with both sides' values under "a" and "b".
std::string diff_json(const gate::DiffResult& result);
// Several pairs (two directories): {"schema": …, "class": gravest, "pairs": [{…}]}.
std::string diff_json(const std::vector<gate::DiffResult>& results);

// One row a kernel: names, class, compat deltas, numbers of changes.
std::string diff_csv(const std::vector<gate::DiffResult>& results);

std::string diff_markdown(const gate::DiffResult& result);

std::string diff_html(const std::vector<gate::DiffResult>& results);

}  // namespace pitot::report
