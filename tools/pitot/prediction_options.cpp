#include "prediction_options.h"

#include "arch/gpu.h"

namespace pitot::cli {

void PredictionOptions::add_to(CLI::App& verb) {
  verb.add_option("--gpu", gpu, "chip to predict for; default one of the PTX's target");
  verb.add_flag("--force", force, "ask the model also about what it was not made for");
  verb.add_option("--grid", candidates.grid, "blocks, of PTX without a spec: X,Y,Z")
      ->delimiter(',');
  verb.add_option("--block", candidates.block, "threads of a block, likewise")->delimiter(',');
  verb.add_option("--dynamic-shared", candidates.dynamic_shared, "bytes, likewise");
  verb.add_option("--problem-size", candidates.problem_size,
                  "what integer arguments of PTX without a spec are made of");
  verb.add_option("--blocks", blocks, "about so many are executed for the features")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 20));
  verb.add_option("--budget", budget, "warp instructions of that sample at most")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 60));
  verb.add_flag("--no-emulation", no_emulation, "features from the text alone: faster, and worse");
}

Result<const arch::Gpu*> PredictionOptions::chip() const {
  if (gpu.empty()) return static_cast<const arch::Gpu*>(nullptr);
  return arch::find_gpu(gpu);
}

predict::RowOptions PredictionOptions::rows(const Options& options) const {
  predict::RowOptions r;
  r.emulate = !no_emulation;
  r.blocks = blocks;
  r.budget = budget;
  r.seed = options.seed;
  return r;
}

}  // namespace pitot::cli
