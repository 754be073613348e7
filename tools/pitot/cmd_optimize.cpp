// pitot optimize: the sequence of transforms that makes a kernel best, verified to compute the
// same.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "assumptions.h"
#include "check/check.h"
#include "device/prepare.h"
#include "emulated_cost.h"
#include "kernel_files.h"
#include "ptx/parser.h"
#include "report/optimize_report.h"
#include "search/search.h"
#include "search_log.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct OptimizeArguments {
  std::string spec, policy = "greedy", cost = "emu", gpu, output, log;
  search::SearchOptions how;
  bool round_otherwise = false;
};

// The kernel at its full size.
std::optional<Candidate> read_kernel(const OptimizeArguments& args, Options& options) {
  auto failed = [&](const Error& e) {
    fail(options, e);
    return std::nullopt;
  };
  auto spec = read_spec_file(args.spec, options);
  if (!spec) return std::nullopt;
  Candidate c;
  c.path = args.spec;
  c.spec = std::make_shared<const device::KernelSpec>(std::move(*spec));
  const WantedKernel wanted{c.spec->entry, true};
  c.module = read_sound_module(c.spec->beside(c.spec->ptx), options, wanted);
  if (!c.module) return std::nullopt;
  const auto kernel = find_kernel(*c.module, wanted);
  if (!kernel) return failed(kernel.error());
  c.kernel = *kernel;
  if (c.spec->sizes.empty()) return failed(input_error(args.spec + ": it has no sizes"));
  while (c.size < c.spec->sizes.size() && c.spec->sizes[c.size].kind != "full") ++c.size;
  if (c.size == c.spec->sizes.size()) c.size = 0;
  c.size_text = device::size_text(c.spec->sizes[c.size]);
  return c;
}

Result<search::Kernel> kernel_of(const Candidate& c, const OptimizeArguments& args) {
  AssumptionArguments assumed;
  assumed.round_otherwise = args.round_otherwise;
  auto assumptions = assumptions_of(assumed, *c.module, c.kernel);
  if (!assumptions) return assumptions.error();
  add_spec(*c.spec, *c.module, c.kernel, *assumptions);
  return search::Kernel{c.module->source->path(), std::string(c.module->text()),
                        std::string(c.module->functions[c.kernel].name), std::move(*assumptions)};
}

// Why the text is not proved or tested to compute the same; empty: it is.
Result<std::string> doubt(const Candidate& original, const std::string& text,
                          const Options& options) {
  const auto module =
      std::make_shared<const ptx::Module>(ptx::parse(original.module->source->path(), text));
  const auto kernel = ptx::find_kernel(*module, original.module->functions[original.kernel].name);
  if (!kernel) return kernel.error();
  const auto a = emulator::load(original.module), b = emulator::load(module);
  if (!a) return a.error();
  if (!b) return b.error();
  check::Options how;
  how.seed = options.seed;
  how.workers = options.jobs;
  how.spec = original.spec.get();
  const check::Side before{original.module, &*a, original.kernel}, after{module, &*b, *kernel};
  auto r = check::check_kernels(before, after, how);
  if (!r) return r.error();
  if (r->verdict == check::Verdict::kUndecided && !r->may_be_meant) {
    // The spec's sizes leave code unreached, or cannot be run: arguments that are inferred may do.
    how.spec = nullptr;
    const auto inferred = check::check_kernels(before, after, how);
    if (!inferred) return inferred.error();
    if (inferred->verdict == check::Verdict::kSame) return std::string();
  }
  if (r->verdict == check::Verdict::kSame) return std::string();
  constexpr const char* kVerdicts[] = {"same", "different", "fault", "undecided"};
  std::string why = std::string("check says ") + kVerdicts[static_cast<size_t>(r->verdict)];
  if (!r->faults.empty()) {
    why += ": " + r->faults[0].message;
  } else if (!r->reasons.empty()) {
    why += ": " + r->reasons[0];
  }
  return why;
}

// Puts the original in the place of what the check does not confirm.
Status verify(const Candidate& original, const Options& options, search::OptimizeResult& r) {
  if (!r.search.improved) return Ok{};
  const auto why = doubt(original, r.search.best_text, options);
  if (!why) return why.error();
  if (why->empty()) return Ok{};
  r.verified = false;
  r.reason = *why;
  r.rejected = std::move(r.search.best.sequence);
  r.search.best = r.search.baseline;
  r.search.best_text = original.module->text();
  r.search.improved = false;
  return Ok{};
}

