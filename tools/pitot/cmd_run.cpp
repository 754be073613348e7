// pitot run: executes a kernel from its spec.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli.h"
#include "device/cuda_run.h"
#include "device/emulated.h"
#include "kernel_files.h"
#include "report/problem_report.h"
#include "report/run_report.h"
#include "run_cuda.h"
#include "sizes.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct RunArguments {
  std::string spec, ptx, entry, device = "emu", save;
  std::vector<std::string> checks;
  std::vector<uint32_t> sizes;
  std::vector<std::string> set;
  uint64_t budget = 0;
  double seconds = 30;
  size_t shown = 64;
};

void save(const device::RunResult& r, size_t number, size_t runs, const std::string& folder,
          Options& options) {
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  for (const auto& o : r.outputs) {
    const std::string name = runs > 1 ? fmt::format("{}.{}.bin", o.name, number) : o.name + ".bin";
    const std::string bytes(reinterpret_cast<const char*>(o.bytes.data()), o.bytes.size());
    if (Status s = write_file((std::filesystem::path(folder) / name).string(), bytes); !s)
      fail(options, s.error());
  }
}

Result<std::vector<device::RunResult>> run_on_emulator(
    const std::shared_ptr<const ptx::Module>& module, uint32_t kernel,
    const device::KernelSpec& spec, const std::vector<size_t>& sizes, const RunArguments& args,
    const Options& options) {
  auto program = emulator::load(module);
  if (!program) return program.error();
  device::EmulatedOptions emulated;
  emulated.seed = options.seed;
  emulated.emulator.seed = options.seed;
  emulated.emulator.workers = options.jobs;
  if (args.budget != 0) emulated.emulator.instruction_budget = args.budget;
  for (const std::string& c : args.checks) {
    emulated.emulator.checks.uninitialised |= c == "uninitialised" || c == "all";
    emulated.emulator.checks.async_copies |= c == "copies" || c == "all";
    emulated.emulator.checks.races |= c == "races" || c == "all";
  }
  std::vector<device::RunResult> runs;
  for (const size_t i : sizes) {
    auto r = device::run_emulated(*program, kernel, spec, spec.sizes[i], emulated);
    if (!r) return r.error();
    runs.push_back(std::move(*r));
  }
  return runs;
}

// The runs, in the order of the spec's sizes; nothing after an error, which was printed.
std::optional<std::vector<device::RunResult>> runs_of(const RunArguments& args, Options& options,
                                                      std::string& source) {
  auto failed = [&](const Error& error) {
    fail(options, error);
    return std::nullopt;
  };
  const std::optional<int> gpu = device::cuda_number(args.device);
  if (args.device != "emu" && !gpu)
    return failed(input_error("no device '" + args.device + "'; emu, cuda or cuda:N"));
  if (gpu && (!args.checks.empty() || args.budget != 0))
    return failed(input_error("--checks and --budget are the emulator's: without --device cuda"));
  const auto read = read_spec_file(args.spec, options);
  if (!read) return std::nullopt;
  device::KernelSpec spec = *read;
  if (Status set = set_sizes(args.set, spec); !set) return failed(set.error());
  const WantedKernel wanted = wanted_kernel(args.entry, args.ptx, spec);
  auto module =
      read_sound_module(args.ptx.empty() ? spec.beside(spec.ptx) : args.ptx, options, wanted);
  if (!module) return std::nullopt;
  source = std::string(module->text());
  std::vector<size_t> sizes;
  for (size_t i = 0; i < spec.sizes.size(); ++i)
    if (args.sizes.empty() ||
        std::find(args.sizes.begin(), args.sizes.end(), i) != args.sizes.end())
      sizes.push_back(i);
  if (sizes.empty())
    return failed(input_error(fmt::format("{} has sizes 0 to {}, none of those that --size names",
                                          args.spec, spec.sizes.size() - 1)));
  auto kernel = find_kernel(*module, wanted);
  if (!kernel) return failed(kernel.error());
  auto done = gpu ? run_on_gpu(module, *kernel, spec, sizes, options.seed, {*gpu, args.seconds})
                  : run_on_emulator(module, *kernel, spec, sizes, args, options);
  if (!done) return failed(done.error());
  for (const auto& r : *done)
    if (!r.ok()) options.exit_code = kFindings;
  return std::move(*done);
}

void run_run(const RunArguments& args, Options& options) {
  std::string source;
  const auto runs = runs_of(args, options, source);
  if (!runs) {
    if (options.format == "json")
      print(report::problem_json("run", options.problems, options.errors));
    return;
  }
  if (options.format == "json") {
    print(report::run_json(*runs, args.shown));
  } else {
    for (const auto& r : *runs) print(report::run_text(r, source, options.style(STDOUT_FILENO)));
  }
  if (!args.save.empty())
    for (size_t i = 0; i < runs->size(); ++i) save((*runs)[i], i, runs->size(), args.save, options);
}

}  // namespace

void add_run(CLI::App& app, Options& options) {
  auto args = std::make_shared<RunArguments>();
  CLI::App* verb = app.add_subcommand("run", "execute a kernel from its spec, on the CPU or a GPU");
  add_format(*verb, options, {"text", "json"});
  verb->add_option("SPEC", args->spec, "kernel spec (*.kernel.toml)")->required();
  verb->add_option("--ptx", args->ptx,
                   "run this file (PTX, or a binary with PTX in it) instead of the spec's");
  verb->add_option("--entry", args->entry, "kernel in it; default the spec's, or the only one");
  verb->add_option("--device", args->device, "emu, or a GPU: cuda, cuda:1")->capture_default_str();
  verb->add_option("--size", args->sizes, "only these sizes of the spec, by number from 0");
  verb->add_option("--set", args->set, "a size of one's own: the spec's first with other values")
      ->excludes("--size");
  verb->add_option("--checks", args->checks,
                   "besides bounds and alignment: uninitialised values, copies that nobody waited "
                   "for, races "
                   "between threads, all")
      ->delimiter(',')
      ->check(CLI::IsMember({"uninitialised", "copies", "races", "all"}));
  verb->add_option("--budget", args->budget,
                   "warp instructions before a run is stopped, which is a fault")
      ->default_str(std::to_string(emulator::Options{}.instruction_budget))
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 60));
  verb->add_option("--time-limit", args->seconds,
                   "seconds for a run on a GPU, with starting it and compiling")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  verb->add_option("--shown", args->shown, "elements of each output in JSON")
      ->capture_default_str();
  verb->add_option("--save", args->save, "folder for the outputs' bytes, NAME.bin");
  add_examples(*verb,
               "  pitot run gelu.kernel.toml\n"
               "  pitot run gelu.kernel.toml --ptx gelu_wrong.sm80.ptx --checks all\n"
               "  pitot run reduce.kernel.toml --checks races\n"
               "  pitot run gemm.kernel.toml --size 0 --save out/      c.bin\n"
               "  pitot run gemm.kernel.toml --device cuda          on the first GPU, in a process "
               "of its own\n"
               "Exit codes: 0 ran, 1 a fault, 2 wrong usage or unreadable input, 3 no such GPU.");
  verb->callback([args, &options] { run_run(*args, options); });
}

}  // namespace pitot::cli
