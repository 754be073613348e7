// The kernels that predict and rank are asked about, each with a launch, and their features.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "device/spec.h"
#include "predict/row_features.h"
#include "ptx/module.h"
#include "variants/launchable.h"

namespace pitot::cli {

// A kernel in one launch: a spec at one of its sizes, or a bare launch.
struct Candidate {
  std::string path;  // of the spec, or of the PTX where there is none
  std::shared_ptr<const ptx::Module> module;
  uint32_t kernel = 0;
  std::shared_ptr<const device::KernelSpec> spec;
  size_t size = 0;  // of the spec's
  predict::BareLaunch launch;
  std::string size_text;
};

struct CandidateOptions {
  std::vector<uint32_t> sizes;  // of specs, by number; empty: all
  std::string launches;         // CSV of bare launches
  // A bare launch for every PTX that has none of its own.
  std::vector<uint32_t> grid, block;
  uint32_t dynamic_shared = 0;
  uint64_t problem_size = 0;
};

// Specs and PTX files as written; of a directory the launches of the CSV, else the variants of its
// manifest, else every spec below it, else every PTX. Errors of single files are printed and the
// rest goes on; what cannot be launched by anything given is an error.
std::vector<Candidate> read_candidates(const std::vector<std::string>& paths,
                                       const CandidateOptions& how, Options& options);

// A candidate's features, or why there are none.
struct CandidateRow {
  std::optional<predict::FeatureRow> row;
  std::string error;
};
// Whether the GPU can launch it at all, by its row.
variants::LaunchAnswer launch_answer(const Candidate& candidate, const predict::FeatureRow& row,
                                     const arch::Gpu& gpu);
// The chip that is meant: `gpu`, or where it is null one of the PTX's target. Null without such.
const arch::Gpu* chip_of(const Candidate& candidate, const arch::Gpu* gpu);

// In the order of the candidates, on as many threads as `options` says.
std::vector<CandidateRow> rows_of(const std::vector<Candidate>& candidates, const arch::Gpu* gpu,
                                  const predict::RowOptions& how, const Options& options);

}  // namespace pitot::cli
