// pitot print: the PTX back, byte for byte, or in a normal form.
#include <unistd.h>

#include "cli.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "report/diagnostic_text.h"

namespace pitot::cli {
namespace {

struct PrintArguments {
  std::vector<std::string> paths;
  bool canonical = false;
};

void run_print(const PrintArguments& args, Options& options) {
  for (Input& input : read_inputs(args.paths, options)) {
    ptx::Module m = ptx::parse(input.path, std::move(input.text));
    if (m.diagnostics.errors() > 0) {
      std::string text =
          report::format_diagnostics(*m.source, m.diagnostics, options.style(STDERR_FILENO));
      std::fwrite(text.data(), 1, text.size(), stderr);
      if (options.exit_code == kFine) options.exit_code = kFindings;
    }
    print(args.canonical ? ptx::print_canonical(m) : ptx::print(m));
  }
}

}  // namespace

void add_print(CLI::App& app, Options& options) {
  auto args = std::make_shared<PrintArguments>();
  CLI::App* verb = app.add_subcommand("print", "print PTX back, byte for byte or in a normal form");
  add_paths(*verb, args->paths, "PTX files, directories, binaries, or - for standard input");
  verb->add_flag(
      "--canonical", args->canonical,
      "normal form: no comments or debug sections, one statement a line, names by order");
  add_examples(*verb,
               "  pitot print k.ptx | cmp - k.ptx               lossless\n"
               "  diff <(pitot print --canonical a.ptx) <(pitot print --canonical b.ptx)\n"
               "  pitot print a.out > embedded.ptx");
  verb->callback([args, &options] { run_print(*args, options); });
}

}  // namespace pitot::cli
