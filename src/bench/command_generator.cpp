#include "bench/command_generator.h"

#include <fmt/format.h>

#include "bench/extract_ptx.h"
#include "toolchain/subprocess.h"

namespace pitot::bench {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;

class Command final : public Generator {
 public:
  explicit Command(const CommandSettings& settings) : how_(settings) {}
  std::string name() const override { return how_.name; }
  bool reads() const override { return true; }

  Result<std::vector<Proposal>> propose(const Request& r) override {
    std::vector<Proposal> out;
    for (uint32_t n = 0; n < r.candidates; ++n) {
      toolchain::ProcessOptions options;
      options.input = r.prompt;
      options.time_limit = how_.seconds;
      options.output_limit = kMostBytes;
      options.environment = {{"PITOT_TASK", r.task->name},
                             {"PITOT_ROUND", std::to_string(r.round)},
                             {"PITOT_SAMPLE", std::to_string(n)},
                             {"PITOT_SEED", std::to_string(r.seed + n)}};
      auto done = toolchain::run_process({"/bin/sh", "-c", how_.command}, options);
      if (!done) return done.error();
      // The shell's answer to a command that is not there: it will not be there next time either.
      if (done->exit_code == 127)
        return missing_error(fmt::format("'{}' cannot be run: {}", how_.command,
                                         done->err.substr(0, done->err.find('\n'))));
      const std::string name =
          done->ok() ? fmt::format("{}#{}.{}", how_.name, r.round, n)
                     : fmt::format("{}#{}.{} ({})", how_.name, r.round, n,
                                   done->timed_out ? "out of time"
                                                   : fmt::format("exit {}", done->exit_code));
      out.push_back({name, done->ok() ? extract_ptx(done->out) : std::string()});
    }
    return out;
  }

 private:
  CommandSettings how_;
};

}  // namespace

std::unique_ptr<Generator> command_generator(const CommandSettings& settings) {
  return std::make_unique<Command>(settings);
}

}  // namespace pitot::bench
