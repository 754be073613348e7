// pitot transform: PTX-to-PTX transforms by name, with what each did and why it left places alone.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "assumptions.h"
#include "bench/assumptions.h"
#include "kernel_files.h"
#include "ptx/parser.h"
#include "report/transform_report.h"
#include "support/file.h"
#include "transform/apply.h"
#include "transform/mask.h"

namespace pitot::cli {
namespace {

struct TransformArguments {
  std::string path, kernel, ptx, output;
  std::vector<std::string> actions;
  bool list = false, mask = false;
  AssumptionArguments assumptions;
};

const char* name_of(transform::Group group) {
  constexpr const char* kNames[] = {"vectorise",  "split", "load cache", "store cache",
                                    "registers",  "order", "prefetch",   "loads",
                                    "arithmetic", "loop"};
  return kNames[static_cast<size_t>(group)];
}

void list_actions(Options& options) {
  std::vector<transform::ActionRecord> records;
  for (const transform::ActionInfo& a : transform::actions())
    records.push_back({std::string(a.name), name_of(a.group), std::string(a.what), a.exclusive});
  print(options.format == "json" ? report::actions_json(records)
                                 : report::actions_text(records, options.style(STDOUT_FILENO)));
}

Result<std::vector<transform::Action>> read_actions(const std::vector<std::string>& names) {
  std::vector<transform::Action> out;
  for (const std::string& name : names) {
    const transform::ActionInfo* a = transform::find_action(name);
    if (a == nullptr)
      return input_error(fmt::format("no transform '{}' (pitot transform --list has them)", name));
    out.push_back(a->action);
  }
  return out;
}

// The kernel that is meant, with what may be assumed of it.
struct TransformWork {
  std::shared_ptr<const ptx::Module> module;
  uint32_t kernel = 0;
  transform::Assumptions assumptions;
};

std::optional<TransformWork> read_work(const TransformArguments& args, Options& options) {
  auto failed = [&](const Error& e) {
    fail(options, e);
    return std::nullopt;
  };
  TransformWork work;
  std::optional<device::KernelSpec> spec;
  WantedKernel wanted{args.kernel, true};
  std::string path = args.path;
  if (path.ends_with(".toml")) {
    spec = read_spec_file(path, options);
    if (!spec) return std::nullopt;
    wanted = wanted_kernel(args.kernel, args.ptx, *spec);
    path = args.ptx.empty() ? spec->beside(spec->ptx) : args.ptx;
  } else if (!args.ptx.empty()) {
    return failed(input_error("--ptx is for a kernel spec: " + path + " is none"));
  }
  work.module = read_sound_module(path, options, wanted);
  if (!work.module) return std::nullopt;
  auto kernel = find_kernel(*work.module, wanted);
  if (!kernel) return failed(kernel.error());
  work.kernel = *kernel;
  auto assumptions = assumptions_of(args.assumptions, *work.module, work.kernel);
  if (!assumptions) return failed(assumptions.error());
  work.assumptions = std::move(*assumptions);
  if (spec) bench::add_spec(*spec, *work.module, work.kernel, work.assumptions);
  return work;
}

void record_steps(const std::vector<transform::Step>& steps, transform::TransformRecord& out) {
  for (const transform::Step& s : steps) {
    transform::StepRecord& r = out.steps.emplace_back();
    r.action = transform::info(s.action).name;
    r.changes = s.changes;
    for (const transform::Declined& d : s.declined) r.declined.push_back({d.line, d.reason});
  }
}

Status record_mask(const TransformWork& work, const std::string& text, const std::string& kernel,
                   std::span<const transform::Action> earlier, transform::TransformRecord& out) {
  const ptx::Module after = ptx::parse(out.path, text);
  auto function = ptx::find_kernel(after, kernel);
  if (!function) return function.error();
  out.has_mask = true;
  for (const auto& m : transform::mask(after, *function, earlier, work.assumptions))
    out.mask.push_back(
        {std::string(transform::info(m.action).name), to_string(m.state), m.changes, m.reason});
  return Ok{};
}

void run_transform(const TransformArguments& args, Options& options) {
  if (args.list) return list_actions(options);
  if (args.path.empty())
    return fail(options, input_error("name a PTX file or a kernel spec, or ask for --list"));
  if (args.actions.empty() && !args.mask)
    return fail(options, input_error("nothing to do: --apply names transforms, --mask asks which "
                                     "would change something"));
  auto actions = read_actions(args.actions);
  if (!actions) return fail(options, actions.error());
  const auto work = read_work(args, options);
  if (!work) return;
  transform::TransformRecord record;
  record.path = work->module->source->path();
  record.kernel = work->module->functions[work->kernel].name;
  auto done = transform::apply_sequence(record.path, std::string(work->module->text()),
                                        record.kernel, *actions, work->assumptions);
  if (!done) return fail(options, done.error());
  record_steps(done->steps, record);
  if (args.mask)
    if (Status s = record_mask(*work, done->text, record.kernel, *actions, record); !s)
      return fail(options, s.error());
  const bool to_stdout = args.output == "-";
  if (!args.output.empty() && !to_stdout) {
    if (Status s = write_file(args.output, done->text); !s) return fail(options, s.error());
    record.output = args.output;
  }
  const std::string report =
      options.format == "json"
          ? report::transform_json(record)
          : report::transform_text(record,
                                   options.style(to_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (to_stdout) {
    std::fwrite(report.data(), 1, report.size(), stderr);
    print(done->text);
  } else {
    print(report);
  }
}

}  // namespace

void add_transform(CLI::App& app, Options& options) {
  auto args = std::make_shared<TransformArguments>();
  CLI::App* verb = app.add_subcommand(
      "transform", "PTX-to-PTX transforms that are proved legal or declined with a reason");
  verb->add_option("PATH", args->path,
                   "PTX file, binary with PTX, - for standard input, or a kernel spec "
                   "(*.kernel.toml), whose alignments and distinct buffers are assumed");
  add_format(*verb, options, {"text", "json"});
  verb->add_flag("--list", args->list, "the transforms, and which exclude each other");
  verb->add_option("--apply", args->actions, "transforms in this order: vec_ld,vec_st,maxnreg_128")
      ->delimiter(',')
      ->allow_extra_args(false);  // the path may follow
  verb->add_flag("--mask", args->mask,
                 "which transforms would change the kernel as it is then, and why the others not");
  verb->add_option("--kernel,--entry", args->kernel, "which kernel; default the only one");
  verb->add_option("--ptx", args->ptx, "this file in place of the spec's");
  verb->add_option("-o,--output", args->output,
                   "where the PTX goes; - for standard output (the report to standard error)");
  add_assumptions(*verb, args->assumptions);
  add_examples(*verb,
               "  pitot transform --list\n"
               "  pitot transform --apply vec_ld,cache_cs k.ptx -o faster.ptx\n"
               "  pitot transform --apply vec_ld --assume-align a=16 --distinct k.ptx\n"
               "  pitot transform --mask gemm.kernel.toml");
  verb->callback([args, &options] { run_transform(*args, options); });
}

}  // namespace pitot::cli
