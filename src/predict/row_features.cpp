#include "predict/row_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/register_estimate.h"
#include "analysis/resources.h"
#include "device/arguments.h"
#include "device/prepare.h"
#include "predict/bare_launch.h"
#include "predict/emulated_columns.h"
#include "predict/launch_columns.h"
#include "profile/profile.h"

namespace pitot::predict {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
// Registers from the pressure: fitted to analysis::estimate_registers() on 2,200 variants of
// kernels/families; half are within 9 %.
constexpr double kQuickSlope = 0.84, kQuickStart = 7;

// Two samples whose blocks run equally many instructions but for this share are of the same kind.
constexpr double kAlike = 0.03;

// The numbers of a spec's launch that analyses can use.
analysis::KnownValues known_values(const ptx::Function& f, const device::ResolvedLaunch& launch) {
  analysis::KnownValues out;
  out.block = launch.block;
  out.grid = launch.grid;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const device::ResolvedArgument& a = launch.arguments[i];
    if (!a.spec->is_buffer && !a.spec->image) out.parameters.emplace_back(f.parameters[i], a.bits);
  }
  return out;
}

std::string fault_text(const profile::ProfileFault& f) {
  return fmt::format("{} at line {}: {}", f.kind, f.line, f.message);
}

}  // namespace

FeatureRow::FeatureRow() : values(kColumnCount, kNotKnown) {}

std::string_view FeatureRow::reason(size_t column) const {
  for (const Missing& m : missing)
    if (m.column == column) return m.reason;
  return {};
}

struct RowExtractor::Scratch {
  analysis::FeatureExtractor features;
  analysis::Workspace workspace;
  analysis::FlowFacts flow;
  analysis::Uniformity uniformity;
};

RowExtractor::RowExtractor(RowOptions options)
    : options_(options), scratch_(std::make_unique<Scratch>()) {}
RowExtractor::~RowExtractor() = default;
RowExtractor::RowExtractor(RowExtractor&&) noexcept = default;

namespace {

// One row in the making.
class RowMaker {
 public:
  RowMaker(const RowRequest& request, const RowOptions& options)
      : in_(request), o_(options), m_(*request.module), f_(m_.functions[request.kernel]) {}

  // The launch's numbers, from the spec or guessed.
  Status find_launch() {
    if (in_.spec != nullptr && in_.size != nullptr) {
      auto resolved = device::resolve(m_, in_.kernel, *in_.spec, *in_.size, o_.seed);
      if (!resolved) return resolved.error();
      facts_.grid = resolved->grid;
      facts_.block = resolved->block;
      facts_.cluster = resolved->cluster;
      facts_.dynamic_shared = resolved->dynamic_shared;
      known_ = known_values(f_, *resolved);
      return Ok{};
    }
    if (in_.bare == nullptr) return input_error("a row needs a launch: a spec's, or a bare one");
    facts_.grid = in_.bare->grid;
    facts_.block = in_.bare->block;
    facts_.cluster = in_.bare->cluster;
    facts_.dynamic_shared = in_.bare->dynamic_shared;
    if (emulator::volume_of(facts_.grid) == 0 || emulator::volume_of(facts_.block) == 0)
      return input_error("a launch has at least one block of one thread");
    guessed_ = guess_arguments(m_, in_.kernel, *in_.bare);
    known_ = guessed_.known;
    return Ok{};
  }

  Status find_gpu() {
    gpu_ = in_.gpu;
    if (gpu_ != nullptr) return Ok{};
    auto found = profile::default_gpu(m_.target);
    if (!found) return found.error();
    gpu_ = *found;
    return Ok{};
  }

  void set_static(analysis::FeatureExtractor& extractor) {
    const analysis::FeatureRow row = extractor.extract(m_, f_, known_);
    std::copy(row.begin(), row.end(), out_.values.begin());
  }

  void set_launch(analysis::FlowFacts& flow, analysis::Uniformity& uniformity,
                  analysis::Workspace& ws) {
    const analysis::MemoryUse memory = analysis::memory_use(m_, f_);
    facts_.shared = memory.static_shared + facts_.dynamic_shared;
    if (in_.ptxas != nullptr && in_.ptxas->registers) {
      facts_.registers = static_cast<uint32_t>(*in_.ptxas->registers);
      facts_.spill_bytes = static_cast<double>(in_.ptxas->spill_stores.value_or(0));
    } else if (!o_.emulate && !std::isnan(out_[analysis::Feature::kRegisterPressure])) {
      // The estimate would take longer than all the rest of a row from the text.
      const double quick = kQuickSlope * out_[analysis::Feature::kRegisterPressure] + kQuickStart;
      facts_.registers = static_cast<uint32_t>(std::clamp(std::ceil(quick), 16.0, 255.0));
    } else {
      flow.build(m_, f_, ws);
      if (!flow.too_complex) {
        uniformity.build(flow, std::nullopt, ws);
        const auto estimate = analysis::estimate_registers(
            flow, uniformity, ptx::Target{static_cast<uint16_t>(gpu_->capability->sm()), 0}, ws);
        facts_.registers = estimate.registers;
        facts_.spill_bytes = estimate.spill_bytes;
      }
    }
    set_launch_columns(facts_, *gpu_, out_);
    set_gpu_columns(*gpu_, out_);
    if (in_.ptxas != nullptr) set_ptxas_columns(*in_.ptxas, in_.code_bytes, out_);
  }

