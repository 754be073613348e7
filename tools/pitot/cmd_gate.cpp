// pitot gate: judge a change against another build or a baseline by the project's rules.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "cli.h"
#include "gate/baseline.h"
#include "gate/diff.h"
#include "gate/fingerprint.h"
#include "gate/gate.h"
#include "impact.h"
#include "pairs.h"
#include "physical.h"
#include "ptx/parser.h"
#include "report/diff_report.h"
#include "report/gate_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct GateArguments {
  std::vector<std::string> paths, targets;
  std::string rules, baseline, output, today, model = "default";
  bool update = false, no_ptxas = false;
};

std::string today_utc() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// The rules file named, else pitot.toml here, else the defaults. Nothing after printed errors.
std::optional<gate::RuleSet> load_rules(const GateArguments& args, Options& options) {
  std::string path = args.rules;
  if (path.empty()) {
    if (!std::filesystem::exists("pitot.toml")) return gate::RuleSet{};
    path = "pitot.toml";
  }
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  SourceText source(path, std::move(*text));
  Diagnostics problems;
  gate::RuleSet rules = gate::read_rules(source, problems);
  std::string shown = report::format_diagnostics(source, problems, options.style(STDERR_FILENO));
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  if (problems.errors() > 0) {
    options.exit_code = kUsage;
    return std::nullopt;
  }
  if (!rules.baseline.empty() && !std::filesystem::path(rules.baseline).is_absolute())
    rules.baseline = (std::filesystem::path(path).parent_path() / rules.baseline).string();
  return rules;
}

struct Work {
  std::vector<gate::GateCase> cases;
  std::vector<gate::DiffResult> diffs;
  std::vector<std::string> notes;
  std::vector<std::shared_ptr<const ptx::Module>> modules;  // where a rule needs them
  std::string before, after;
};

// States of every module, physical resources included.
std::vector<gate::KernelState> states_now(const std::vector<std::string>& paths,
                                          const std::vector<ptx::Target>& targets, Ptxas* ptxas,
                                          Work& work, Options& options) {
  std::vector<gate::KernelState> out;
  for (Input& input : read_inputs(paths, options)) {
    ptx::Module m = ptx::parse(input.path, std::move(input.text));
    if (m.diagnostics.errors() > 0)
      work.notes.push_back(m.source->path() +
                           ": has errors, judged as it stands (pitot verify says which)");
    auto states = gate::states_of(m);
    if (ptxas != nullptr) fill_states(m, targets, *ptxas, states, work.notes);
    for (auto& s : states) out.push_back(std::move(s));
  }
  return out;
}

// `keep_modules`: a rule wants times predicted from them.
void run_builds(const GateArguments& args, const std::vector<ptx::Target>& targets, Ptxas* ptxas,
                bool keep_modules, Work& work, Options& options) {
  for (ModulePair& p : read_pairs(args.paths[0], args.paths[1], options)) {
    gate::PhysicalFiller filler;
    if (ptxas != nullptr)
      filler = [&](const ptx::Module& m, std::vector<gate::KernelState>& states) {
        if (!m.text().empty()) fill_states(m, targets, *ptxas, states, work.notes);
      };
    for (auto& c : gate::compare_builds(p.a, p.b, filler, options.jobs))
      work.cases.push_back(std::move(c));
    if (options.format == "html") work.diffs.push_back(gate::diff_modules(p.a, p.b));
    for (ptx::Module* m : {&p.a, &p.b})
      if (keep_modules) work.modules.push_back(std::make_shared<const ptx::Module>(std::move(*m)));
  }
  work.before = args.paths[0];
  work.after = args.paths[1];
}

std::string rendered(const gate::GateResult& r, const Work& work, const Options& options) {
  if (options.format == "json") return report::gate_json(r);
  if (options.format == "csv") return report::gate_csv(r);
  if (options.format == "sarif") return report::gate_sarif(r, PITOT_VERSION);
  if (options.format == "junit") return report::gate_junit(r);
  if (options.format == "markdown") return report::gate_markdown(r);
  if (options.format == "github") return report::gate_github(r);
  if (options.format == "html") return report::gate_html(r, work.diffs);
  return report::gate_text(r, options.style(STDOUT_FILENO));
}

