#include "kernel_files.h"

#include <unistd.h>

#include <cstdio>

#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

void complain(const SourceText& source, const Diagnostics& problems, const Options& options) {
  const std::string text =
      report::format_diagnostics(source, problems, options.style(STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

std::shared_ptr<const ptx::Module> read_sound_module(const std::string& path, Options& options) {
  auto m = ptx::parse_file(path);
  if (!m) {
    fail(options, m.error());
    return nullptr;
  }
  if (m->diagnostics.errors() > 0) {
    complain(*m->source, m->diagnostics, options);
    if (options.exit_code == kFine) options.exit_code = kFindings;
    return nullptr;
  }
  return std::make_shared<ptx::Module>(std::move(*m));
}

std::optional<device::KernelSpec> read_spec_file(const std::string& path, Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  const SourceText source(path, *text);
  Diagnostics problems;
  device::KernelSpec spec = device::read_spec(source, problems);
  if (problems.errors() == 0) return spec;
  complain(source, problems, options);
  options.exit_code = kUsage;
  return std::nullopt;
}

}  // namespace pitot::cli
