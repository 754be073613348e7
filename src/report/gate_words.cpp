// Phrases.
#include "report/gate_words.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace pitot::report {

const char* level_name(gate::FindingLevel level) {
  constexpr const char* kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<uint8_t>(level)];
}

std::string signed_number(double x) {
  const char* sign = x > 0 ? "+" : x < 0 ? "−" : "";
  double size = std::fabs(x);
  if (size == std::floor(size)) return fmt::format("{}{:.0f}", sign, size);
  return fmt::format("{}{:.3g}", sign, size);
}

std::string delta_words(const gate::Counts& delta) {
  std::string out;
  for (const auto& [name, value] : delta.items) {
    if (value == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", name, signed_number(value));
  }
  return out.empty() ? "no count moved" : out;
}

std::string acknowledgement_words(const gate::KernelSummary& kernel) {
  if (kernel.acknowledged.starts_with("explained:")) return kernel.acknowledged;
  return "acknowledged: " + kernel.acknowledged;
}

std::string verdict_words(const gate::GateResult& r) {
  size_t failed = r.failed(), waived = 0, warnings = 0;
  std::set<std::pair<std::string, std::string>> kernels;
  for (const gate::Finding& f : r.findings) {
    waived += f.waived;
    if (f.waived) continue;
    if (f.level == gate::FindingLevel::kError) {
      kernels.insert({f.path, f.kernel});
    } else {
      ++warnings;
    }
  }
  std::string against;
  if (!r.before.empty()) against = fmt::format(" against {}", r.before);
  std::string rest;
  if (waived != 0) rest += fmt::format(", {} waived", waived);
  if (warnings != 0)
    rest += fmt::format(", {} warning{} or note{}", warnings, warnings == 1 ? "" : "s",
                        warnings == 1 ? "" : "s");
  if (r.pass)
    return fmt::format("PASS: {} kernel{}{}{}", r.kernels.size(), r.kernels.size() == 1 ? "" : "s",
                       against, rest);
  return fmt::format("FAIL: {} finding{} in {} of {} kernel{}{}{}", failed, failed == 1 ? "" : "s",
                     kernels.size(), r.kernels.size(), r.kernels.size() == 1 ? "" : "s", against,
                     rest);
}

}  // namespace pitot::report
