#include "optimize_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "check/check.h"
#include "check/compare.h"
#include "chosen_model.h"
#include "code_cost.h"
#include "device/cuda_run.h"
#include "device/prepare.h"
#include "emulated_cost.h"
#include "emulator/program.h"
#include "measure/clock_probe.h"
#include "measured_cost.h"
#include "predicted_cost.h"
#include "ptx/parser.h"
#include "search_log.h"

namespace pitot::cli {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point begin) {
  return duration<double>(steady_clock::now() - begin).count();
}

// Of a search that goes by its log alone.
class LoggedCost : public search::Cost {
 public:
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view>) override {
    return input_error("the log does not have the original's cost");
  }
};

// Outputs by their types, within the spec's tolerance or their type's.
measure::OutputJudge judge_of(const device::KernelSpec& spec) {
  const std::optional<check::Tolerance> own =
      spec.has_tolerance ? std::optional(check::Tolerance{spec.rtol, spec.atol}) : std::nullopt;
  return [own](const device::ArgumentSpec& output, std::span<const std::byte> expected,
               std::span<const std::byte> got) -> std::string {
    const size_t each = ptx::bytes_of(output.type);
    const check::Tolerance tolerance = own ? *own : check::default_tolerance(output.type);
    for (size_t at = 0; at + each <= expected.size(); at += each) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, expected.data() + at, std::min<size_t>(each, 8));
      std::memcpy(&b, got.data() + at, std::min<size_t>(each, 8));
      if (check::compare(a, b, output.type, tolerance) == check::Likeness::kDifferent)
        return fmt::format("'{}[{}]' is {}, the original's {}", output.name, at / each,
                           check::element_text(b, output.type),
                           check::element_text(a, output.type));
    }
    return {};
  };
}

// Why the text is not proved or tested to compute the same; empty: it is.
Result<std::string> doubt(const OptimizeKernel& original, const std::string& text,
                          const Options& options) {
  const Candidate& c = original.candidate;
  const auto module =
      std::make_shared<const ptx::Module>(ptx::parse(c.module->source->path(), text));
  const auto kernel = ptx::find_kernel(*module, c.module->functions[c.kernel].name);
  if (!kernel) return kernel.error();
  const auto a = emulator::load(c.module), b = emulator::load(module);
  if (!a) return a.error();
  if (!b) return b.error();
  check::Options how;
  how.seed = options.seed;
  how.workers = options.jobs;
  how.spec = original.checked.get();
  const check::Side before{c.module, &*a, c.kernel}, after{module, &*b, *kernel};
  auto r = check::check_kernels(before, after, how);
  if (!r) return r.error();
  if (r->verdict == check::Verdict::kUndecided && !r->may_be_meant) {
    // The spec's sizes leave code unreached, or cannot be run: arguments that are inferred may do.
    how.spec = nullptr;
    const auto inferred = check::check_kernels(before, after, how);
    if (!inferred) return inferred.error();
    if (inferred->verdict == check::Verdict::kSame) return std::string();
  }
  if (r->verdict == check::Verdict::kSame) return std::string();
  constexpr const char* kVerdicts[] = {"same", "different", "fault", "undecided"};
  std::string why = std::string("check says ") + kVerdicts[static_cast<size_t>(r->verdict)];
  if (!r->faults.empty()) {
    why += ": " + r->faults[0].message;
  } else if (!r->reasons.empty()) {
    why += ": " + r->reasons[0];
  }
  return why;
}

// The SM's clock for one block, as far as it can be read in this kernel.
measure::ProgramClock clock_of(const OptimizeArguments& args, const OptimizeKernel& k) {
  if (args.clock == "sm") return measure::ProgramClock::kSm;
  if (args.clock == "event") return measure::ProgramClock::kEvent;
  const Candidate& c = k.candidate;
  device::ResolvedLaunch launch;
  if (!device::resolve_launch(*c.spec, c.spec->sizes[c.size].values, launch) ||
      launch.grid != std::array<uint32_t, 3>{1, 1, 1} ||
      !measure::insert_clock_probe(*c.module, k.kernel.name))
    return measure::ProgramClock::kEvent;
  return measure::ProgramClock::kSm;
}

Result<const arch::Gpu*> modelled_gpu(const OptimizeArguments& args, const Candidate& c) {
  const arch::Gpu* gpu = nullptr;
  if (!args.gpu.empty()) {
    auto found = arch::find_gpu(args.gpu);
    if (!found) return found.error();
    gpu = *found;
  }
  gpu = chip_of(c, gpu);
  if (gpu == nullptr)
    return input_error("no GPU of the PTX's target is known: name one with --gpu");
  return gpu;
}

}  // namespace