void run_optimize(const OptimizeArguments& args, Options& options) {
  const auto original = read_kernel(args, options);
  if (!original) return;
  const arch::Gpu* gpu = nullptr;
  if (!args.gpu.empty()) {
    auto found = arch::find_gpu(args.gpu);
    if (!found) return fail(options, found.error());
    gpu = *found;
  }
  gpu = chip_of(*original, gpu);
  if (gpu == nullptr)
    return fail(options, input_error("no GPU of the PTX's target is known: name one with --gpu"));
  const auto kernel = kernel_of(*original, args);
  if (!kernel) return fail(options, kernel.error());

  auto spec_text = read_file(args.spec);
  if (!spec_text) return fail(options, spec_text.error());
  SearchLog log;
  const std::string cost_name =
      fmt::format("{} {}, {}, seed {}, spec {}, pitot " PITOT_VERSION, args.cost, gpu->name,
                  original->size_text, options.seed, hash_bytes(*spec_text).hex());
  if (Status s = log.open(args.log, {search::program_hash(*kernel), cost_name}); !s)
    return fail(options, s.error());
  search::SearchOptions how = args.how;
  how.seed = options.seed;
  EmulatedCost cost(*original, *gpu, options);
  auto found = search::search(*kernel, how, cost, log.history(),
                              [&](const search::Evaluation& e) { log.add(e); });
  if (Status s = log.close(); !s) fail(options, s.error());
  if (!found) return fail(options, found.error());

  search::OptimizeResult r;
  r.path = args.spec;
  r.kernel = kernel->name;
  r.policy = args.policy;
  r.cost = args.cost;
  r.unit = "us";
  r.gpu = gpu->name;
  r.size = original->size_text;
  r.search = std::move(*found);
  if (Status s = verify(*original, options, r); !s) return fail(options, s.error());
  if (!r.verified) options.exit_code = kFindings;
  const bool to_stdout = args.output == "-";
  if (!args.output.empty() && !to_stdout) {
    if (Status s = write_file(args.output, r.search.best_text); !s) return fail(options, s.error());
    r.output = args.output;
  }
  const std::string report =
      options.format == "json"
          ? report::optimize_json(r)
          : report::optimize_text(r, options.style(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (!to_stdout) return print(report);
  std::fwrite(report.data(), 1, report.size(), stderr);
  print(r.search.best_text);
}

}  // namespace

void add_optimize(CLI::App& app, Options& options) {
  auto args = std::make_shared<OptimizeArguments>();
  CLI::App* verb = app.add_subcommand(
      "optimize", "search for the transforms that make a kernel fastest, and verify the result");
  verb->add_option("SPEC", args->spec, "kernel spec (*.kernel.toml); judged at its full size")
      ->required();
  add_format(*verb, options, {"text", "json"});
  verb->add_option("--policy", args->policy, "how to search")
      ->capture_default_str()
      ->check(CLI::IsMember({"greedy", "beam", "random", "exhaustive"}));
  verb->add_option("--cost", args->cost,
                   "what judges: emu, the modelled time of a launch by the emulator")
      ->capture_default_str()
      ->check(CLI::IsMember({"emu"}));
  verb->add_option("--gpu", args->gpu, "the GPU that is modelled; default one of the PTX's target");
  verb->add_option("--budget", args->how.budget,
                   "distinct programs that may be judged, the original among them")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  verb->add_option("--steps", args->how.max_steps, "transforms in a sequence at most")
      ->capture_default_str()
      ->check(CLI::Range(0u, static_cast<unsigned>(transform::kActions)));
  verb->add_option("--width", args->how.width, "programs of each length that beam continues")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_option("--log", args->log,
                   "where each judgement is written, and read again by the next run (JSON lines)");
  verb->add_flag("--round-otherwise", args->round_otherwise,
                 "results may be rounded otherwise (fma_contract)");
  verb->add_option("-o,--output", args->output,
                   "where the PTX goes; - for standard output (the report to standard error)");
  add_examples(*verb,
               "  pitot optimize softmax.kernel.toml -o faster.ptx\n"
               "  pitot optimize gemm.kernel.toml --gpu H200 --policy beam --width 8 --budget 500 "
               "--log gemm.jsonl\n"
               "  pitot --seed 7 optimize k.kernel.toml --policy random --format json\n"
               "The result is checked against the original on the emulator; what is not the same "
               "is taken back.\n"
               "Exit codes: 0 done (perhaps nothing is better), 1 the result was taken back or the "
               "PTX has\nerrors, 2 wrong usage or unreadable input. docs/search.md says how it "
               "searches.");
  verb->callback([args, &options] {
    for (search::Method m : {search::Method::kRandom, search::Method::kGreedy,
                             search::Method::kBeam, search::Method::kExhaustive})
      if (args->policy == search::to_string(m)) args->how.method = m;
    run_optimize(*args, options);
  });
}

}  // namespace pitot::cli
