// Names and order of diagnostics.
#include "support/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace pitot {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

void Diagnostics::sort() {
  std::stable_sort(items_.begin(), items_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    auto key = [](const Diagnostic& d) {
      return std::make_tuple(d.range.begin, -static_cast<int>(d.severity));
    };
    return key(a) < key(b);
  });
}

}  // namespace pitot
