#include "subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "device/cuda_run.h"
#include "kernel_files.h"
#include "run_cuda.h"
#include "sizes.h"
#include "support/file.h"
#include "support/hash.h"

namespace pitot::cli {
namespace {

// What has been complained of since there were `files` and `errors`.
Error first_complaint(const Options& options, size_t files, size_t errors) {
  if (files < options.problems.size()) {
    const report::VerifiedFile& f = options.problems[files];
    for (const report::LocatedDiagnostic& d : f.diagnostics)
      if (d.severity == "error")
        return input_error(fmt::format("{}:{}:{}: {}", f.path, d.line, d.column, d.message));
    return input_error(f.path + " has errors");
  }
  return input_error(errors < options.errors.size() ? options.errors[errors]
                                                    : "it could not be read");
}

}  // namespace

Result<std::vector<measure::Subject>> read_subjects(const SubjectSource& source, Options& options) {
  const size_t files = options.problems.size(), errors = options.errors.size();
  const auto complaint = [&] { return first_complaint(options, files, errors); };
  const auto failed = [&](const Error& e) {
    fail(options, e);
    return e;
  };
  auto spec = read_spec_file(source.spec, options);
  if (!spec) return complaint();
  auto text = read_file(source.spec);
  if (!text) return failed(text.error());
  if (Status sizes = set_sizes(source.set, *spec); !sizes) return failed(sizes.error());
  auto module =
      read_sound_module(source.ptx.empty() ? spec->beside(spec->ptx) : source.ptx, options);
  if (!module) return complaint();
  // A file in place of the spec's may name its kernel otherwise.
  auto kernel = ptx::find_kernel(*module, !source.entry.empty() ? source.entry : spec->entry);
  if (!kernel && source.entry.empty() && !source.ptx.empty())
    kernel = ptx::find_kernel(*module, "");
  if (!kernel) return failed(kernel.error());
  measure::Subject subject;
  subject.module = module;
  subject.kernel = *kernel;
  subject.spec_hash = hash_bytes(*text).hex();
  subject.spec = std::make_shared<const device::KernelSpec>(std::move(*spec));
  std::vector<measure::Subject> out;
  for (uint32_t i = 0; i < subject.spec->sizes.size(); ++i) {
    if (!source.sizes.empty() &&
        std::find(source.sizes.begin(), source.sizes.end(), i) == source.sizes.end())
      continue;
    subject.size = i;
    out.push_back(subject);
  }
  if (out.empty()) return failed(input_error(source.spec + ": the spec has no such size"));
  return out;
}

measure::MeasureRecord unread_record(const SubjectSource& source, const Error& why) {
  measure::MeasureRecord r;
  r.spec = source.spec;
  r.ptx = source.ptx;
  r.reason = why.message;
  return r;
}

std::string place_of_fault(const measure::Subject& s, std::string_view reason, uint64_t seed) {
  const std::string_view kind = reason.substr(0, reason.find(": "));
  constexpr std::string_view kFaults[] = {"out-of-bounds", "misaligned", "trap", "stack",
                                          "timeout"};
  if (std::find(std::begin(kFaults), std::end(kFaults), kind) == std::end(kFaults)) return {};
  return emulated_words(
      emulated_end(s.module, s.kernel, *s.spec, s.spec->sizes[s.size], seed, kind),
      s.module->source->path());
}

std::vector<std::string> expand_specs(const std::vector<std::string>& paths, Options& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      out.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error))
      if (it->path().string().ends_with(".kernel.toml")) found.push_back(it->path().string());
    if (error) fail(options, input_error(fmt::format("{}: {}", path, error.message())));
    if (found.empty()) fail(options, input_error(path + ": no *.kernel.toml below it"));
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

void add_timing(CLI::App& verb, TimingArguments& args) {
  verb.add_option("--device", args.device, "the GPU: cuda, cuda:1")->capture_default_str();
  verb.add_option("--size", args.sizes, "only these sizes of the spec, by number from 0");
  verb.add_option("--set", args.set, "a size of one's own: the spec's first with other values")
      ->excludes("--size");
  verb.add_flag("--cold", args.cold, "each launch finds L2 without its data");
  verb.add_option("--seconds", args.seconds, "sampling of a kernel at most")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 3600.0));
  verb.add_option("--ci", args.half_width,
                  "sample until the half width of the median's 95 % interval is this many percent")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 50.0));
  verb.add_option("--batch", args.batch_ms, "milliseconds that a sample should take")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1000.0));
  verb.add_option("--time-limit", args.time_limit,
                  "seconds for a kernel, with starting the GPU and compiling")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
}

Result<measure::MeterOptions> meter_options(const TimingArguments& args, const Options& options) {
  const auto number = device::cuda_number(args.device);
  if (!number) return input_error("no GPU '" + args.device + "'; cuda or cuda:N");
  measure::MeterOptions out;
  out.number = *number;
  out.seed = options.seed;
  out.time_limit = args.time_limit;
  out.tool = "pitot " PITOT_VERSION;
  out.protocol.cache = args.cold ? measure::CacheState::kCold : measure::CacheState::kWarm;
  out.protocol.seconds = args.seconds;
  out.protocol.half_width = args.half_width / 100;
  out.protocol.batch_ms = args.batch_ms;
  return out;
}

}  // namespace pitot::cli
