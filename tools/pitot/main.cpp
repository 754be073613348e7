// pitot: the command line. Each verb is a file of its own, cmd_<verb>.cpp.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.h"
#include "verbs.h"

int main(int argc, char** argv) {
  using namespace pitot::cli;
#ifdef __GLIBC__
  // Large tables go back to the system when they are freed, instead of leaving holes in the heap.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
  std::signal(SIGPIPE, SIG_DFL);  // `pitot … | head` ends quietly
  Options options;
  CLI::App app{"pitot reads a GPU kernel's PTX and says, without a GPU, what a change did to it."};
  app.name("pitot");
  app.set_version_flag("--version", "pitot " PITOT_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("-j,--jobs", options.jobs, "workers; 0 is one a core");
  app.add_option("--seed", options.seed, "seed of everything random");
  app.add_option("--color,--colour", options.colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  add_verify(app, options);
  add_print(app, options);
  add_inspect(app, options);
  add_features(app, options);
  add_diff(app, options);
  add_gate(app, options);
  add_run(app, options);
  add_check(app, options);
  add_profile(app, options);
  add_measure(app, options);
  add_compare(app, options);
  add_variants(app, options);
  add_import(app, options);
  add_train(app, options);
  add_predict(app, options);
  add_rank(app, options);
  add_transform(app, options);
  add_optimize(app, options);
  add_knobs(app, options);
  add_learn(app, options);
  add_bench(app, options);
  add_report(app, options);
  add_doctor(app, options);
  add_completion(app, options);
  if (const std::string complaint = unknown_verb(app, argc, argv); !complaint.empty()) {
    std::fprintf(stderr, "pitot: error: %s\n", complaint.c_str());
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    int code = app.exit(e);
    return code == 0 ? kFine : kUsage;
  }
  // A full disk or a closed output must not look like success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("pitot: error: the results could not be written to standard output\n", stderr);
    return kUsage;
  }
  return options.exit_code;
}
