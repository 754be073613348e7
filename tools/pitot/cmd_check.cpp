// pitot check: do two kernels compute the same?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "check/check.h"
#include "cli.h"
#include "kernel_files.h"
#include "pairs.h"
#include "report/check_report.h"
#include "report/problem_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;
using Results = std::vector<check::CheckResult>;

struct CheckArguments {
  std::string a, b, spec, entry, save;
  unsigned trials = 24;
  uint64_t budget = 0;
  uint32_t multiple_of = 1;
};

// The file of a side, as a spec may name it: a text's own path, of an image the binary's.
std::string file_of(const std::string& label, const std::string& given) {
  std::error_code error;
  return fs::is_regular_file(label, error) ? label : given;
}

// Writes the first counterexample as a kernel spec of b, with a as the oracle.
Status save(const CheckArguments& args, const Results& results) {
  for (const check::CheckResult& r : results) {
    if (r.counterexamples.empty()) continue;
    const check::Counterexample& c = r.counterexamples[0];
    auto refuse = [&](const std::string& why) {
      return input_error(fmt::format("{} is not written: {}", args.save, why));
    };
    if (c.spec.empty()) return refuse(c.no_spec);
    if (args.a == "-" || args.b == "-") return refuse("a kernel came from standard input");
    auto relative = [&](const std::string& path) {
      std::error_code error;
      const fs::path to = fs::absolute(args.save, error).parent_path();
      const fs::path p = fs::absolute(path, error).lexically_proximate(to);
      return error ? path : p.generic_string();
    };
    const std::string text = fmt::format(
        "# Written by pitot check: {} gives another result than {}.\n"
        "schema = \"pitot.kernel/1\"\nptx = \"{}\"\nentry = \"{}\"\n{}"
        "\n[oracle]\nptx = \"{}\"\nentry = \"{}\"\n",
        r.kernel_b, r.kernel_a, relative(file_of(r.path_b, args.b)), r.kernel_b, c.spec,
        relative(file_of(r.path_a, args.a)), r.kernel_a);
    return write_file(args.save, text);
  }
  std::fprintf(stderr, "pitot: note: no counterexample, %s is not written\n", args.save.c_str());
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

// What there is to say of something that the other side lacks.
check::CheckResult alone(const ptx::Module& a, const ptx::Module& b, std::string_view kernel,
                         bool in_a, std::string reason) {
  check::CheckResult r;
  if (in_a) r.path_a = a.source->path();
  if (!in_a) r.path_b = b.source->path();
  (in_a ? r.kernel_a : r.kernel_b) = kernel;
  r.reasons.push_back(std::move(reason));
  return r;
}

// The checks of one pair of modules, a result a kernel.
class PairCheck {
 public:
  PairCheck(const CheckArguments& args, const std::optional<device::KernelSpec>& spec,
            Options& options)
      : args_(args), options_(options), spec_(spec) {
    how_.trials = args.trials;
    how_.seed = options.seed;
    how_.workers = options.jobs;
    how_.budget = args.budget;
    how_.multiple_of = args.multiple_of;
    if (spec) how_.spec = &*spec;
  }

  Result<Results> run(ModulePair pair) {
    Results out;
    if (pair.only_a || pair.only_b) {
      const ptx::Module& there = pair.only_a ? pair.a : pair.b;
      out.push_back(alone(
          pair.a, pair.b, "", pair.only_a,
          fmt::format("{} has no partner: it was compared with nothing", there.source->path())));
      return out;
    }
    check::CheckResult broken;
    broken.path_a = pair.a.source->path();
    broken.path_b = pair.b.source->path();
    auto ma = sound_module(std::move(pair.a), options_);
    auto mb = sound_module(std::move(pair.b), options_);
    if (!ma) broken.reasons.push_back(broken.path_a + " has errors");
    if (!mb) broken.reasons.push_back(broken.path_b + " has errors");
    if (!ma || !mb) {
      out.push_back(std::move(broken));
      return out;
    }
    auto pa = emulator::load(ma), pb = emulator::load(mb);
    if (!pa) return pa.error();
    if (!pb) return pb.error();
    auto matched = match(*ma, *mb, out);
    if (!matched) return matched.error();
    for (auto [x, y] : *matched) {
      auto r = check::check_kernels({ma, &*pa, x}, {mb, &*pb, y}, how_);
      if (!r) return r.error();
      out.push_back(std::move(*r));
    }
    return out;
  }

 private:
  using Matched = std::vector<std::pair<uint32_t, uint32_t>>;

  // The kernel to look at when none was named: the spec's, where a module has one of its name.
  std::string entry_of(const ptx::Module& m, bool in_a) const {
    if (!args_.entry.empty() || !spec_) return args_.entry;
    const std::string& name = in_a && spec_->oracle ? spec_->oracle->entry : spec_->entry;
    return kernels_of(m, name).empty() ? "" : name;
  }

  Result<Matched> match(const ptx::Module& a, const ptx::Module& b, Results& out) const {
    const auto ka = kernels_of(a, entry_of(a, true)), kb = kernels_of(b, entry_of(b, false));
    for (const auto* m : {&a, &b})
      if ((m == &a ? ka : kb).empty())
        return input_error(args_.entry.empty()
                               ? fmt::format("{}: no kernel", m->source->path())
                               : fmt::format("{}: no kernel '{}'", m->source->path(), args_.entry));
    if (ka.size() == 1 && kb.size() == 1) return Matched{{ka[0], kb[0]}};
    Matched matched;
    for (uint32_t x : ka)
      for (uint32_t y : kb)
        if (a.functions[x].name == b.functions[y].name) matched.emplace_back(x, y);
    if (matched.empty())
      return input_error(
          fmt::format("{} and {}: several kernels, and none has the same name in both",
                      a.source->path(), b.source->path()));
    auto paired = [&](uint32_t kernel, bool in_a) {
      return std::any_of(matched.begin(), matched.end(),
                         [&](const auto& p) { return (in_a ? p.first : p.second) == kernel; });
    };
    auto lone = [&](const std::vector<uint32_t>& kernels, bool in_a) {
      const ptx::Module& m = in_a ? a : b;
      const ptx::Module& other = in_a ? b : a;
      for (uint32_t k : kernels)
        if (!paired(k, in_a))
          out.push_back(alone(a, b, m.functions[k].name, in_a,
                              fmt::format("{} has no kernel '{}': it was compared with nothing",
                                          other.source->path(), m.functions[k].name)));
    };
    lone(ka, true);
    lone(kb, false);
    return matched;
  }

  const CheckArguments& args_;
  Options& options_;
  const std::optional<device::KernelSpec>& spec_;
  check::Options how_;
};

// A single text against a binary's images: that for the same target, where there is one.
void pair_by_target(std::vector<ModulePair>& pairs) {
  const auto lonely = [](const ModulePair& p) { return p.only_a || p.only_b; };
  if (pairs.size() < 3 || !std::all_of(pairs.begin(), pairs.end(), lonely)) return;
  const auto in_a =
      std::count_if(pairs.begin(), pairs.end(), [](const auto& p) { return p.only_a; });
  const bool single_a = in_a == 1;
  if (!single_a && static_cast<size_t>(in_a) + 1 != pairs.size()) return;
  ModulePair* single = nullptr;
  for (ModulePair& p : pairs)
    if (p.only_a == single_a) single = &p;
  const ptx::Module& text = single_a ? single->a : single->b;
  ModulePair* found = nullptr;
  for (ModulePair& p : pairs) {
    if (&p == single) continue;
    const ptx::Module& image = single_a ? p.b : p.a;
    if (image.target.sm != text.target.sm) continue;
    if (found != nullptr) return;
    found = &p;
  }
  if (found == nullptr) return;
  ModulePair both{std::move(single_a ? single->a : found->a),
                  std::move(single_a ? found->b : single->b), false, false};
  pairs.clear();
  pairs.push_back(std::move(both));
}

// False after an error that leaves nothing to report; it was printed.
bool check_all(CheckArguments& args, Options& options, Results& results) {
  auto failed = [&](const Error& error) {
    fail(options, error);
    return false;
  };
  if ((args.a == "-") + (args.b == "-") + (args.spec == "-") > 1)
    return failed(input_error("standard input can be only one of A, B and the spec"));
  std::optional<device::KernelSpec> spec;
  if (!args.spec.empty()) {
    spec = read_spec_file(args.spec, options);
    if (!spec) return false;
  }
  if (args.a.empty() && spec && spec->oracle) {
    args.a = spec->beside(spec->oracle->ptx);
    args.b = spec->beside(spec->ptx);
  }
  if (args.b.empty())
    return failed(
        input_error("check wants two kernels, A (right) and B; or a --spec with an [oracle]"));
  for (const std::string& path : {args.a, args.b})
    if (path.ends_with(".toml"))
      return failed(input_error(path + " is a kernel spec, not a kernel: --spec " + path));
  std::error_code error;
  if (fs::is_directory(args.a, error) != fs::is_directory(args.b, error))
    return failed(input_error("one of A and B is a directory, the other is not"));
  std::vector<ModulePair> pairs = read_pairs(args.a, args.b, options);
  if (options.exit_code != kFine) return false;
  pair_by_target(pairs);
  PairCheck check(args, spec, options);
  const bool one = pairs.size() == 1;
  for (ModulePair& pair : pairs) {
    auto done = check.run(std::move(pair));
    if (!done) {
      fail(options, done.error());
      if (one) return false;
      continue;
    }
    for (check::CheckResult& r : *done) {
      if (r.verdict != check::Verdict::kSame && options.exit_code == kFine)
        options.exit_code = kFindings;
      if (options.format == "text")
        print(one ? report::check_text(r, options.style(STDOUT_FILENO))
                  : report::check_line(r, options.style(STDOUT_FILENO)));
      results.push_back(std::move(r));
    }
  }
  return !results.empty();
}

void run_check(CheckArguments& args, Options& options) {
  Results results;
  if (!check_all(args, options, results)) {
    if (options.format == "json")
      print(report::problem_json("check", options.problems, options.errors));
    return;
  }
  if (options.format == "json")
    print(report::check_json(results, options.problems, options.errors));
  if (options.format == "text") {
    if (results.size() > 1) print(report::check_summary(results));
    if (args.save.empty()) print(report::check_hint(results, !args.spec.empty()));
  }
  if (args.save.empty()) return;
  std::fflush(stdout);
  if (Status s = save(args, results); !s) fail(options, s.error());
}

}  // namespace

