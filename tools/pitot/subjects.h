// What the verbs that time kernels work on: specs, at their sizes, with the PTX they name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "measure/meter.h"

namespace pitot::cli {

struct SubjectSource {
  std::string spec, ptx, entry;  // ptx: in place of the spec's; entry: of that file
  std::vector<uint32_t> sizes;   // by number from 0; empty: all
  std::vector<std::string> set;  // sizes in their place, each "n=4096 k=64" over the first one
};

// One subject a size. Errors have been printed; what comes back is the first complaint, with its
// place.
Result<std::vector<measure::Subject>> read_subjects(const SubjectSource& source, Options& options);
// The record of a source that has none.
measure::MeasureRecord unread_record(const SubjectSource& source, const Error& why);

// Where a fault on a GPU arose, if the emulator comes to one on the same data, in words to append
// to the reason; nothing for reasons that are no fault of the kernel.
std::string place_of_fault(const measure::Subject& subject, std::string_view reason, uint64_t seed);

// Specs as written; of directories, every *.kernel.toml below them, in order.
std::vector<std::string> expand_specs(const std::vector<std::string>& paths, Options& options);

// The options of timing that several verbs have.
struct TimingArguments {
  std::string device = "cuda";
  bool cold = false;
  double seconds = 2, half_width = 0.5, time_limit = 120;  // half width in percent
  double batch_ms = 1;
  std::vector<uint32_t> sizes;
  std::vector<std::string> set;
};
void add_timing(CLI::App& verb, TimingArguments& args);
// Errors (kInput): no name of a CUDA device.
Result<measure::MeterOptions> meter_options(const TimingArguments& args, const Options& options);

}  // namespace pitot::cli
