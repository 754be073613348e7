// pitot report: results of other verbs as one self-contained HTML page.
#include <cstdio>
#include <filesystem>

#include "cli.h"
#include "report/chart_library.h"
#include "report/page_report.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string output, title = "pitot report";
};

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::equivalent(a, b, none) && !none;
}

void run_report(const ReportArguments& args, Options& options) {
  std::vector<report::page::Section> sections;
  for (const std::string& path : args.files) {
    if (!args.output.empty() && path != "-" && same_file(path, args.output)) {
      fail(options, input_error(path + ": is to be read and to be written"));
      continue;
    }
    auto text = read_file(path);
    if (!text) {
      fail(options, text.error());
      continue;
    }
    auto section = report::page_section(path == "-" ? "standard input" : path, *text);
    if (!section)
      fail(options, section.error());
    else
      sections.push_back(std::move(*section));
  }
  // A page that lacks a result would read as if there were none.
  if (options.exit_code != kFine) return;
  const std::string page = report::page_html({args.title, "pitot " PITOT_VERSION}, sections,
                                             report::chart_library_text());
  if (args.output.empty()) return print(page);
  if (Status s = write_file(args.output, page); !s) return fail(options, s.error());
  std::fprintf(stderr, "%s: %zu section%s, %zu KiB\n", args.output.c_str(), sections.size(),
               sections.size() == 1 ? "" : "s", page.size() / 1024);
}

}  // namespace

void add_report(CLI::App& app, Options& options) {
  auto args = std::make_shared<ReportArguments>();
  CLI::App* verb =
      app.add_subcommand("report", "results of other verbs as one HTML page, with charts");
  verb->add_option("FILE", args->files,
                   "JSON of other verbs (--format json), JSON lines of measure, learning curves "
                   "(CSV); a section each, in this order")
      ->required();
  verb->add_option("-o,--output", args->output, "in place of standard output");
  verb->add_option("--title", args->title, "of the page")->capture_default_str();
  std::string known;
  for (const std::string_view s : report::page_schemas())
    known += (known.empty() ? "" : " ") + std::string(s);
  add_examples(*verb,
               "  pitot report scores.json -o page.html\n"
               "  pitot report gate.json profile.json training/grpo.csv --title 'Build 812' -o "
               "page.html\n"
               "  pitot measure -f jsonl softmax.kernel.toml | pitot report - > page.html\n"
               "The page needs no network and no other file. Known schemas:\n  " +
                   known +
                   "\nExit codes: 0 fine, 2 wrong usage, or a file that is no result or has no "
                   "page.");
  verb->callback([args, &options] { run_report(*args, options); });
}

}  // namespace pitot::cli
