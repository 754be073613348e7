// pitot profile: executed counts per line and a model of the time, without a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli.h"
#include "device/prepare.h"
#include "kernel_files.h"
#include "profile/profile.h"
#include "profile_cuda.h"
#include "report/problem_report.h"
#include "report/profile_report.h"

namespace pitot::cli {
namespace {

struct ProfileArguments {
  std::string spec, ptx, entry, device = "emu", gpu, blocks = "8", order = "cost";
  std::vector<uint32_t> sizes;
  std::vector<std::string> set;
  uint32_t registers = 0;
  uint64_t budget = emulator::Options{}.instruction_budget;
  bool sample_loops = false;
  size_t lines = 24;
  double seconds = 120;
  std::vector<std::string> metrics;
};

// The sizes to profile: those named by number, else the first; --set changes or adds values.
Result<std::vector<device::SizeSpec>> chosen_sizes(const device::KernelSpec& spec,
                                                   const ProfileArguments& args) {
  std::vector<device::SizeSpec> out;
  const std::vector<uint32_t> numbers = args.sizes.empty() ? std::vector<uint32_t>{0} : args.sizes;
  for (uint32_t n : numbers) {
    if (n >= spec.sizes.size())
      return input_error(
          fmt::format("no size {}: {} has sizes 0 to {}", n, spec.path, spec.sizes.size() - 1));
    out.push_back(spec.sizes[n]);
  }
  for (const std::string& s : args.set) {
    const size_t equals = s.find('=');
    if (equals == s.npos) return input_error("--set wants NAME=VALUE, not '" + s + "'");
    const std::string name = s.substr(0, equals);
    if (!out[0].values.contains(name))
      return input_error("the spec's sizes have no '" + name + "'");
    auto value = device::evaluate(s.substr(equals + 1), {});
    if (!value) return value.error();
    for (auto& size : out) size.values[name] = *value;
  }
  return out;
}

using Profiles = std::vector<profile::ProfileResult>;

// A profile a size; nothing after an error, which was printed.
std::optional<Profiles> profiles_of(const ProfileArguments& args, Options& options) {
  auto failed = [&](const Error& error) {
    fail(options, error);
    return std::nullopt;
  };
  const auto spec = read_spec_file(args.spec, options);
  if (!spec) return std::nullopt;
  const WantedKernel wanted = wanted_kernel(args.entry, args.ptx, *spec);
  auto module =
      read_sound_module(args.ptx.empty() ? spec->beside(spec->ptx) : args.ptx, options, wanted);
  if (!module) return std::nullopt;
  auto program = emulator::load(module);
  if (!program) return failed(program.error());
  auto kernel = find_kernel(*module, wanted);
  if (!kernel) return failed(kernel.error());
  profile::ProfileOptions how;
  if (!args.gpu.empty()) {
    auto gpu = arch::find_gpu(args.gpu);
    if (!gpu) return failed(gpu.error());
    how.gpu = *gpu;
  }
  if (args.blocks != "all") {
    auto blocks = device::evaluate(args.blocks, {});
    if (!blocks) return failed(blocks.error());
    if (*blocks < 1) return failed(input_error("--blocks wants at least 1, or `all`"));
    how.blocks = static_cast<uint64_t>(*blocks);
  } else {
    how.blocks = 0;
  }
  how.sample_loops = args.sample_loops;
  how.registers = args.registers;
  how.registers_from = "given";
  how.emulator.seed = options.seed;
  how.emulator.workers = options.jobs;
  how.emulator.instruction_budget = args.budget;
  auto sizes = chosen_sizes(*spec, args);
  if (!sizes) return failed(sizes.error());
  std::vector<profile::ProfileResult> results;
  for (const device::SizeSpec& size : *sizes) {
    auto ready = device::prepare(*program, *kernel, *spec, size, options.seed, true);
    if (!ready) return failed(ready.error());
    auto result = profile::profile(*program, *kernel, ready->launch, *ready->memory, how);
    if (!result) return failed(result.error());
    result->size_text = device::size_text(size);
    if (!result->ok()) options.exit_code = kFindings;
    results.push_back(std::move(*result));
  }
  return results;
}

// The counters of a GPU in place of the model's.
void count_on_gpu(const ProfileArguments& args, Options& options) {
  const auto spec = read_spec_file(args.spec, options);
  if (!spec) return;
  const WantedKernel wanted = wanted_kernel(args.entry, args.ptx, *spec);
  auto module =
      read_sound_module(args.ptx.empty() ? spec->beside(spec->ptx) : args.ptx, options, wanted);
  if (!module) return;
  auto kernel = find_kernel(*module, wanted);
  if (!kernel) return fail(options, kernel.error());
  auto sizes = chosen_sizes(*spec, args);
  if (!sizes) return fail(options, sizes.error());
  GpuProfileArguments gpu{args.device,
                          args.spec,
                          args.ptx,
                          args.entry,
                          std::string(module->functions[*kernel].name),
                          {},
                          args.seconds,
                          args.metrics};
  for (const auto& size : *sizes) gpu.size_texts.push_back(device::size_text(size));
  profile_on_gpu(gpu, options);
}

void run_profile(const ProfileArguments& args, Options& options) {
  if (args.device != "emu") return count_on_gpu(args, options);
  const auto profiles = profiles_of(args, options);
  if (!profiles) {
    if (options.format == "json")
      print(report::problem_json("profile", options.problems, options.errors));
    return;
  }
  const Profiles& results = *profiles;
  if (options.format == "json") return print(report::profile_json(results));
  if (options.format == "csv") {
    // A run with a fault has no rows.
    for (const auto& r : results) std::fputs(report::profile_faults(r).c_str(), stderr);
    return print(report::profile_csv(results));
  }
  if (options.format == "html") return print(report::profile_html(results));
  for (size_t i = 0; i < results.size(); ++i) {
    if (i > 0) print("\n");
    print(report::profile_text(results[i], {args.order == "source", args.lines},
                               options.style(STDOUT_FILENO)));
  }
}

}  // namespace

void add_profile(CLI::App& app, Options& options) {
  auto args = std::make_shared<ProfileArguments>();
  CLI::App* verb =
      app.add_subcommand("profile", "what a GPU would feel, line by line, without a GPU");
  add_format(*verb, options, {"text", "json", "csv", "html"});
  verb->add_option("SPEC", args->spec, "kernel spec (*.kernel.toml)")->required();
  verb->add_option("--ptx", args->ptx,
                   "profile this file (PTX, or a binary with PTX in it) instead of the spec's");
  verb->add_option("--entry", args->entry, "kernel in it; default the spec's, or the only one");
  verb->add_option("--device", args->device,
                   "emu, or a GPU whose counters Nsight Compute reads: cuda, cuda:1")
      ->capture_default_str();
  verb->add_option(
          "--metrics", args->metrics,
          "with --device cuda: Nsight Compute's metrics in place of those that are modelled")
      ->delimiter(',');
  verb->add_option("--time-limit", args->seconds, "with --device cuda: seconds for a launch")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  verb->add_option("--gpu", args->gpu, "chip to model; default one of the PTX's target");
  verb->add_option("--size", args->sizes, "sizes of the spec, by number from 0; default the first");
  verb->add_option("--set", args->set, "NAME=VALUE: another value for one of the sizes")
      ->delimiter(',');
  verb->add_option("--blocks", args->blocks, "about so many blocks are executed, or `all`")
      ->capture_default_str();
  verb->add_flag("--sample-loops", args->sample_loops,
                 "of long loops whose trips are alike, some stand for the others");
  verb->add_option("--registers", args->registers, "a thread; default an estimate");
  verb->add_option("--lines", args->lines, "lines shown as text; 0: all")->capture_default_str();
  verb->add_option("--order", args->order, "of the lines: cost or source")
      ->check(CLI::IsMember({"cost", "source"}))
      ->capture_default_str();
  verb->add_option("--budget", args->budget,
                   "warp instructions before a run is stopped, which is a fault")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 60));
  add_examples(
      *verb,
      "  pitot profile gemm_tiled.kernel.toml --set m=4096,n=4096,k=4096 --gpu H200\n"
      "  pitot profile softmax.kernel.toml --blocks all --order source --lines 0\n"
      "  pitot profile gelu.kernel.toml -f html >gelu.html\n"
      "  pitot profile gelu.kernel.toml --device cuda     what Nsight Compute counts on the GPU\n"
      "Columns: share of what the binding resource does; warp instructions; active lanes;\n"
      "sectors a request; passes for bank conflicts; hits in L1 and L2; divergent\n"
      "branches; cycles that warps wait before the line. docs/profile-model.md explains.\n"
      "Exit codes: 0 done, 1 a fault, 2 wrong usage or unreadable input, 3 no such\nGPU, no ncu.");
  verb->callback([args, &options] { run_profile(*args, options); });
}

}  // namespace pitot::cli