  void emulate() {
    if (!o_.emulate) {
      no_profile_ = "not asked for";
      return;
    }
    if (out_[Column::kRuns] == 0) {
      no_profile_ = "the GPU cannot run this launch";
      return;
    }
    auto program = emulator::load(in_.module);
    if (!program) {
      no_profile_ = program.error().message;
      return;
    }
    // Indices of the size reach beyond what is there in some kernels: then small ones.
    const bool bare = in_.spec == nullptr;
    for (IndexData indices : {IndexData::kSized, IndexData::kSmall}) {
      auto first = profile_with(*program, indices, o_.blocks, o_.budget);
      if (!first && bare) continue;
      if (!first) return;
      set_emulated_columns(with_more_blocks(*program, indices, std::move(*first)), bare, out_);
      no_profile_.clear();
      break;
    }
    if (bare && no_profile_.empty())
      for (const GuessedArgument& a : guessed_.arguments)
        if (a.parameter.kind == check::ParameterKind::kInteger)
          out_.notes.push_back(fmt::format("{} = {}: {}", a.parameter.name, a.bits, a.from));
  }

  FeatureRow finish() {
    for (size_t i = 0; i < kColumnCount; ++i)
      if (std::isnan(out_.values[i])) out_.missing.push_back({i, why(i)});
    return std::move(out_);
  }

 private:
  // Short blocks may differ: some more of them, and many more where those were not like the first
  // ones (points of a fractal, rows of a sparse matrix).
  profile::ProfileResult with_more_blocks(const emulator::Program& program, IndexData indices,
                                          profile::ProfileResult sample) {
    struct Round {
      uint64_t blocks, enough;
    };
    for (const Round& most :
         {Round{o_.most_blocks, o_.enough}, Round{o_.most_unlike_blocks, o_.enough_unlike}}) {
      const uint64_t have = std::max<uint64_t>(1, sample.sampled_blocks);
      const double each =
          static_cast<double>(std::max<uint64_t>(1, sample.executed)) / static_cast<double>(have);
      const auto want =
          std::min(most.blocks, static_cast<uint64_t>(static_cast<double>(most.enough) / each));
      if (have >= sample.blocks) break;
      if (want < 2 * have) continue;
      // What the first blocks took says little of the others where they are unlike.
      auto larger = profile_with(program, indices, want, std::max(o_.budget, 4 * most.enough));
      no_profile_.clear();  // the smaller one is there
      if (!larger) break;
      const double now = static_cast<double>(larger->executed) /
                         static_cast<double>(std::max<uint64_t>(1, larger->sampled_blocks));
      sample = std::move(*larger);
      if (std::abs(now - each) <= kAlike * each) break;
    }
    return sample;
  }

  // Nothing where it does not run to its end; then no_profile_ says why.
  std::optional<profile::ProfileResult> profile_with(const emulator::Program& program,
                                                     IndexData indices, uint64_t blocks,
                                                     uint64_t budget) {
    auto ready =
        in_.spec == nullptr
            ? prepare_bare(program, in_.kernel, *in_.bare, guessed_, indices, o_.seed)
            : device::prepare(program, in_.kernel, *in_.spec, *in_.size, o_.seed, true, true);
    if (!ready) {
      no_profile_ = ready.error().message;
      return std::nullopt;
    }
    profile::ProfileOptions how;
    how.gpu = gpu_;
    how.blocks = blocks;
    how.sample_loops = o_.sample_loops;
    how.warm = o_.warm;
    how.registers = facts_.registers;
    how.registers_from = in_.ptxas != nullptr ? "ptxas" : "estimate";
    how.emulator.seed = o_.seed;
    how.emulator.workers = o_.workers;
    how.emulator.instruction_budget = budget;
    auto result = profile::profile(program, in_.kernel, ready->launch, *ready->memory, how);
    if (!result) {
      no_profile_ = result.error().message;
      return std::nullopt;
    }
    if (!result->ok()) {
      no_profile_ = fault_text(result->faults.front());
      return std::nullopt;
    }
    return std::move(*result);
  }

  std::string why(size_t column) const {
    switch (feature_columns()[column].group) {
      case FeatureGroup::kStatic:
        return "the function is too complex";
      case FeatureGroup::kLaunch:
        if (out_[Column::kRuns] == 0) return "the GPU cannot run this launch";
        return "the GPU table or the register estimate lacks what it is made of";
      case FeatureGroup::kGpu:
        return fmt::format("the GPU table does not have it for {}", gpu_->name);
      case FeatureGroup::kPtxas:
        return in_.ptxas == nullptr ? "ptxas was not asked" : "ptxas did not say";
      case FeatureGroup::kEmulated:
        return no_profile_.empty() ? "the GPU table lacks a figure for it" : no_profile_;
    }
    return {};
  }

  const RowRequest& in_;
  const RowOptions& o_;
  const ptx::Module& m_;
  const ptx::Function& f_;
  const arch::Gpu* gpu_ = nullptr;
  LaunchFacts facts_;
  analysis::KnownValues known_;
  GuessedArguments guessed_;
  std::string no_profile_;  // why there is none
  FeatureRow out_;
};

}  // namespace

Result<FeatureRow> RowExtractor::row(const RowRequest& request) {
  RowMaker maker(request, options_);
  if (Status s = maker.find_gpu(); !s) return s.error();
  if (Status s = maker.find_launch(); !s) return s.error();
  maker.set_static(scratch_->features);
  maker.set_launch(scratch_->flow, scratch_->uniformity, scratch_->workspace);
  maker.emulate();
  return maker.finish();
}

}  // namespace pitot::predict
