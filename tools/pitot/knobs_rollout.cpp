#include "knobs_rollout.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "knob_table.h"
#include "knobs/trained_policy.h"
#include "knobs_live.h"
#include "knobs_modelled.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

// Nothing after errors, which are printed.
std::unique_ptr<knobs::Readings> readings_of(const RolloutArguments& args, Options& options) {
  if (args.device == "table") {
    if (args.sources.size() != 1) {
      fail(options, input_error("one sweep is replayed; --device emu and cuda take templates"));
      return nullptr;
    }
    auto table = read_knob_table(args.sources[0], options);
    if (!table) return nullptr;
    return std::make_unique<knobs::TableReadings>(std::move(*table));
  }
  if (args.device != "emu") {
    auto live = live_readings(args, options);
    return live ? std::make_unique<knobs::LiveReadings>(std::move(*live)) : nullptr;
  }
  const auto gpu = arch::find_gpu(args.gpu.empty() ? "H200" : args.gpu);
  if (!gpu) {
    fail(options, gpu.error());
    return nullptr;
  }
  const auto variants = make_knob_variants(args.sources, args.directory, options);
  if (!variants) return nullptr;
  auto made = ModelledReadings::make(*variants, args.sizes, **gpu, options);
  if (made) return std::make_unique<ModelledReadings>(std::move(*made));
  fail(options, made.error());
  return nullptr;
}

Result<knobs::TrainedPolicy> read_policy_file(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return knobs::read_trained_policy(*text, path);
}

Result<knobs::Policy> policy_of(const std::string& name, const knobs::Environment& environment,
                                const std::vector<int64_t>& baseline, uint64_t seed) {
  if (name == "random") return knobs::random_policy(environment.space(), seed);
  const auto choice = knobs::baseline_of(environment.space(), baseline);
  if (!choice) return choice.error();
  return knobs::Policy([c = *choice](std::span<const float>) { return Result<knobs::Choice>(c); });
}

}  // namespace

void run_rollout(const RolloutArguments& args, Options& options) {
  const auto readings = readings_of(args, options);
  if (!readings) return;
  knobs::EnvironmentOptions how;
  const bool trained = args.policy != "random" && args.policy != "default";
  auto from_file = trained ? read_policy_file(args.policy) : knobs::TrainedPolicy{};
  if (!from_file) return fail(options, from_file.error());
  if (trained) how = knobs::options_for(*from_file);
  how.max_steps = args.max_steps;
  how.baseline = args.baseline;
  auto environment = knobs::Environment::make(*readings, how);
  if (!environment) return fail(options, environment.error());
  if (trained)
    if (Status s = knobs::fits(*from_file, *environment, readings->cases()); !s)
      return fail(options, input_error(args.policy + ": " + s.error().message));
  const auto policy = trained ? Result<knobs::Policy>(knobs::follow(*from_file))
                              : policy_of(args.policy, *environment, args.baseline, options.seed);
  if (!policy) return fail(options, policy.error());
  knobs::RolloutOptions play;
  play.episodes = args.episodes;
  play.every_case = !args.drawn;
  play.seed = options.seed;
  const auto start = std::chrono::steady_clock::now();
  const auto played = knobs::play(*environment, readings->cases(), args.max_steps, *policy, play);
  if (!played) return fail(options, played.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string steps = knobs::rollout_csv(*played), episodes = knobs::episodes_csv(*played);
  if (!args.steps_file.empty())
    if (Status s = write_file(args.steps_file, steps); !s) return fail(options, s.error());
  if (!args.episodes_file.empty() && args.episodes_file != "-")
    if (Status s = write_file(args.episodes_file, episodes); !s) return fail(options, s.error());
  if (args.episodes_file == "-") return print(episodes);
  print(fmt::format("{} episodes, {} steps\n",
                    args.episodes * (args.drawn ? 1 : readings->cases().size()),
                    played->steps.size()));
  if (args.device != "table" && args.device != "emu")
    print(fmt::format("{:.0f} steps a second, baselines included\n",
                      static_cast<double>(played->steps.size()) / seconds));
}

}  // namespace pitot::cli
