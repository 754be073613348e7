// Configurations of knobs by the model, without a GPU: their times and counters.
#pragma once

#include <map>
#include <vector>

#include "candidates.h"
#include "knob_variants.h"
#include "knobs/readings.h"

namespace pitot::cli {

// A row of a sweep from a configuration's features; with `counters`, those too.
knobs::SweepRow modelled_row(const Candidate& candidate, const CandidateRow& made,
                             const KnobVariant& variant, const arch::Gpu& gpu, bool counters);

// Models what is asked for when it is asked for, and remembers it.
class ModelledReadings : public knobs::Readings {
 public:
  // Errors (kInput): nothing that can be launched, or not by these sizes.
  static Result<ModelledReadings> make(const KnobVariants& variants,
                                       const std::vector<int64_t>& sizes, const arch::Gpu& gpu,
                                       Options& options);
  const knobs::Space& space() const override { return space_; }
  const std::vector<knobs::Case>& cases() const override { return cases_; }
  Result<knobs::Reading> read(size_t number, size_t configuration) override;
  // Whether there is such a variant: what the model makes of it is not asked.
  bool may_run(size_t number, size_t configuration) const override;

 private:
  ModelledReadings(const arch::Gpu& gpu, Options& options) : gpu_(&gpu), options_(&options) {}
  struct Place {
    Candidate candidate;
    KnobVariant variant;
  };
  const arch::Gpu* gpu_;
  Options* options_;
  knobs::Space space_;
  std::vector<knobs::Case> cases_;
  std::map<std::pair<size_t, size_t>, Place> places_;
  std::map<std::pair<size_t, size_t>, knobs::Reading> known_;
};

}  // namespace pitot::cli
