#include "knobs_live.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "device/prepare.h"
#include "knob_variants.h"
#include "knobs/measured_row.h"
#include "progress.h"
#include "subjects.h"

namespace pitot::cli {

std::optional<knobs::LiveReadings> live_readings(const RolloutArguments& args, Options& options) {
  const auto failed = [&](const Error& e) {
    fail(options, e);
    return std::nullopt;
  };
  TimingArguments timing;
  timing.device = args.device;
  timing.batch_ms = args.batch_ms;
  timing.time_limit = args.time_limit;
  const auto how = meter_options(timing, options);
  if (!how)
    return failed(input_error("no device '" + args.device + "'; table, emu, cuda or cuda:N"));
  const auto variants = make_knob_variants(args.sources, args.directory, options);
  if (!variants) return std::nullopt;
  std::vector<measure::Subject> subjects;
  std::vector<knobs::LivePlace> places;
  for (const KnobVariant& v : variants->list) {
    if (v.spec.empty()) continue;
    auto read = read_subjects({v.spec, "", "", {}, {}}, options);
    if (!read) return std::nullopt;
    for (measure::Subject& s : *read) {
      const int64_t size = knobs::matrix_size(device::size_text(s.spec->sizes[s.size])).value_or(0);
      if (!args.sizes.empty() &&
          std::find(args.sizes.begin(), args.sizes.end(), size) == args.sizes.end())
        continue;
      places.push_back({{v.kernel, size}, v.settings, subjects.size()});
      subjects.push_back(std::move(s));
    }
  }
  if (places.empty()) return failed(input_error("there is nothing to measure: no such sizes"));
  auto meter = std::make_unique<measure::Meter>(std::move(subjects), *how);
  const auto gpu = meter->gpu();
  if (!gpu) return failed(gpu.error());
  auto out =
      knobs::LiveReadings::make(std::move(meter), variants->knobs, places, gpu->memory_bytes);
  if (!out) return failed(out.error());
  if (args.preload) {
    const auto start = std::chrono::steady_clock::now();
    Progress progress("loading", out->places());
    if (Status s = out->load_all([&] { progress.step(); }); !s) return failed(s.error());
    progress.finish();
    print(fmt::format(
        "{} configurations loaded in {:.2f} s\n", out->places(),
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  }
  return std::move(*out);
}

}  // namespace pitot::cli
