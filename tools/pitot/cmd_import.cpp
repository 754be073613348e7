// pitot import: what other tuners measured, as a data set, and their configurations compiled.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "cli.h"
#include "kernel_files.h"
#include "ptx/isa.h"
#include "report/import_report.h"
#include "report/problem_report.h"
#include "support/file.h"
#include "variant_files.h"
#include "variants/import.h"
#include "variants/tuner_file.h"

namespace pitot::cli {
namespace {

namespace paths = std::filesystem;

struct ImportArguments {
  std::vector<std::string> files;
  std::string directory, family, device, target, from_template, source, entry;
  std::array<std::string, 3> divisors;
  std::vector<std::string> options;
  variants::TunerOptions read;
  bool no_ptxas = false;
};

// A name for files and columns: the kernel's without what follows its C++ name.
std::string family_of(const std::vector<variants::TunerResult>& files) {
  std::string name = files[0].kernel;
  if (name.empty()) name = paths::path(files[0].path).stem().string();
  name = name.substr(0, name.find_first_of("<("));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return name;
}

Result<variants::ImportResult> read_files(const ImportArguments& args) {
  std::vector<variants::TunerResult> files;
  for (const std::string& path : args.files) {
    auto text = read_file(path);
    if (!text) return text.error();
    auto file = variants::read_tuner_file(path, *text, args.read);
    if (!file) return file.error();
    if (!args.device.empty()) file->device = args.device;
    files.push_back(std::move(*file));
  }
  const std::string family = args.family.empty() ? family_of(files) : args.family;
  return variants::join(std::move(files), family);
}

// The template's text: the user's own, or one made for the source, which is written too.
Result<SourceText> template_of(const ImportArguments& args, variants::ImportResult& result) {
  if (!args.from_template.empty()) {
    auto text = read_file(args.from_template);
    if (!text) return text.error();
    return SourceText(args.from_template, std::move(*text));
  }
  std::error_code ec;
  paths::create_directories(args.directory, ec);
  if (ec) return input_error(fmt::format("{}: cannot be made: {}", args.directory, ec.message()));
  variants::TunedKernel kernel;
  kernel.source = paths::absolute(args.source, ec)
                      .lexically_normal()
                      .lexically_proximate(paths::absolute(args.directory, ec).lexically_normal())
                      .generic_string();
  kernel.entry = args.entry;
  kernel.options = args.options;
  kernel.grid_divisors = args.divisors;
  std::string text = variants::tuned_template(variants::together(result), result.family, kernel);
  const std::string path =
      (paths::path(args.directory) / (result.family + ".variants.toml")).string();
  if (Status s = write_file(path, text); !s) return s.error();
  result.template_path = path;
  return SourceText(path, std::move(text));
}

Status compile_configurations(const ImportArguments& args, variants::ImportResult& result,
                              Options& options) {
  std::set<std::string> targets(result.targets.begin(), result.targets.end());
  targets.erase("");
  if (targets.empty())
    return input_error(
        "no GPU of the files is in the table: --device says which it was, or --target what it "
        "takes");
  auto text = template_of(args, result);
  if (!text) return text.error();
  Diagnostics found;
  ChosenGrid grid;
  grid.from = variants::read_template(std::move(*text), found);
  grid.from.family = result.family;
  if (found.errors() == 0) {
    auto list = variants::tuned_configurations(variants::together(result), grid.from, found);
    if (!list) return list.error();
    grid.list = std::move(*list);
  }
  if (found.errors() > 0) {
    complain(grid.from.text, found, options);
    return input_error(grid.from.text.path() + " has errors");
  }
  grid.chosen.assign(grid.list.size(), true);
  variants::BuildOptions how;
  how.directory = args.directory;
  how.targets.assign(targets.begin(), targets.end());
  auto made = make_variants(grid, how, !args.no_ptxas, options);
  if (!made) return made.error();
  variants::add_compiled(*made, result);
  return Ok{};
}

void run_import(const ImportArguments& args, Options& options) {
  auto failed = [&](const Error& error) {
    fail(options, error);
    if (options.format == "json")
      print(report::problem_json("import", options.problems, options.errors));
  };
  const bool compiles = !args.source.empty() || !args.from_template.empty();
  if (compiles && args.directory.empty())
    return failed(input_error("where to? -o DIR takes the data set and the compiled variants"));
  if (!args.target.empty() && ptx::target_from_name(args.target).sm == 0)
    return failed(input_error(fmt::format("'{}' is no target: sm_80, sm_90a, …", args.target)));
  auto result = read_files(args);
  if (!result) return failed(result.error());
  for (std::string& target : result->targets)
    if (target.empty()) target = args.target;
  if (compiles)
    if (Status s = compile_configurations(args, *result, options); !s) return failed(s.error());
  if (!args.directory.empty()) {
    std::error_code ec;
    paths::create_directories(args.directory, ec);
    const std::string path = (paths::path(args.directory) / (result->family + ".csv")).string();
    if (Status s = write_file(path, report::import_csv(*result)); !s) return failed(s.error());
  }
  print(options.format == "json"  ? report::import_json(*result)
        : options.format == "csv" ? report::import_csv(*result)
                                  : report::import_text(*result, options.style(STDOUT_FILENO)));
}

}  // namespace

void add_import(CLI::App& app, Options& options) {
  auto args = std::make_shared<ImportArguments>();
  CLI::App* verb = app.add_subcommand(
      "import", "what other tuners measured (Kernel Tuner's caches, T4 results) as a data set");
  add_format(*verb, options, {"text", "json", "csv"});
  verb->add_option("FILE", args->files, "files of one kernel, of one GPU each")->required();
  verb->add_option("-o,--output", args->directory,
                   "directory for FAMILY.csv and, with a source, the compiled variants");
  verb->add_option("--family", args->family, "instead of the kernel's name");
  verb->add_option("--device", args->device, "the GPU, where the file does not say");
  verb->add_option("--target", args->target, "for a GPU that is not in the table: sm_86, …");
  verb->add_option("--objective", args->read.objective, "which number is the time of a launch");
  verb->add_option("--unit", args->read.unit, "of the times: ns, us, ms or s")
      ->check(CLI::IsMember({"ns", "us", "ms", "s"}));
  auto* source = verb->add_option("--source", args->source,
                                  "the kernel's CUDA source: a template is written and compiled");
  verb->add_option("--template", args->from_template,
                   "a template for the kernel; the files' configurations replace its grid")
      ->excludes(source);
  verb->add_option("--entry", args->entry, "the kernel in the source");
  verb->add_option("--option", args->options, "of nvcc; may be repeated")->needs(source);
  constexpr const char* kDivisors[] = {"--grid-div-x", "--grid-div-y", "--grid-div-z"};
  for (size_t i = 0; i < 3; ++i)
    verb->add_option(kDivisors[i], args->divisors[i],
                     "what the problem size is divided by, as an expression of the parameters")
        ->needs(source);
  verb->add_flag("--no-ptxas", args->no_ptxas, "estimate registers even where ptxas is there");
  add_examples(
      *verb,
      "  pitot import a100.json                      what is in it and how far to trust it\n"
      "  pitot import a100.json a6000.json -o data --family convolution\n"
      "  pitot import a100.json --source convolution.cu -o out/convolution \\\n"
      "      --grid-div-x 'block_size_x * tile_size_x' --grid-div-y 'block_size_y * tile_size_y'\n"
      "  pitot import a100.json --template convolution.variants.toml -o out/convolution\n"
      "Exit codes: 0 fine, 2 wrong usage or no such file, 3 no nvcc.");
  verb->callback([args, &options] { run_import(*args, options); });
}

}  // namespace pitot::cli
