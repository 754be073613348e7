#include "profile_cuda.h"

#include <fmt/format.h>

#include <filesystem>

#include "device/cuda_run.h"
#include "report/counters_report.h"

namespace pitot::cli {

Result<std::vector<measure::KernelCounters>> count_runs(const CountedRun& run,
                                                        measure::CounterOptions how) {
  std::error_code error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return failed_error("this program does not find itself");
  how.seconds = run.seconds;
  std::vector<std::string> command = {self,
                                      "run",
                                      run.spec,
                                      "--device",
                                      run.device,
                                      "--seed",
                                      fmt::format("{}", run.seed),
                                      "--time-limit",
                                      fmt::format("{:g}", run.seconds)};
  if (!run.size_text.empty()) command.insert(command.end(), {"--set", run.size_text});
  if (!run.ptx.empty()) command.insert(command.end(), {"--ptx", run.ptx});
  if (!run.entry.empty()) command.insert(command.end(), {"--entry", run.entry});
  for (const size_t s : run.sizes) command.insert(command.end(), {"--size", fmt::format("{}", s)});
  auto counters = measure::count_all(command, run.kernel, how);
  if (counters)
    for (measure::KernelCounters& k : *counters) k.size_text = run.size_text;
  return counters;
}

Result<measure::KernelCounters> count_run(const CountedRun& run, measure::CounterOptions how) {
  auto counters = count_runs(run, std::move(how));
  if (!counters) return counters.error();
  return std::move(counters->front());
}

void profile_on_gpu(const GpuProfileArguments& args, Options& options) {
  const auto number = device::cuda_number(args.device);
  if (!number) return fail(options, input_error("no GPU '" + args.device + "'; cuda or cuda:N"));
  measure::CounterOptions how;
  if (!args.metrics.empty()) how.metrics = args.metrics;
  std::vector<measure::KernelCounters> launches;
  for (const std::string& size : args.size_texts) {
    auto counters = count_run({args.device, args.spec, args.ptx, args.entry, args.kernel, size,
                               options.seed, args.seconds},
                              how);
    if (!counters) return fail(options, counters.error());
    counters->device = fmt::format("cuda:{}", *number);
    launches.push_back(std::move(*counters));
  }
  if (options.format == "json") return print(report::counters_json(launches));
  if (options.format == "csv") return print(report::counters_csv(launches));
  if (options.format == "html")
    return fail(options, input_error("counters have no HTML: text, json or csv"));
  for (size_t i = 0; i < launches.size(); ++i)
    print((i > 0 ? "\n" : "") + report::counters_text(launches[i]));
}

}  // namespace pitot::cli
