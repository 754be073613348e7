// pitot verify: parse and check, like a compiler's errors.
#include <unistd.h>

#include <cstdio>

#include "analysis/lint.h"
#include "cli.h"
#include "ptx/parser.h"
#include "ptx/verify.h"
#include "report/verify_report.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

struct VerifyArguments {
  std::vector<std::string> paths;
  std::string target;
  std::vector<uint32_t> block;
  bool no_lint = false;
  bool strict = false;
};

struct Checked {
  ptx::Module module;
  Diagnostics all;
};

void run_verify(const VerifyArguments& args, Options& options) {
  ptx::VerifyOptions verify;
  if (!args.target.empty()) {
    verify.target = ptx::target_from_name(args.target);
    if (verify.target->sm == 0)
      return fail(options, input_error("'" + args.target + "' is no target such as sm_90a"));
  }
  analysis::LintOptions lint;
  if (!args.block.empty()) {
    lint.block = std::array<uint32_t, 3>{1, 1, 1};
    for (size_t i = 0; i < args.block.size(); ++i) (*lint.block)[i] = args.block[i];
  }
  std::vector<Input> inputs = read_inputs(args.paths, options);
  std::vector<Checked> checked(inputs.size());
  parallel_for(inputs.size(), options.jobs, [&](size_t i) {
    Checked& c = checked[i];
    c.module = ptx::parse(inputs[i].path, std::move(inputs[i].text));
    c.all = c.module.diagnostics;
    ptx::verify(c.module, verify, c.all);
    if (!args.no_lint && c.all.errors() == 0) analysis::lint(c.module, lint, c.all);
    c.all.sort();
  });

  size_t errors = 0, warnings = 0;
  std::vector<report::VerifiedFile> files;
  for (const Checked& c : checked) {
    errors += c.all.errors();
    for (const auto& d : c.all.items()) warnings += d.severity == Severity::kWarning;
    if (options.format == "text") {
      print(report::format_diagnostics(*c.module.source, c.all, options.style(STDOUT_FILENO)));
    } else {
      files.push_back({c.module.source->path(), c.all.errors() == 0, "",
                       report::locate(*c.module.source, c.all)});
    }
  }
  if (options.format == "json") print(report::verify_json(files));
  // Of what could not be read it has been said already.
  if (options.format == "text" && !checked.empty()) {
    std::fprintf(stderr, "%zu file%s: %s\n", checked.size(), checked.size() == 1 ? "" : "s",
                 report::count_text(errors, warnings).c_str());
  }
  if ((errors > 0 || (args.strict && warnings > 0)) && options.exit_code == kFine)
    options.exit_code = kFindings;
}

}  // namespace

void add_verify(CLI::App& app, Options& options) {
  auto args = std::make_shared<VerifyArguments>();
  CLI::App* verb = app.add_subcommand("verify", "check PTX as ptxas does, and where it is silent");
  add_paths(*verb, args->paths, "PTX files, directories, binaries, or - for standard input");
  add_format(*verb, options, {"text", "json"});
  verb->add_option("--target", args->target,
                   "check for this target instead of the file's own (sm_90a)");
  verb->add_option("--block", args->block,
                   "threads of a block for kernels that do not state them: X[,Y[,Z]]")
      ->delimiter(',')
      ->expected(1, 3);
  verb->add_flag("--no-lint", args->no_lint, "only what ptxas would report");
  verb->add_flag("--strict", args->strict, "warnings are findings too (exit code 1)");
  add_examples(*verb,
               "  pitot verify kernel.ptx\n"
               "  pitot verify --target sm_120 build/           every .ptx below build/\n"
               "  pitot verify --format json a.out              the PTX inside an executable\n"
               "Exit codes: 0 no error, 1 errors, 2 unreadable input or wrong usage.");
  verb->callback([args, &options] { run_verify(*args, options); });
}

}  // namespace pitot::cli
