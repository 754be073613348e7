#include "bench_clock.h"

#include <fmt/format.h>

#include "predict/analytic.h"
#include "predict/row_features.h"

namespace pitot::cli {

bench::Clock modelled_clock(const arch::Gpu& gpu, uint64_t seed, ClockCare care) {
  predict::RowOptions how;
  how.seed = seed;
  // Long loops of large matrices; searches do without such.
  if (care == ClockCare::kFull) how.budget = 20'000'000;
  if (care == ClockCare::kQuick) {
    how.enough = 100'000;
    how.most_blocks = 16;
    how.enough_unlike = 300'000;
    how.most_unlike_blocks = 128;
  }
  return [&gpu, how](const bench::Candidate& c, const device::SizeSpec& size) -> Result<double> {
    predict::RowExtractor extractor(how);
    predict::RowRequest request;
    request.module = c.module;
    request.kernel = c.kernel;
    request.gpu = &gpu;
    request.spec = &c.spec;
    request.size = &size;
    auto row = extractor.row(request);
    if (!row) return row.error();
    const auto score = predict::analytic_score(row->values);
    if (!score || !score->emulated) {
      const auto why = row->reason(predict::index_of(predict::Column::kEmuCycles));
      return failed_error(
          fmt::format("its time cannot be modelled: {}", why.empty() ? "no score" : why));
    }
    return score->us;
  };
}

}  // namespace pitot::cli
