// pitot diff: what changed between two versions of PTX, kernel by kernel.
#include <unistd.h>

#include <cstdio>

#include "cli.h"
#include "gate/diff.h"
#include "pairs.h"
#include "physical.h"
#include "report/diff_report.h"

namespace pitot::cli {
namespace {

struct DiffArguments {
  std::string a, b;
  bool ptxas = false, all = false, brief = false;
  std::vector<std::string> targets;
};

std::string rendered(const std::vector<gate::DiffResult>& results, const DiffArguments& args,
                     const Options& options) {
  if (options.format == "json")
    return results.size() == 1 ? report::diff_json(results[0]) : report::diff_json(results);
  if (options.format == "csv") return report::diff_csv(results);
  if (options.format == "html") return report::diff_html(results);
  std::string out;
  report::DiffTextOptions text{args.all, !args.brief};
  for (const auto& r : results)
    out += options.format == "markdown" ? report::diff_markdown(r)
                                        : report::diff_text(r, options.style(STDOUT_FILENO), text);
  return out;
}

void run_diff(const DiffArguments& args, Options& options) {
  auto targets = parse_targets(args.targets);
  if (!targets) return fail(options, targets.error());
  std::optional<Ptxas> ptxas;
  if (args.ptxas || !targets->empty()) {
    auto found = open_ptxas();
    if (!found) return fail(options, found.error());
    ptxas.emplace(std::move(*found));
  }
  std::vector<ModulePair> pairs = read_pairs(args.a, args.b, options);
  if (options.exit_code != kFine) return;
  std::vector<gate::DiffResult> results;
  std::vector<std::string> problems;
  for (const ModulePair& p : pairs) {
    gate::DiffOptions diff;
    diff.workers = options.jobs;
    results.push_back(gate::diff_modules(p.a, p.b, diff));
    if (ptxas) fill_diff(p.a, p.b, *targets, *ptxas, results.back(), problems);
    for (const ptx::Module* m : {&p.a, &p.b})
      if (m->diagnostics.errors() > 0 && !m->text().empty())
        problems.push_back(m->source->path() +
                           ": has errors (pitot verify says which); compared as it stands");
    if (results.back().cls != gate::ChangeClass::kIdentical) options.exit_code = kFindings;
  }
  for (const auto& text : problems) std::fprintf(stderr, "pitot: warning: %s\n", text.c_str());
  print(rendered(results, args, options));
}

}  // namespace

void add_diff(CLI::App& app, Options& options) {
  auto args = std::make_shared<DiffArguments>();
  CLI::App* verb =
      app.add_subcommand("diff", "what changed between two versions, kernel by kernel");
  verb->add_option("A", args->a, "before: a PTX file, directory or binary")->required();
  verb->add_option("B", args->b, "after")->required();
  add_format(*verb, options, {"text", "json", "csv", "markdown", "html"});
  verb->add_flag("--ptxas", args->ptxas, "compare physical registers and spills too");
  verb->add_option("--target", args->targets,
                   "targets to assemble for (sm_80,sm_90a); implies --ptxas")
      ->delimiter(',');
  verb->add_flag("--all", args->all, "every count that moved");
  verb->add_flag("--brief", args->brief, "no excerpt of the changed lines");
  add_examples(
      *verb,
      "  pitot diff right.ptx wrong.ptx\n"
      "  pitot diff --ptxas --target sm_80,sm_90 old.ptx new.ptx\n"
      "  pitot diff --format json build-main/ build-pr/\n"
      "Classes: identical, renamed, reordered, constants, modifiers, structural, added, removed.\n"
      "Exit codes: 0 identical, 1 anything else, 2 unreadable input, 3 ptxas asked for and "
      "missing.");
  verb->callback([args, &options] { run_diff(*args, options); });
}

}  // namespace pitot::cli