void add_check(CLI::App& app, Options& options) {
  auto args = std::make_shared<CheckArguments>();
  CLI::App* verb =
      app.add_subcommand("check", "do two kernels compute the same? on the CPU, without a GPU");
  add_format(*verb, options, {"text", "json"});
  verb->add_option("A", args->a,
                   "the kernel that is right: PTX, a binary with PTX in it, a directory");
  verb->add_option("B", args->b, "the kernel to check");
  verb->add_option("--spec", args->spec,
                   "kernel spec with launch and arguments; they are inferred without one");
  verb->add_option("--save", args->save,
                   "write the counterexample as a kernel spec, for check --spec and run");
  verb->add_option("--entry", args->entry, "only the kernel of this name");
  verb->add_option("--trials", args->trials,
                   "launches with inferred arguments; as many again when "
                   "something has not run")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u));
  verb->add_option("--multiple-of", args->multiple_of,
                   "inferred integers are multiples of this; 16 is what Triton is promised")
      ->capture_default_str()
      ->check(CLI::Range(1u, 4096u));
  verb->add_option("--budget", args->budget, "warp instructions a launch")
      ->default_str("4000000, with --spec 1073741824")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 60));
  add_examples(
      *verb,
      "  pitot check good.ptx bad.ptx\n"
      "  pitot check softmax_right.ptx softmax_wrong.ptx --spec softmax.kernel.toml\n"
      "  pitot check good.ptx bad.ptx --save bad.kernel.toml   a small input that shows it\n"
      "  pitot check --spec bad.kernel.toml                    the same again\n"
      "  pitot check build-main/ build-pr/                     every pair of files of one name\n"
      "  pitot check a.out b.out --format json | jq .verdict\n"
      "Verdicts: same, different, fault (b does something illegal, or does not end), undecided.\n"
      "Exit codes: 0 same, 1 anything else or an error in the PTX, 2 wrong usage or unreadable\n"
      "input. docs/check.md says what a verdict rests on.");
  verb->callback([args, &options] { run_check(*args, options); });
}

}  // namespace pitot::cli
