// pitot check: do two kernels compute the same?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "check/check.h"
#include "cli.h"
#include "kernel_files.h"
#include "report/check_report.h"
#include "report/problem_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct CheckArguments {
  std::string a, b, spec, entry, save;
  unsigned trials = 24;
  uint64_t budget = 4'000'000;
};

// Writes the counterexample as a kernel spec of b, with a as the oracle.
Status save(const CheckArguments& args, const std::vector<check::CheckResult>& results) {
  for (const check::CheckResult& r : results) {
    if (r.counterexamples.empty()) continue;
    const check::Counterexample& c = r.counterexamples[0];
    if (c.spec.empty())
      return input_error(fmt::format("{} is not written: {}", args.save, c.no_spec));
    namespace fs = std::filesystem;
    auto relative = [&](const std::string& path) {
      std::error_code error;
      const fs::path to = fs::absolute(args.save, error).parent_path();
      const fs::path p = fs::absolute(path, error).lexically_proximate(to);
      return error ? path : p.generic_string();
    };
    std::string text = fmt::format(
        "# Written by pitot check: {} gives another result than {}.\n"
        "schema = \"pitot.kernel/1\"\nptx = \"{}\"\nentry = \"{}\"\n{}"
        "\n[oracle]\nptx = \"{}\"\nentry = \"{}\"\n",
        r.kernel_b, r.kernel_a, relative(args.b), r.kernel_b, c.spec, relative(args.a), r.kernel_a);
    return write_file(args.save, text);
  }
  return Ok{};
}

std::vector<uint32_t> kernels_of(const ptx::Module& m, const std::string& entry) {
  std::vector<uint32_t> out;
  for (uint32_t f = 0; f < m.functions.size(); ++f)
    if (m.functions[f].is_entry && m.functions[f].has_body &&
        (entry.empty() || m.functions[f].name == entry))
      out.push_back(f);
  return out;
}

// What is to be said of kernels that have no namesake in the other file.
check::CheckResult alone(const CheckArguments& args, std::string_view kernel, bool in_a) {
  check::CheckResult r;
  r.path_a = args.a;
  r.path_b = args.b;
  (in_a ? r.kernel_a : r.kernel_b) = kernel;
  r.reasons.push_back(fmt::format("{} has no kernel '{}': it was compared with nothing",
                                  in_a ? args.b : args.a, kernel));
  return r;
}

void run_check(const CheckArguments& args, Options& options) {
  auto ma = read_sound_module(args.a, options), mb = read_sound_module(args.b, options);
  if (!ma || !mb) {
    if (options.format == "json")
      print(report::problem_json("check", options.problems, options.errors));
    return;
  }
  auto pa = emulator::load(ma), pb = emulator::load(mb);
  if (!pa) return fail(options, pa.error());
  if (!pb) return fail(options, pb.error());
  check::Options o;
  o.trials = args.trials;
  o.seed = options.seed;
  o.workers = options.jobs;
  o.budget = args.budget;
  std::optional<device::KernelSpec> spec;
  if (!args.spec.empty()) {
    spec = read_spec_file(args.spec, options);
    if (!spec) return;
    o.spec = &*spec;
  }
  auto ka = kernels_of(*ma, args.entry), kb = kernels_of(*mb, args.entry);
  if (ka.empty()) return fail(options, input_error(args.a + ": no such kernel"));
  if (kb.empty()) return fail(options, input_error(args.b + ": no such kernel"));
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  if (ka.size() == 1 && kb.size() == 1) {
    pairs.emplace_back(ka[0], kb[0]);
  } else {
    for (uint32_t x : ka)
      for (uint32_t y : kb)
        if (ma->functions[x].name == mb->functions[y].name) pairs.emplace_back(x, y);
  }
  if (pairs.empty())
    return fail(
        options,
        input_error("several kernels and none has the same name in both; --entry names one"));
  std::vector<check::CheckResult> results;
  auto paired = [&](uint32_t kernel, bool in_a) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const auto& p) { return (in_a ? p.first : p.second) == kernel; });
  };
  for (uint32_t x : ka)
    if (!paired(x, true)) results.push_back(alone(args, ma->functions[x].name, true));
  for (uint32_t y : kb)
    if (!paired(y, false)) results.push_back(alone(args, mb->functions[y].name, false));
  if (!results.empty()) options.exit_code = kFindings;
  for (auto [x, y] : pairs) {
    auto r = check::check_kernels({ma, &*pa, x}, {mb, &*pb, y}, o);
    if (!r) return fail(options, r.error());
    if (r->verdict != check::Verdict::kSame) options.exit_code = kFindings;
    results.push_back(std::move(*r));
  }
  if (!args.save.empty())
    if (Status s = save(args, results); !s) return fail(options, s.error());
  if (options.format == "json") return print(report::check_json(results));
  for (const auto& r : results) print(report::check_text(r, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_check(CLI::App& app, Options& options) {
  auto args = std::make_shared<CheckArguments>();
  CLI::App* verb =
      app.add_subcommand("check", "do two kernels compute the same? on the CPU, without a GPU");
  add_format(*verb, options, {"text", "json"});
  verb->add_option("A", args->a, "the kernel that is right")->required();
  verb->add_option("B", args->b, "the kernel to check")->required();
  verb->add_option("--spec", args->spec,
                   "kernel spec with launch and arguments; inferred without one");
  verb->add_option("--save", args->save,
                   "write the counterexample as a kernel spec, for check --spec and run");
  verb->add_option("--entry", args->entry, "only the kernel of this name");
  verb->add_option("--trials", args->trials, "launches with inferred arguments")
      ->capture_default_str();
  verb->add_option("--budget", args->budget, "warp instructions a launch")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 60));
  add_examples(
      *verb,
      "  pitot check good.ptx bad.ptx\n"
      "  pitot check softmax_right.ptx softmax_wrong.ptx --spec softmax.kernel.toml\n"
      "  pitot check good.ptx bad.ptx --save bad.kernel.toml && pitot run bad.kernel.toml\n"
      "  pitot check a.ptx b.ptx --format json | jq .counterexample\n"
      "Exit codes: 0 same, 1 different, fault or undecided (or an error in the PTX), 2 wrong usage "
      "or "
      "unreadable input.");
  verb->callback([args, &options] { run_check(*args, options); });
}

}  // namespace pitot::cli
