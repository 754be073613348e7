// Shared parts of the verbs.
#include "cli.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "support/file.h"
#include "toolchain/embedded_ptx.h"

namespace pitot::cli {

report::TextStyle Options::style(int descriptor) const {
  report::TextStyle s;
  s.colour = report::want_colour(colour, std::getenv("NO_COLOR"), ::isatty(descriptor) != 0);
  return s;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void fail(Options& options, const Error& error) {
  std::fprintf(stderr, "pitot: error: %s\n", error.message.c_str());
  options.errors.push_back(error.message);
  int code = error.kind == ErrorKind::kMissing ? kMissing : kUsage;
  if (options.exit_code < code) options.exit_code = code;
}

std::vector<Input> read_inputs(const std::vector<std::string>& paths, Options& options) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    auto files = list_files(path, {".ptx"});
    if (!files) {
      fail(options, files.error());
      continue;
    }
    if (files->empty()) fail(options, input_error(path + ": no .ptx file below this directory"));
    for (const std::string& file : *files) {
      auto texts = toolchain::read_ptx_inputs(file);
      if (!texts) {
        fail(options, texts.error());
        continue;
      }
      for (auto& t : *texts) inputs.push_back({std::move(t.label), std::move(t.text)});
    }
  }
  return inputs;
}

void add_format(CLI::App& verb, Options& options, const std::vector<std::string>& choices) {
  verb.add_option("-f,--format", options.format, "output format")
      ->check(CLI::IsMember(choices))
      ->default_str(choices.front());
}

void add_paths(CLI::App& verb, std::vector<std::string>& paths, const std::string& what) {
  verb.add_option("PATH", paths, what)->required();
}

void add_examples(CLI::App& verb, const std::string& examples) {
  verb.footer("Examples:\n" + examples);
}

}  // namespace pitot::cli