void run_gate(const GateArguments& args, Options& options) {
  auto rules = load_rules(args, options);
  if (!rules) return;
  auto targets = parse_targets(args.targets.empty() ? rules->targets : args.targets);
  if (!targets) return fail(options, targets.error());
  std::string baseline = args.baseline.empty() ? rules->baseline : args.baseline;
  bool builds = args.baseline.empty() && args.paths.size() == 2 && !args.update &&
                (baseline.empty() || !std::filesystem::exists(baseline));
  if (!builds && baseline.empty())
    return fail(options,
                input_error("gate takes two builds (before after), or --baseline FILE and paths"));

  Work work;
  std::optional<Ptxas> ptxas;
  if (!args.no_ptxas) {
    auto found = open_ptxas();
    if (found)
      ptxas.emplace(std::move(*found));
    else if (!args.targets.empty())
      return fail(options, found.error());
    else
      work.notes.push_back(
          "ptxas is not here: physical registers, spills and advisories were not checked");
  }
  Ptxas* tool = ptxas ? &*ptxas : nullptr;
  if (builds) {
    const bool predicts = std::any_of(rules->rules.begin(), rules->rules.end(),
                                      [](const gate::Rule& r) { return r.predicted.has_value(); });
    run_builds(args, *targets, tool, predicts, work, options);
  } else {
    std::vector<gate::KernelState> now = states_now(args.paths, *targets, tool, work, options);
    if (options.exit_code != kFine) return;
    if (args.update) {
      auto written = write_file(baseline, gate::write_baseline(now));
      if (!written) return fail(options, written.error());
      std::fprintf(stderr, "%s: %zu kernels\n", baseline.c_str(), now.size());
      return;
    }
    auto text = read_file(baseline);
    if (!text) return fail(options, text.error());
    SourceText source(baseline, std::move(*text));
    Diagnostics problems;
    auto before = gate::read_baseline(source, problems);
    if (problems.errors() > 0) {
      std::string shown =
          report::format_diagnostics(source, problems, options.style(STDERR_FILENO));
      std::fwrite(shown.data(), 1, shown.size(), stderr);
      options.exit_code = kUsage;
      return;
    }
    work.cases = gate::compare_with_baseline(before, std::move(now));
    work.before = "baseline " + baseline;
    work.after =
        args.paths.size() == 1 ? args.paths[0] : std::to_string(args.paths.size()) + " paths";
  }
  if (options.exit_code != kFine) return;

  gate::GateOptions judge;
  auto chosen = choose_model(args.model);
  if (!chosen) return fail(options, chosen.error());
  ImpactModules modules(std::move(*chosen), options);
  for (const auto& m : work.modules) modules.add(m);
  if (builds)
    judge.impact = [&](const gate::GateCase& c, const gate::PredictedLimit& limit) {
      return modules.predict(c, limit);
    };
  judge.today = args.today.empty() ? today_utc() : args.today;
  gate::GateResult result = gate::judge(work.cases, *rules, judge);
  result.before = work.before;
  result.after = work.after;
  for (auto& note : work.notes) result.notes.push_back(std::move(note));
  std::string text = rendered(result, work, options);
  if (args.output.empty()) {
    print(text);
  } else {
    auto written = write_file(args.output, text);
    if (!written) return fail(options, written.error());
    std::fprintf(stderr, "%s: %s\n", args.output.c_str(), result.pass ? "pass" : "fail");
  }
  if (!result.pass) options.exit_code = kFindings;
}

}  // namespace

void add_gate(CLI::App& app, Options& options) {
  auto args = std::make_shared<GateArguments>();
  CLI::App* verb = app.add_subcommand("gate", "judge a change by the project's rules; for CI");
  verb->add_option("PATH", args->paths, "before and after; or, with a baseline, what to judge")
      ->required();
  add_format(*verb, options,
             {"text", "json", "csv", "sarif", "junit", "markdown", "github", "html"});
  verb->add_option("--rules", args->rules,
                   "rules file; default pitot.toml here, else the built-in rules");
  verb->add_option("--baseline", args->baseline,
                   "baseline file; default what the rules file names");
  verb->add_flag("--update", args->update, "write the baseline instead of judging");
  verb->add_option("--target", args->targets,
                   "targets to assemble for; default what the rules name, else the file's own")
      ->delimiter(',');
  verb->add_flag("--no-ptxas", args->no_ptxas, "static checks only, also where ptxas is here");
  verb->add_option("--model", args->model,
                   "for rules on predicted times: a model of `train`, default, or none")
      ->capture_default_str();
  verb->add_option("--today", args->today, "date for waivers, YYYY-MM-DD; default the day in UTC");
  verb->add_option("-o,--output", args->output, "write the report to this file");
  add_examples(
      *verb,
      "  pitot gate before.ptx after.ptx\n"
      "  pitot gate --update --baseline ptx-baseline.toml build/     accept what is there now\n"
      "  pitot gate --baseline ptx-baseline.toml build/              judge against it\n"
      "  pitot gate --format sarif -o gate.sarif main/ pr/\n"
      "Exit codes: 0 pass, 1 fail, 2 wrong usage or unreadable input.");
  verb->callback([args, &options] { run_gate(*args, options); });
}

}  // namespace pitot::cli
