// Evaluates the fitted trees and applies launch bounds.
#include "analysis/register_estimate.h"

#include <algorithm>
#include <cmath>

namespace pitot::analysis {
namespace {

struct TreeNode {
  int16_t input;   // into RegisterInputs; -1: a leaf
  float value;     // threshold, or the leaf's value
  uint32_t right;  // index of the right child; the left one follows
};

#include "analysis/register_trees.inc"

double evaluate(const RegisterInputs& x) {
  double sum = kBase;
  for (uint32_t at : kTrees) {
    while (kNodes[at].input >= 0) {
      bool left = static_cast<float>(x[static_cast<size_t>(kNodes[at].input)]) < kNodes[at].value;
      at = left ? at + 1 : kNodes[at].right;
    }
    sum += static_cast<double>(kNodes[at].value);
  }
  return sum;
}

// The mean of what the two halves of the trees correct (fit.py): a scheduler's peak with a fixed
// overhead, and a constant. A call of a function without a body takes what the calling convention
// lets that function change, besides what is alive across.
constexpr double kCallRegisters = 24;
double anchor(const RegisterInputs& x) {
  auto at = [&](RegisterInput i) { return x[static_cast<size_t>(i)]; };
  const double least = at(RegisterInput::kExternCalls) > 0
                           ? std::max(kCallRegisters, 20 + at(RegisterInput::kAcrossCalls))
                           : 0;
  const double peak = (at(RegisterInput::kTimedSmall) + at(RegisterInput::kLiveMachine)) / 2 + 9;
  return (std::log(std::max(peak, least)) + std::log(std::max(24.0, least))) / 2;
}

// Standard deviation of log(estimate / truth) on kernels that nothing was fitted to.
constexpr double kLogError = 0.20;

// Where occupancy steps: ptxas schedules towards these, so that an estimate close to one is that
// one.
constexpr double kSteps[] = {32, 40, 48, 56, 64, 72, 80, 96, 128, 168};
constexpr double kSnap = 0.06;  // in log

double to_step(double registers) {
  for (double step : kSteps)
    if (std::abs(std::log(registers / step)) < kSnap) return step;
  return registers;
}

// E[max(0, W − cap)] for W log-normal around `wanted`.
double expected_excess(double wanted, double cap) {
  double d = (std::log(wanted / cap)) / kLogError;
  auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  double mean = wanted * std::exp(kLogError * kLogError / 2);
  return std::max(0.0, mean * phi(d + kLogError) - cap * phi(d));
}

}  // namespace

uint32_t register_cap(const ptx::Function& f) {
  uint32_t cap = 255;
  if (f.bounds.maxnreg && *f.bounds.maxnreg > 0) cap = std::min(cap, *f.bounds.maxnreg);
  if (auto threads = f.bounds.threads(); threads && *threads > 0) {
    uint64_t warps = (*threads + 31) / 32 * std::max(1u, f.bounds.minnctapersm.value_or(1));
    uint64_t share = 65536 / 32 / std::max<uint64_t>(warps, 1) / 8 * 8;
    cap = std::min(cap, static_cast<uint32_t>(std::clamp<uint64_t>(share, 16, 255)));
  }
  return cap;
}

RegisterEstimate estimate_registers(const FlowFacts& flow, const Uniformity& uniformity,
                                    ptx::Target target, Workspace& ws) {
  RegisterInputs x = register_inputs(flow, uniformity, target.sm >= 85 ? 90 : 80, ws);
  RegisterEstimate e;
  const double least = x[static_cast<size_t>(RegisterInput::kCalls)] > 0 ? kCallRegisters : 4.0;
  e.wanted = std::clamp(std::exp(anchor(x) + evaluate(x)), least, 1000.0);
  e.cap = register_cap(*flow.function);
  e.registers =
      static_cast<uint32_t>(std::lround(std::min(to_step(e.wanted), static_cast<double>(e.cap))));
  double excess = expected_excess(e.wanted, e.cap);
  // Each register that does not fit is stored about once and loaded a little more often; four bytes
  // each.
  e.spill_bytes = excess < 0.01 ? 0 : 4 * excess;
  return e;
}

uint32_t estimated_registers(const ptx::Module& m, const ptx::Function& f, ptx::Target target) {
  Workspace ws;
  FlowFacts flow;
  Uniformity uniformity;
  flow.build(m, f, ws);
  if (flow.too_complex) return 0;
  uniformity.build(flow, std::nullopt, ws);
  return estimate_registers(flow, uniformity, target, ws).registers;
}

}  // namespace pitot::analysis
