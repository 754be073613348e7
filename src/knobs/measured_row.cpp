#include "knobs/measured_row.h"

#include <charconv>

namespace pitot::knobs {

std::optional<int64_t> matrix_size(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!word.starts_with("n=")) continue;
    int64_t n = 0;
    const auto r = std::from_chars(word.data() + 2, word.data() + word.size(), n);
    if (r.ec == std::errc() && r.ptr == word.data() + word.size()) return n;
  }
  return std::nullopt;
}

SweepRow measured_row(const measure::MeasureRecord& r, std::string kernel,
                      std::vector<int64_t> settings) {
  SweepRow out;
  out.kernel = std::move(kernel);
  out.matrix_size = matrix_size(r.size_text).value_or(0);
  out.settings = std::move(settings);
  out.threads_per_block = r.block[0] * r.block[1] * r.block[2];
  out.estimated_registers = r.estimated_registers;
  out.registers = r.registers;
  out.occupancy = r.occupancy;
  out.achieved_occupancy = r.achieved_occupancy;
  out.mean_ms = r.mean;
  out.deviation_ms = r.deviation;
  out.least_ms = r.least;
  out.most_ms = r.most;
  if (!r.ok) out.failure = r.reason.empty() ? "it did not run" : r.reason;
  return out;
}

}  // namespace pitot::knobs