Result<Optimizer> Optimizer::make(const OptimizeArguments& args,
                                  const std::vector<OptimizeKernel>& kernels, Options& options) {
  Optimizer out(args, kernels, options);
  if (Status s = out.policy_.open(args.policy, args.how.budget); !s) return s.error();
  if (args.how.budget == 0) return out;  // a policy that is followed asks for no cost
  if (args.cost == "predict") {
    auto model = choose_model(args.model);
    if (!model) return model.error();
    out.model_ = std::make_shared<const ChosenModel>(std::move(*model));
  }
  const auto number = device::cuda_number(args.cost);
  if (!number) return out;
  measure::ProgramMeterOptions meter;
  meter.number = *number;
  meter.seed = options.seed;
  meter.time_limit = args.time_limit;
  std::vector<measure::ProgramSubject> subjects;
  for (const OptimizeKernel& k : kernels) {
    measure::ProgramSubject& s = subjects.emplace_back();
    const Candidate& c = k.candidate;
    s.original = {c.module, c.kernel, c.spec, k.spec_hash, c.size};
    s.protocol = args.protocol;
    s.protocol.timing.seconds = args.sampling_ms / 1000;
    s.protocol.clock = clock_of(args, k);
    s.judge = judge_of(*c.spec);
    s.judge_all = args.round_otherwise;
  }
  out.meter_ = std::make_shared<measure::ProgramMeter>(std::move(subjects), meter);
  auto gpu = out.meter_->gpu();
  if (!gpu) return gpu.error();
  out.gpu_ = std::move(*gpu);
  return out;
}

bool Optimizer::over() const {
  return args_.all_seconds > 0 && seconds_since(begin_) >= args_.all_seconds;
}

Result<Optimizer::Made> Optimizer::make_cost(size_t number) const {
  const OptimizeKernel& k = kernels_[number];
  const Candidate& c = k.candidate;
  const std::string rest = fmt::format("{}, seed {}, spec {}, pitot " PITOT_VERSION, c.size_text,
                                       options_.seed, k.spec_hash);
  Made out;
  out.unit = "us";
  if (args_.cost == "log") {
    out.cost = std::make_unique<LoggedCost>();
    return out;
  }
  if (args_.cost == "code") {
    ptx::Target target = c.module->target;
    if (!args_.gpu.empty()) {
      const auto gpu = modelled_gpu(args_, c);
      if (!gpu) return gpu.error();
      if ((*gpu)->capability->sm() != target.sm)
        target = {static_cast<uint16_t>((*gpu)->capability->sm()), 0};
    }
    auto ptxas = ProgramAssembler::open(k.kernel.name, target);
    if (!ptxas) return ptxas.error();
    out.unit = "bytes";
    out.gpu = ptx::name_of(target);
    out.protocol = fmt::format("ptxas {} for {}", ptxas->version(), out.gpu);
    out.name = fmt::format("code, {}, pitot " PITOT_VERSION, out.protocol);
    out.batch = 256;
    out.cost = std::make_unique<CodeCost>(std::move(*ptxas), options_.jobs);
    return out;
  }
  if (meter_) {
    const measure::ProgramProtocol& protocol = meter_->subject(number).protocol;
    MeasuredCostOptions how;
    how.jobs = options_.jobs;
    how.use_ptxas = args_.assembler == "ptxas";
    how.between = protocol.clock == measure::ProgramClock::kSm ? 32 : 8;
    auto cost = MeasuredCost::make(meter_, number, gpu_, how);
    if (!cost) return cost.error();
    out.unit = measure::unit_of(protocol.clock);
    out.gpu = gpu_.name;
    out.protocol = measure::describe(protocol);
    out.name = fmt::format("cuda {}, driver {}, {}, {}, {}", gpu_.name, gpu_.driver, out.protocol,
                           cost->assembler(), rest);
    out.batch = protocol.clock == measure::ProgramClock::kSm ? 512 : 64;
    auto owned = std::make_unique<MeasuredCost>(std::move(*cost));
    out.measured = owned.get();
    out.cost = std::move(owned);
    return out;
  }
  const auto gpu = modelled_gpu(args_, c);
  if (!gpu) return gpu.error();
  out.gpu = (*gpu)->name;
  out.name = fmt::format("{} {}, {}", args_.cost, (*gpu)->name, rest);
  if (args_.cost == "predict") {
    out.name = fmt::format("predict {}, {}, {}", args_.model, (*gpu)->name, rest);
    if (!model_->note.empty()) out.warnings.push_back(model_->note);
    out.cost = std::make_unique<PredictedCost>(c, **gpu, model_, options_);
  } else {
    out.cost = std::make_unique<EmulatedCost>(c, **gpu, options_);
  }
  return out;
}

