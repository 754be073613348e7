#include "knobs_modelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "knobs/measured_row.h"
#include "predict/analytic.h"

namespace pitot::cli {
namespace {

using predict::Column;

// What the emulator's profile says in the place of hardware counters.
knobs::SweepCounters modelled_counters(const predict::FeatureRow& row) {
  knobs::SweepCounters c;
  c.source = "emulated";
  const double cycles = row[Column::kEmuEstimate];
  if (std::isnan(cycles) || cycles <= 0) {
    c.reason = std::string(row.reason(predict::index_of(Column::kEmuEstimate)));
    return c;
  }
  c.ok = true;
  const double waves = row[Column::kWaves];
  // Fewer blocks than the GPU holds leave warps of an SM empty.
  c.percent[0] = 100 * row[Column::kOccupancy] * std::min(1.0, waves);
  c.percent[1] = 100 * row[Column::kEmuL2HitRate];
  c.percent[2] = 100 * row[Column::kEmuCyclesDram] / cycles;
  double busiest = 0;
  for (const Column unit :
       {Column::kEmuCyclesIssue, Column::kEmuCyclesFma, Column::kEmuCyclesAlu,
        Column::kEmuCyclesHalf, Column::kEmuCyclesFp64, Column::kEmuCyclesSfu,
        Column::kEmuCyclesShuffle, Column::kEmuCyclesTensor, Column::kEmuCyclesLsu})
    busiest = std::max(busiest, row[unit]);
  c.percent[3] = 100 * busiest / cycles;
  return c;
}

}  // namespace

knobs::SweepRow modelled_row(const Candidate& candidate, const CandidateRow& made,
                             const KnobVariant& v, const arch::Gpu& gpu, bool counters) {
  knobs::SweepRow r;
  r.kernel = v.kernel;
  r.matrix_size = knobs::matrix_size(candidate.size_text).value_or(0);
  r.settings = v.settings;
  r.threads_per_block = static_cast<uint32_t>(v.settings[0]);
  if (!made.row) {
    r.failure = made.error;
    return r;
  }
  r.registers = static_cast<uint32_t>((*made.row)[Column::kLaunchRegisters]);
  r.estimated_registers = r.registers;
  r.occupancy = (*made.row)[Column::kOccupancy];
  const auto launch = launch_answer(candidate, *made.row, gpu);
  const auto score = predict::analytic_score(made.row->values);
  if (launch.answer == variants::CanLaunch::kNo) {
    r.failure = "it cannot be launched: " + launch.reason;
  } else if (!score || !score->emulated) {
    r.failure = fmt::format("it cannot be emulated: {}",
                            made.row->reason(predict::index_of(Column::kEmuCycles)));
  } else {
    // A model has one time, and no spread.
    r.mean_ms = r.least_ms = r.most_ms = score->us / 1e3;
    if (counters) r.counters = modelled_counters(*made.row);
  }
  return r;
}

Result<ModelledReadings> ModelledReadings::make(const KnobVariants& variants,
                                                const std::vector<int64_t>& sizes,
                                                const arch::Gpu& gpu, Options& options) {
  ModelledReadings out(gpu, options);
  for (size_t k = 0; k < variants.knobs.size(); ++k) {
    std::set<int64_t> values;
    for (const KnobVariant& v : variants.list) values.insert(v.settings[k]);
    out.space_.knobs.push_back({variants.knobs[k], {values.begin(), values.end()}});
  }
  for (const KnobVariant& v : variants.list) {
    if (v.spec.empty()) continue;
    const auto choice = out.space_.choice_with(v.settings);
    for (Candidate& c : read_candidates({v.spec}, {}, options)) {
      const knobs::Case at{v.kernel, knobs::matrix_size(c.size_text).value_or(0)};
      if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), at.matrix_size) == sizes.end())
        continue;
      auto found = std::find(out.cases_.begin(), out.cases_.end(), at);
      if (found == out.cases_.end()) found = out.cases_.insert(found, at);
      const auto number = static_cast<size_t>(found - out.cases_.begin());
      out.places_.try_emplace({number, out.space_.index_of(*choice)}, Place{std::move(c), v});
    }
  }
  if (out.cases_.empty()) return input_error("there is nothing to model: no such sizes");
  return out;
}

Result<knobs::Reading> ModelledReadings::read(size_t number, size_t configuration) {
  const std::pair key(number, configuration);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  knobs::Reading out;
  const auto place = places_.find(key);
  if (place == places_.end()) {
    out.failure = "there is no such configuration";
  } else {
    predict::RowOptions how;
    how.seed = options_->seed;
    const auto rows = rows_of({place->second.candidate}, gpu_, how, *options_);
    const knobs::SweepRow row =
        modelled_row(place->second.candidate, rows[0], place->second.variant, *gpu_, true);
    out.ms = row.mean_ms;
    out.failure = row.failure;
    if (row.counters) out.counters = *row.counters;
  }
  return known_.emplace(key, std::move(out)).first->second;
}

bool ModelledReadings::may_run(size_t number, size_t configuration) const {
  return places_.contains({number, configuration});
}

}  // namespace pitot::cli
