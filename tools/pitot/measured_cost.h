// A search's cost on a GPU: each program is assembled, run, compared with the original and timed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "measure/program_meter.h"
#include "program_assembler.h"
#include "search/cost.h"
#include "search/log.h"

namespace pitot::cli {

struct MeasuredCostOptions {
  unsigned jobs = 0;
  bool use_ptxas = true;  // else the driver assembles, and there are no images
  // Programs between two measurements of the original.
  size_t between = 16;
};

class MeasuredCost : public search::Cost {
 public:
  // Of this kernel of the meter's. Errors (kInput): PTX that the GPU cannot run.
  static Result<MeasuredCost> make(std::shared_ptr<measure::ProgramMeter> meter, size_t subject,
                                   const cuda::GpuFacts& gpu, const MeasuredCostOptions& options);
  // What an earlier run found out: values by image, and that of the original, which new ones are
  // made relative to.
  void remember(const search::History& history, const Hash128& original);

  // Cycles or microseconds. Every value is what the program took by what the original took then
  // (interpolated between its measurements before and after), times what the original took first.
  // The noise is the half width of the medians' intervals together, at least the dead zone's half.
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view> texts) override;

  // Who assembles: "ptxas 13.0.88 for sm_90", "the driver".
  std::string assembler() const;
  const std::optional<ProgramAssembler>& ptxas() const { return ptxas_; }
  // Slowest measurement of the original by the fastest, less 1: how much the GPU's speed changed.
  double drift() const { return least_ > 0 ? most_ / least_ - 1 : 0; }
  uint64_t measured() const { return measured_; }  // programs that went to the GPU

 private:
  MeasuredCost(std::shared_ptr<measure::ProgramMeter> meter, size_t subject,
               const MeasuredCostOptions& options)
      : meter_(std::move(meter)), subject_(subject), options_(options) {}
  const measure::Subject& original() const { return meter_->subject(subject_).original; }
  // A program of a batch on its way.
  struct Item {
    std::string image, failure;
    bool original = false;
    bool measure = false;  // the first of its image, which nobody measured before
    measure::ProgramCode code;
  };
  // What compilers have to do for these texts, on all cores; images that others were first with
  // are in `claimed`.
  std::vector<Item> assemble(std::span<const std::string_view> texts,
                             std::set<std::string>& claimed) const;
  Result<measure::ProgramCode> code_of(std::string_view text, std::string cubin) const;
  Result<std::string> with_clock(std::string_view text) const;
  Status prepare();
  Result<measure::Estimate> measure_original();
  Status measure(std::span<Item> items, std::span<search::CostValue> values);
  search::CostValue value_of(const measure::ProgramTime& t, const measure::Estimate& before,
                             const measure::Estimate& after, double at) const;

  std::shared_ptr<measure::ProgramMeter> meter_;
  size_t subject_;
  MeasuredCostOptions options_;
  ptx::Target target_;
  std::optional<ProgramAssembler> ptxas_;
  std::map<std::string, search::CostValue> images_;
  std::optional<double> base_;  // the original's value that all others are relative to
  std::string original_image_;
  bool prepared_ = false;
  double least_ = 0, most_ = 0;
  uint64_t measured_ = 0;
};

}  // namespace pitot::cli