// Takes the next best as long as the check does not confirm; the original in the end.
Status Optimizer::verify(const OptimizeKernel& kernel, search::OptimizeResult& r) const {
  r.checked = !args_.no_check;
  if (args_.no_check) return Ok{};
  std::set<size_t> rejected;
  while (r.search.improved) {
    const auto why = doubt(kernel, r.search.best_text, options_);
    if (!why) return why.error();
    if (why->empty()) return Ok{};
    r.rejected.push_back({r.search.best.sequence, *why});
    rejected.insert(r.search.best_number);
    if (rejected.size() >= args_.tries)  // nothing more is tried: all are rejected
      for (size_t i = 1; i < r.search.programs.size(); ++i) rejected.insert(i);
    if (Status s = search::take_next_best(kernel.kernel, rejected, r.search); !s) return s;
  }
  r.verified = r.rejected.empty();
  return Ok{};
}

// What a policy does by itself, checked like any other result.
Result<search::OptimizeResult> Optimizer::follow(size_t number) const {
  const auto begin = steady_clock::now();
  const OptimizeKernel& k = kernels_[number];
  search::OptimizeResult r;
  r.judged = false;
  r.name = k.source.name;
  r.group = k.source.group;
  r.path = k.source.spec;
  r.kernel = k.kernel.name;
  r.policy = args_.policy;
  r.cost = "none";
  r.gpu = ptx::name_of(k.candidate.module->target);
  r.protocol = "nothing measured or modelled";
  r.size = k.candidate.size_text;
  auto found = policy_.follow(k.kernel, args_.how.max_steps, r.steps);
  if (!found) return found.error();
  r.search = std::move(*found);
  if (Status s = verify(k, r); !s) return s.error();
  r.search.programs.clear();  // none was evaluated
  r.seconds = seconds_since(begin);
  return r;
}

Result<search::OptimizeResult> Optimizer::run(size_t number, const std::string& log_path,
                                              const std::function<void()>& step) const {
  if (args_.how.budget == 0) return follow(number);
  const auto begin = steady_clock::now();
  const OptimizeKernel& k = kernels_[number];
  auto made = make_cost(number);
  if (!made) return made.error();
  SearchLog log;
  const search::LogHead head{search::program_hash(k.kernel), made->name};
  const bool only_log = args_.cost == "log";
  if (Status s = only_log ? log.read(log_path, head) : log.open(log_path, head); !s)
    return s.error();
  search::SearchOptions how = args_.how;
  how.seed = options_.seed;
  how.workers = options_.jobs;
  how.batch = args_.batch != 0 ? args_.batch : made->batch;
  if (only_log) {
    how.stop = [] { return true; };
  } else {
    how.stop = [&] {
      return (args_.seconds > 0 && seconds_since(begin) >= args_.seconds) || over();
    };
  }
  if (made->measured != nullptr) made->measured->remember(log.history(), head.original);
  std::vector<search::PolicyStep> steps;
  auto found = policy_.search(
      k.kernel, how, *made->cost, log.history(),
      [&](const search::Evaluation& e) {
        log.add(e);
        if (step) step();
      },
      steps);
  Status closed = log.close();
  if (!found) return found.error();
  if (!closed) return closed.error();

  search::OptimizeResult r;
  r.name = k.source.name;
  r.group = k.source.group;
  r.path = k.source.spec;
  r.kernel = k.kernel.name;
  r.policy = args_.policy;
  r.cost = args_.cost;
  r.unit = made->unit;
  r.gpu = made->gpu;
  r.protocol = made->protocol;
  r.size = k.candidate.size_text;
  r.warnings = std::move(made->warnings);
  if (const auto* p = dynamic_cast<const PredictedCost*>(made->cost.get()))
    for (const std::string& w : p->warnings())
      if (std::find(r.warnings.begin(), r.warnings.end(), w) == r.warnings.end())
        r.warnings.push_back(w);
  if (only_log) {
    r.protocol = log.history().cost;
    if (r.protocol.find("sm-clock") != std::string::npos) r.unit = "cycles";
    if (r.protocol.starts_with("code,")) r.unit = "bytes";
  }
  if (made->measured != nullptr) {
    r.measured = made->measured->measured();
    r.drift = made->measured->drift();
  }
  r.search = std::move(*found);
  r.steps = std::move(steps);
  if (Status s = verify(k, r); !s) return s.error();
  r.seconds = seconds_since(begin);
  return r;
}

}  // namespace pitot::cli
