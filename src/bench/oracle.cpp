#include "bench/oracle.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "device/emulated.h"
#include "device/prepare.h"
#include "device/values.h"

namespace pitot::bench {
namespace {

std::vector<double> doubles(const device::RunOutput& o) {
  std::vector<double> out(o.elements());
  std::memcpy(out.data(), o.bytes.data(), out.size() * sizeof(double));
  return out;
}

void note(const ExpectedOutput& o, const OutputJudgement& j, Expected& out) {
  if (j.differing == 0 || !out.start_exact) return;
  out.start_exact = false;
  out.start_difference =
      fmt::format("{}[{}] is {} and the oracle has {}", o.name, j.index, j.got, j.expected);
}

}  // namespace

Result<device::RunResult> run_on_emulator(const Candidate& c, const device::KernelSpec& spec,
                                          const device::SizeSpec& size, uint64_t seed) {
  device::EmulatedOptions options;
  options.seed = seed;
  options.emulator.checks.uninitialised = true;
  return device::run_emulated(*c.program, c.kernel, spec, size, options);
}

Result<device::RunResult> Oracle::run(const Candidate& kernel, const device::KernelSpec& spec,
                                      const device::SizeSpec& size, uint64_t seed,
                                      const char* what) const {
  auto r = runner_(kernel, spec, size, seed);
  if (!r) return r.error();
  if (!r->ok())
    return input_error(fmt::format("the {} faults at {}: {} (line {})", what,
                                   device::size_text(size), r->faults[0].message,
                                   r->faults[0].line));
  return r;
}

Result<Oracle> Oracle::make(const Task& task, Runner runner) {
  auto start = load_start(task);
  if (!start) return start.error();
  auto oracle = load_kernel(task.oracle);
  if (!oracle) return oracle.error();
  return Oracle(task, std::move(*start), std::move(*oracle), std::move(runner));
}

Result<const Expected*> Oracle::at(const device::SizeSpec& size, Data data, uint64_t seed) {
  const std::string key = fmt::format("{} {} {}", device::size_text(size), name_of(data), seed);
  auto& kept = kept_[key];
  if (!kept) {
    auto made = compute(size, data, seed);
    if (!made) return made.error();
    kept = std::make_unique<Expected>(std::move(*made));
  }
  return kept.get();
}

Result<Expected> Oracle::compute(const device::SizeSpec& size, Data data, uint64_t seed) const {
  auto exact = run(oracle_, with_data(task_->oracle, data, seed), size, seed, "oracle");
  if (!exact) return exact.error();
  auto start = run(start_, with_data(task_->spec, data, seed), size, seed, "start kernel");
  if (!start) return start.error();
  Expected out;
  out.start_instructions = start->warp_instructions;
  size_t scale = start->outputs.size();
  for (size_t i = 0; i < start->outputs.size(); ++i) {
    const device::RunOutput &s = start->outputs[i], &o = exact->outputs[i];
    ExpectedOutput e;
    e.name = s.name;
    e.type = ptx::type_from_name(s.type);
    e.start = s.bytes;
    const bool in_double = e.type != ptx::Type::kF64 && o.type == "f64";
    if (in_double || (e.type == ptx::Type::kF64 && scale < exact->outputs.size() &&
                      exact->outputs[scale].name == s.name + "_scale")) {
      e.exact = doubles(o);
      e.scale = doubles(exact->outputs[scale++]);
      take_start(e, out);
    } else if (ptx::kind_of(e.type) == ptx::TypeKind::kFloat) {
      // Read and written: the oracle rounds once, to the same type.
      for (uint64_t n = 0; n < o.elements(); ++n) {
        e.exact.push_back(device::decode(o.bits(n), e.type));
        e.scale.push_back(std::fabs(e.exact.back()));
      }
      take_start(e, out);
    } else {
      e.start = o.bytes;
      note(e, judge_output(e, s.bytes, task_->accuracy.arithmetic, {}, {}), out);
    }
    out.outputs.push_back(std::move(e));
  }
  return out;
}

void Oracle::take_start(const ExpectedOutput& e, Expected& out) const {
  const OutputJudgement j = judge_start(e, task_->accuracy.arithmetic);
  out.start_errors.add(j.errors);
  note(e, j, out);
}

}  // namespace pitot::bench
