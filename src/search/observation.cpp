// The features, counted in one pass; those of the wide kind from the analyses.
#include "search/observation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/features.h"
#include "analysis/register_estimate.h"
#include "arch/gpu.h"
#include "arch/occupancy.h"
#include "arch/roofline.h"

namespace pitot::search {
namespace {

using analysis::Feature;
using ptx::Mnemonic;
using ptx::Mod;

float log_scaled(double n) { return static_cast<float>(std::log1p(std::max(n, 0.0)) / 8); }
float share(double part, double whole) {
  return whole > 0 ? static_cast<float>(part / whole) : 0.0f;
}

struct InstructionCounts {
  double loads = 0, stores = 0, fma = 0, mul = 0, add = 0, mov = 0, cvt = 0, parameters = 0;
  double prefetches = 0, branches = 0, vector_loads = 0, vector_stores = 0;
  double hinted_loads = 0, hinted_stores = 0, memory = 0, compute = 0;
};

bool is_hinted(const ptx::Opcode& o) {
  for (Mod m : {Mod::kCs, Mod::kCg, Mod::kCa, Mod::kCv, Mod::kWt, Mod::kWb, Mod::kLu})
    if (o.has_mod(m)) return true;
  return false;
}

bool is_compute(ptx::Group g) {
  using ptx::Group;
  return g == Group::kArith || g == Group::kFma || g == Group::kSpecialFunction ||
         g == Group::kLogic || g == Group::kShift || g == Group::kCompare || g == Group::kTensor;
}

void count(const ptx::Opcode& o, InstructionCounts& n) {
  const ptx::Space space = ptx::base_space(o.space);
  const bool global = space == ptx::Space::kGlobal || space == ptx::Space::kNone;
  const bool is_float = ptx::kind_of(o.type) == ptx::TypeKind::kFloat;
  switch (o.mnemonic) {
    case Mnemonic::kLd:
    case Mnemonic::kLdu:
      if (space == ptx::Space::kParam) ++n.parameters;
      if (!global) break;
      ++n.loads;
      n.vector_loads += o.vector > 1;
      n.hinted_loads += is_hinted(o);
      break;
    case Mnemonic::kSt:
      if (!global) break;
      ++n.stores;
      n.vector_stores += o.vector > 1;
      n.hinted_stores += is_hinted(o);
      break;
    case Mnemonic::kFma:
      ++n.fma;
      break;
    case Mnemonic::kMad:
      n.fma += is_float;
      break;
    case Mnemonic::kMul:
      ++n.mul;
      break;
    case Mnemonic::kAdd:
      ++n.add;
      break;
    case Mnemonic::kMov:
      ++n.mov;
      break;
    case Mnemonic::kCvt:
      ++n.cvt;
      break;
    case Mnemonic::kPrefetch:
    case Mnemonic::kPrefetchu:
      ++n.prefetches;
      break;
    case Mnemonic::kBra:
    case Mnemonic::kBrx:
      ++n.branches;
      break;
    default:
      break;
  }
  n.memory += space != ptx::Space::kParam &&
              (o.effects & (ptx::kLoad | ptx::kStore | ptx::kAtomic | ptx::kRed)) != 0;
  n.compute += is_compute(o.group);
}

void published(const ptx::Module& m, const ptx::Function& f, std::span<float> out) {
  InstructionCounts n;
  for (const ptx::Instruction& i : m.body(f)) count(*i.opcode, n);
  double declared = 0;
  for (const auto& d : f.register_declarations) declared += static_cast<double>(d.registers());
  const double all = f.instruction_count;
  size_t k = 0;
  for (double c : {all, n.loads, n.stores, n.fma, n.mul, n.add, n.mov, n.cvt, n.parameters,
                   n.prefetches, n.branches})
    out[k++] = log_scaled(c);
  out[k++] = share(n.vector_loads, n.loads);
  out[k++] = share(n.vector_stores, n.stores);
  out[k++] = share(n.hinted_loads, n.loads);
  out[k++] = share(n.hinted_stores, n.stores);
  out[k++] = log_scaled(declared);
  out[k++] = static_cast<float>(f.bounds.maxnreg.value_or(0)) / 255;
  for (double c : {n.loads, n.stores, n.fma, n.memory, n.compute, n.mov, n.cvt, n.branches})
    out[k++] = share(c, all);
}

double known(double v) { return std::isfinite(v) ? v : 0; }

std::array<double, 2> aligned(transform::Subject& subject) {
  double all = 0, by_8 = 0, by_16 = 0;
  if (subject.too_complex()) return {0, 0};
  for (const analysis::MemoryRequest& a : subject.accesses().accesses) {
    const ptx::Space space =
        ptx::base_space(a.resolved != ptx::Space::kNone ? a.resolved : a.space);
    if (space != ptx::Space::kGlobal && space != ptx::Space::kNone) continue;
    ++all;
    by_8 += a.alignment >= 8;
    by_16 += a.alignment >= 16;
  }
  return {share(by_8, all), share(by_16, all)};
}

// The share of DRAM in the time that a roofline gives the kernel's arithmetic and bytes.
float memory_share(const arch::Gpu* gpu, double operations, double bytes) {
  const auto roof = gpu == nullptr ? std::nullopt : arch::roofline(*gpu, arch::Rate::kFp32);
  if (!roof || operations + bytes <= 0) return 0.5f;
  const double memory = bytes / roof->bandwidth, compute = operations / roof->peak;
  return share(memory, memory + compute);
}

void wide(const ptx::Module& m, const ptx::Function& f, const transform::Assumptions& assumptions,
          std::span<float> out) {
  transform::Subject subject(m, f, assumptions);
  analysis::FeatureRow row = analysis::FeatureExtractor().extract(m, f);
  auto value = [&](Feature c) { return known(analysis::at(row, c)); };
  const auto [by_8, by_16] = aligned(subject);
  const uint32_t registers = analysis::estimated_registers(m, f, m.target);
  const arch::Capability* capability = arch::find_capability(m.target.sm);
  const auto gpu = arch::find_gpu("sm_" + std::to_string(m.target.sm));

  arch::LaunchResources launch;
  launch.threads = 128;
  if (const auto shape = analysis::block_shape_of(f, assumptions.block))
    launch.threads = shape->threads();
  launch.registers_per_thread = registers;
  launch.static_shared = static_cast<uint32_t>(value(Feature::kStaticShared));
  const arch::Occupancy held =
      capability == nullptr ? arch::Occupancy{} : arch::occupancy(*capability, launch);
  const double path = value(Feature::kCriticalPath);
  // Four sub-partitions issue one instruction a cycle each.
  const double issue = value(Feature::kWeightedInstructions) * std::max(held.warps, 1u) / 4;

  size_t k = 0;
  out[k++] = static_cast<float>(by_8);
  out[k++] = static_cast<float>(by_16);
  out[k++] = log_scaled(value(Feature::kRegisterPressure));
  out[k++] = log_scaled(value(Feature::kMeanPressure));
  out[k++] = static_cast<float>(registers) / 255;
  out[k++] = log_scaled(path);
  out[k++] = log_scaled(value(Feature::kIlp));
  out[k++] = static_cast<float>(held.occupancy);
  out[k++] = held.runs() && (held.limits & arch::kLimitRegisters) != 0 ? 1.0f : 0.0f;
  out[k++] =
      memory_share(gpu ? *gpu : nullptr, value(Feature::kWeightedFlops),
                   value(Feature::kWeightedBytesLoaded) + value(Feature::kWeightedBytesStored));
  out[k++] = share(path, path + issue);
}

}  // namespace

std::vector<float> kernel_features(const ptx::Module& module, uint32_t function,
                                   const transform::Assumptions& assumptions, PolicyKind kind) {
  std::vector<float> out(features_of(kind));
  const ptx::Function& f = module.functions[function];
  published(module, f, out);
  if (kind == PolicyKind::kWide)
    wide(module, f, assumptions, std::span(out).subspan(kPublishedFeatures));
  return out;
}

}  // namespace pitot::search
