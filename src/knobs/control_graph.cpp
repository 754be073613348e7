#include "knobs/control_graph.h"

#include <algorithm>
#include <cmath>

#include "analysis/cfg.h"
#include "analysis/features.h"
#include "analysis/register_estimate.h"

namespace pitot::knobs {
namespace {

constexpr size_t kMostEdges = 1'000'000;
constexpr double kMostShared = 228 * 1024;  // bytes a multiprocessor, sm_90

void count_into(std::array<float, kBlockFeatures>& row, const ptx::Opcode& op) {
  using ptx::Effect;
  using ptx::Group;
  using ptx::Mnemonic;
  const bool parameter = ptx::base_space(op.space) == ptx::Space::kParam;
  row[0] += 1;
  row[1] += op.has(Effect::kLoad) && !parameter;
  row[2] += op.has(Effect::kStore) && !parameter;
  row[3] += op.mnemonic == Mnemonic::kFma || op.mnemonic == Mnemonic::kMad;
  row[4] += op.mnemonic == Mnemonic::kAdd || op.mnemonic == Mnemonic::kSub;
  row[5] += op.mnemonic == Mnemonic::kMul;
  row[6] += op.group == Group::kBranch;
  row[7] += op.has(Effect::kBarrier) || op.has(Effect::kFence);
  row[8] += op.group == Group::kConvert;
  row[9] += op.mnemonic == Mnemonic::kMov;
}

float logarithm(double count) {
  return static_cast<float>(std::clamp(std::log1p(count) / 8, 0.0, 1.0));
}

}  // namespace

Result<ControlGraph> control_graph(const ptx::Module& module, const ptx::Function& function) {
  analysis::Workspace workspace;
  analysis::Cfg cfg;
  cfg.build(module, function, workspace, kMostEdges);
  if (cfg.size() == 0 || !cfg.complete)
    return input_error(cfg.size() == 0 ? "the kernel has no instructions"
                                       : "the kernel has too many branches");
  ControlGraph out;
  out.blocks.resize(cfg.size());
  for (uint32_t b = 0; b < cfg.size(); ++b) {
    for (uint32_t i = cfg.blocks[b].first; i < cfg.blocks[b].last; ++i)
      count_into(out.blocks[b], *module.instructions[function.first_instruction + i].opcode);
    for (const analysis::BlockId to : cfg.successors(b)) out.edges.emplace_back(b, to);
  }
  analysis::FeatureExtractor extractor;
  analysis::FeatureRow row = extractor.extract(module, function);
  const auto value = [&](analysis::Feature f) {
    const double v = analysis::at(row, f);
    return std::isfinite(v) ? v : 0;
  };
  const double registers = analysis::estimated_registers(module, function, module.target);
  const double intensity = value(analysis::Feature::kArithmeticIntensity);
  out.kernel = {static_cast<float>(std::clamp(registers / 255, 0.0, 1.0)),
                static_cast<float>(
                    std::clamp(value(analysis::Feature::kStaticShared) / kMostShared, 0.0, 1.0)),
                static_cast<float>(intensity / (1 + intensity)),
                logarithm(value(analysis::Feature::kSyncPoints)),
                logarithm(value(analysis::Feature::kTotalInstructions))};
  return out;
}

}  // namespace pitot::knobs
