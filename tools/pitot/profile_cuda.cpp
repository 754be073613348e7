#include "profile_cuda.h"

#include <fmt/format.h>

#include <filesystem>

#include "device/cuda_run.h"
#include "measure/counters.h"
#include "report/counters_report.h"

namespace pitot::cli {

void profile_on_gpu(const GpuProfileArguments& args, Options& options) {
  const auto number = device::cuda_number(args.device);
  if (!number) return fail(options, input_error("no GPU '" + args.device + "'; cuda or cuda:N"));
  std::error_code error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return fail(options, failed_error("this program does not find itself"));
  measure::CounterOptions how;
  how.seconds = args.seconds;
  if (!args.metrics.empty()) how.metrics = args.metrics;
  std::vector<measure::KernelCounters> launches;
  for (const std::string& size : args.size_texts) {
    std::vector<std::string> command = {self,
                                        "run",
                                        args.spec,
                                        "--device",
                                        args.device,
                                        "--seed",
                                        fmt::format("{}", options.seed),
                                        "--time-limit",
                                        fmt::format("{:g}", args.seconds)};
    if (!size.empty()) command.insert(command.end(), {"--set", size});
    if (!args.ptx.empty()) command.insert(command.end(), {"--ptx", args.ptx});
    if (!args.entry.empty()) command.insert(command.end(), {"--entry", args.entry});
    auto counters = measure::count(command, args.kernel, how);
    if (!counters) return fail(options, counters.error());
    counters->device = fmt::format("cuda:{}", *number);
    counters->size_text = size;
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
