// pitot variants: the variants of a template, compiled, each with a kernel spec, in one directory.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "cli.h"
#include "kernel_files.h"
#include "report/problem_report.h"
#include "report/variants_report.h"
#include "support/file.h"
#include "variant_files.h"

namespace pitot::cli {
namespace {

struct VariantsArguments {
  std::string path, directory, only, compiled, compiled_by, gpu;
  std::vector<std::string> targets;
  bool list = false, no_ptxas = false;
  double seconds = 600;
};

// Nothing after errors, which were printed.
std::optional<ChosenGrid> read_grid(const VariantsArguments& args, Options& options) {
  auto text = read_file(args.path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found;
  ChosenGrid grid;
  grid.from = variants::read_template(SourceText(args.path, std::move(*text)), found);
  if (found.errors() == 0) grid.list = variants::enumerate(grid.from, found);
  if (found.errors() > 0) {
    complain(grid.from.text, found, options);
    options.exit_code = kUsage;
    return std::nullopt;
  }
  auto chosen = variants::select(grid.from, grid.list, args.only);
  if (!chosen) {
    fail(options, chosen.error());
    return std::nullopt;
  }
  grid.chosen = std::move(*chosen);
  return grid;
}

Status choose_targets_and_gpu(const VariantsArguments& args, variants::BuildOptions& how) {
  for (const std::string& name : args.targets) {
    if (ptx::target_from_name(name).sm == 0)
      return input_error(fmt::format("'{}' is no target: sm_80, sm_90a, …", name));
    how.targets.push_back(name);
  }
  if (args.gpu.empty()) return Ok{};
  auto gpu = arch::find_gpu(args.gpu);
  if (!gpu) return gpu.error();
  how.gpu = *gpu;
  return Ok{};
}

// What was asked for, out of the whole grid.
variants::ManifestResult asked_for(const variants::ManifestResult& whole,
                                   const std::vector<bool>& chosen) {
  variants::ManifestResult out = whole;
  out.variants.clear();
  for (size_t i = 0; i < whole.variants.size(); ++i)
    if (chosen[i / whole.targets.size()]) out.variants.push_back(whole.variants[i]);
  return out;
}

void print_manifest(const variants::ManifestResult& m, Options& options) {
  print(options.format == "json"  ? report::variants_json(m)
        : options.format == "csv" ? report::variants_csv(m)
                                  : report::variants_text(m, options.style(STDOUT_FILENO)));
}

void run_variants(const VariantsArguments& args, Options& options) {
  auto failed = [&](const Error* error) {
    if (error != nullptr) fail(options, *error);
    if (options.format == "json")
      print(report::problem_json("variants", options.problems, options.errors));
  };
  const auto grid = read_grid(args, options);
  if (!grid) return failed(nullptr);
  variants::BuildOptions how;
  if (Status s = choose_targets_and_gpu(args, how); !s) return failed(&s.error());
  if (args.list)
    return print_manifest(asked_for(variants::list(grid->from, grid->list, how), grid->chosen),
                          options);
  if (args.directory.empty()) {
    const Error error = input_error("where to? -o DIR takes the variants, --list only shows them");
    return failed(&error);
  }
  how.directory = args.directory;
  how.compiled = args.compiled;
  if (!args.compiled_by.empty()) how.compiled_by = args.compiled_by;
  how.time_limit = args.seconds;
  auto made = make_variants(*grid, how, !args.no_ptxas, options);
  if (!made) return failed(&made.error());
  const variants::ManifestResult shown = asked_for(*made, grid->chosen);
  print_manifest(shown, options);
  for (const auto& v : shown.variants)
    if (v.status == "failed" && options.exit_code == kFine) options.exit_code = kFindings;
}

}  // namespace

void add_variants(CLI::App& app, Options& options) {
  auto args = std::make_shared<VariantsArguments>();
  CLI::App* verb = app.add_subcommand(
      "variants", "compile a template's parameter grid, with a kernel spec for each variant");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("TEMPLATE", args->path, "NAME.variants.toml: docs/variants.md has the format")
      ->required();
  verb->add_option("-o,--output", args->directory,
                   "directory for manifest.json and the PTX and spec of each variant");
  verb->add_flag("--list", args->list,
                 "show the grid and what constraints refuse; compile nothing");
  verb->add_option("--target", args->targets, "instead of the template's; may be repeated");
  verb->add_option("--only", args->only,
                   "the first N, a name or pattern of names, or an expression of the parameters");
  verb->add_option("--gpu", args->gpu, "whose limits decide what can be launched");
  verb->add_option("--compiled", args->compiled,
                   "take NAME.ptx (and NAME.json) from this directory instead of compiling");
  verb->add_option("--compiled-by", args->compiled_by, "the compiler that made them, with version");
  verb->add_flag("--no-ptxas", args->no_ptxas, "estimate registers even where ptxas is there");
  verb->add_option("--seconds", args->seconds, "time limit of one compilation")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 86400.0));
  add_examples(*verb,
               "  pitot variants gemm.variants.toml --list\n"
               "  pitot variants gemm.variants.toml -o out/gemm --gpu H200\n"
               "  pitot variants gemm.variants.toml -o out/gemm --only 'BM == 64 && TM > 2'\n"
               "  pitot variants gemm.variants.toml -o out/gemm --target sm_80 --target sm_90a\n"
               "Exit codes: 0 fine, 1 a variant failed, 2 wrong usage or template, 3 no nvcc.");
  verb->callback([args, &options] { run_variants(*args, options); });
}

}  // namespace pitot::cli
