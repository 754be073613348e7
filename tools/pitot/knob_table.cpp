#include "knob_table.h"

#include "kernel_files.h"
#include "knobs/sweep_csv.h"
#include "support/file.h"

namespace pitot::cli {

std::optional<knobs::Table> read_knob_table(const std::string& path, Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found;
  const SourceText source(path, std::move(*text));
  knobs::SweepResult sweep = knobs::read_sweep(source, found);
  if (found.errors() > 0) {
    complain(source, found, options);
    options.exit_code = kUsage;
    return std::nullopt;
  }
  auto table = knobs::Table::of(std::move(sweep));
  if (table) return std::move(*table);
  fail(options, input_error(path + ": " + table.error().message));
  return std::nullopt;
}

}  // namespace pitot::cli
