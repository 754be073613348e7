// pitot inspect: static metrics of every kernel; physical resources, occupancy and roofline on
// demand.
#include <unistd.h>

#include "cli.h"
#include "inspect_kernel.h"
#include "progress.h"
#include "ptx/parser.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

struct InspectArguments {
  std::vector<std::string> paths, targets, gpus;
  bool ptxas = false, all = false;
  std::vector<uint32_t> block;
  uint32_t dynamic_shared = 0;
};

// The targets to ask ptxas for: those named, else the module's own.
std::vector<ptx::Target> targets_for(const ptx::Module& m, const InspectOptions& o) {
  if (!o.targets.empty()) return o.targets;
  return {m.target.sm != 0 ? m.target : ptx::Target{80, 0}};
}

void run_inspect(const InspectArguments& args, Options& options) {
  InspectOptions inspect;
  inspect.dynamic_shared = args.dynamic_shared;
  for (const auto& name : args.targets) {
    inspect.targets.push_back(ptx::target_from_name(name));
    if (inspect.targets.back().sm == 0)
      return fail(options, input_error("'" + name + "' is no target such as sm_90a"));
  }
  for (const auto& name : args.gpus) {
    auto gpu = arch::find_gpu(name);
    if (!gpu) return fail(options, gpu.error());
    inspect.gpus.push_back(*gpu);
  }
  if (!args.block.empty()) {
    inspect.block = std::array<uint32_t, 3>{1, 1, 1};
    for (size_t i = 0; i < args.block.size(); ++i) (*inspect.block)[i] = args.block[i];
  }
  std::optional<Ptxas> ptxas;
  if (args.ptxas) {
    auto found = open_ptxas();
    if (!found) return fail(options, found.error());
    ptxas.emplace(std::move(*found));
  }
  std::vector<Input> inputs = read_inputs(args.paths, options);
  std::vector<report::InspectedFile> files(inputs.size());
  std::vector<std::vector<Error>> errors(inputs.size());
  Progress progress("inspect", inputs.size());
  parallel_for(inputs.size(), options.jobs, [&](size_t i) {
    ptx::Module m = ptx::parse(inputs[i].path, std::move(inputs[i].text));
    files[i] = inspect_module(m, inspect);
    if (ptxas) errors[i] = add_ptxas(m, targets_for(m, inspect), *ptxas, files[i]);
    add_launch_facts(m, inspect, files[i]);
    progress.step();
  });
  progress.finish();
  for (const auto& list : errors)
    for (const auto& e : list) fail(options, e);
  print(options.format == "json"
            ? report::inspect_json(files)
            : report::inspect_text(files, options.style(STDOUT_FILENO), args.all));
  for (const auto& f : files)
    for (const auto& d : f.diagnostics)
      if (d.severity == "error" && options.exit_code == kFine) options.exit_code = kFindings;
}

}  // namespace

void add_inspect(CLI::App& app, Options& options) {
  auto args = std::make_shared<InspectArguments>();
  CLI::App* verb =
      app.add_subcommand("inspect", "static metrics of kernels; registers, occupancy, roofline");
  add_paths(*verb, args->paths, "PTX files, directories, binaries, or - for standard input");
  add_format(*verb, options, {"text", "json"});
  verb->add_flag("--ptxas", args->ptxas, "ask ptxas for physical registers, spills and advisories");
  verb->add_option("--target", args->targets,
                   "targets to estimate and assemble for (sm_80,sm_90a); default: the file's own")
      ->delimiter(',');
  verb->add_option("--gpu", args->gpus,
                   "GPUs for occupancy and roofline (\"H200\", \"RTX 4090\", sm_86)")
      ->delimiter(',');
  verb->add_option("--block", args->block,
                   "threads of a block: X[,Y[,Z]]; default: what the kernel states")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::Range(1u, 1024u));
  verb->add_option("--dynamic-shared", args->dynamic_shared,
                   "bytes of dynamic shared memory of the launch");
  verb->add_flag("--all", args->all, "every feature in the text output");
  add_examples(*verb,
               "  pitot inspect kernel.ptx\n"
               "  pitot inspect --gpu H200,L4 --block 256 kernel.ptx\n"
               "  pitot inspect --ptxas --target sm_80,sm_90a --format json kernel.ptx");
  verb->callback([args, &options] { run_inspect(*args, options); });
}

}  // namespace pitot::cli
