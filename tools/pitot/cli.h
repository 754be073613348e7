// What the verbs share: global options, inputs, output streams, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "report/diagnostic_text.h"
#include "report/verify_report.h"
#include "support/result.h"

namespace pitot::cli {

// Exit codes of every verb.
enum ExitCode : int { kFine = 0, kFindings = 1, kUsage = 2, kMissing = 3 };

struct Options {
  std::string format = "text";
  std::string colour = "auto";
  unsigned jobs = 0;
  uint64_t seed = 1;
  int exit_code = kFine;
  // What has been printed of errors, for the verb's JSON: files with findings, and the rest.
  std::vector<report::VerifiedFile> problems;
  std::vector<std::string> errors;

  report::TextStyle style(int descriptor) const;
};

// One PTX text to work on: a file, standard input, or a member of a binary.
struct Input {
  std::string path;  // "a.out:sm_90" for a member
  std::string text;
};

// Expands paths: "-" is standard input, a directory every .ptx below it, a binary its embedded PTX.
// Errors of single paths are printed and remembered as exit code 2; the rest goes on.
std::vector<Input> read_inputs(const std::vector<std::string>& paths, Options& options);

// Adds --format with the given choices (the first is the default), and returns the verb.
void add_format(CLI::App& verb, Options& options, const std::vector<std::string>& choices);
void add_paths(CLI::App& verb, std::vector<std::string>& paths, const std::string& what);
// Text at the end of --help.
void add_examples(CLI::App& verb, const std::string& examples);

// Prints the error and sets the exit code that its kind means.
void fail(Options& options, const Error& error);
void print(const std::string& text);

// One registration function a verb, in cmd_<verb>.cpp.
void add_verify(CLI::App& app, Options& options);
void add_print(CLI::App& app, Options& options);
void add_inspect(CLI::App& app, Options& options);
void add_features(CLI::App& app, Options& options);
void add_diff(CLI::App& app, Options& options);
void add_gate(CLI::App& app, Options& options);
void add_run(CLI::App& app, Options& options);
void add_check(CLI::App& app, Options& options);
void add_profile(CLI::App& app, Options& options);
void add_measure(CLI::App& app, Options& options);
void add_compare(CLI::App& app, Options& options);
void add_variants(CLI::App& app, Options& options);
void add_import(CLI::App& app, Options& options);
void add_train(CLI::App& app, Options& options);
void add_predict(CLI::App& app, Options& options);
void add_rank(CLI::App& app, Options& options);
void add_transform(CLI::App& app, Options& options);
void add_optimize(CLI::App& app, Options& options);
void add_knobs(CLI::App& app, Options& options);
void add_learn(CLI::App& app, Options& options);
void add_bench(CLI::App& app, Options& options);
void add_report(CLI::App& app, Options& options);
void add_doctor(CLI::App& app, Options& options);
void add_completion(CLI::App& app, Options& options);

}  // namespace pitot::cli
