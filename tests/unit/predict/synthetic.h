// Synthetic data sets whose times are known functions of their features: for tests only.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "predict/analytic.h"
#include "predict/dataset.h"
#include "predict/feature_set.h"

namespace pitot::predict::test {

struct SyntheticOptions {
  unsigned families = 4, variants = 40, sizes = 2;
  double noise = 0.01;  // of log time
  double hidden = 0.3;  // what the analytic score does not see: occupancy's effect on log time
  uint64_t seed = 1;
  std::string target = "sm_90", gpu = "NVIDIA H200",
              compiler = "NVIDIA NVVM Compiler 13.0, V13.0.88";
};

// Bottlenecks, occupancies and loop counts are drawn a variant; a family has its own mix of them.
// log time = log analytic score + hidden · (1 − occupancy) + a family's constant + noise.
inline Dataset synthetic(const SyntheticOptions& o = {}) {
  using analysis::Feature;
  Dataset data;
  for (const FeatureColumn& c : feature_columns()) data.columns.emplace_back(c.name);
  std::mt19937_64 random(o.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (unsigned f = 0; f < o.families; ++f) {
    const double issue_share = 0.2 + 0.6 * uniform(random), constant = 0.3 * normal(random);
    for (unsigned v = 0; v < o.variants; ++v) {
      const double occupancy = std::floor(1 + 8 * uniform(random)) / 8,
                   work = std::exp(0.5 * normal(random)),
                   conflicts = std::exp(0.3 * normal(random));
      const double instructions = std::floor(50 + 400 * uniform(random));
      for (unsigned s = 0; s < o.sizes; ++s) {
        std::vector<double> row(kColumnCount, std::nan(""));
        const auto set = [&](auto column, double value) { row[index_of(column)] = value; };
        for (size_t c = 0; c < analysis::kFeatureCount; ++c) row[c] = 0;
        const double scale = 1e4 * std::pow(16.0, s) * work;
        set(Feature::kTotalInstructions, instructions);
        set(Feature::kMemoryOps, 5 + f);
        set(Feature::kWeightedInstructions, instructions * work);
        set(Feature::kRegisterPressure, 64 / occupancy);
        set(Column::kLaunchAllThreads, 1e5 * std::pow(16.0, s));
        set(Column::kLaunchThreads, 256);
        set(Column::kOccupancy, occupancy);
        set(Column::kWaves, 3 * std::pow(16.0, s));
        set(Column::kGpuBoostMhz, 1980);
        set(Column::kGpuLaunchCycles, 4000);
        for (size_t c = index_of(Column::kEmuCyclesIssue); c <= index_of(Column::kEmuEstimate); ++c)
          row[c] = 0;
        set(Column::kEmuWarpInstructions, scale * 100);
        set(Column::kEmuCyclesIssue, scale * issue_share);
        set(Column::kEmuCyclesLsu, scale * (1 - issue_share) * conflicts);
        set(Column::kEmuEstimate, scale);
        DataRow r;
        r.family = fmt::format("family{}", f);
        r.variant = fmt::format("v{:03}", v);
        r.size = s == 0 ? "small" : fmt::format("large{}", s);
        r.target = o.target;
        r.gpu = o.gpu;
        r.compiler = o.compiler;
        r.protocol = "synthetic";
        r.status = "ok";
        r.median_us = analytic_score(row)->us *
                      std::exp(o.hidden * (1 - occupancy) + constant + o.noise * normal(random));
        r.lo_us = r.median_us * 0.998;
        r.hi_us = r.median_us * 1.002;
        r.noise = 0.002;
        r.others["power_w"] = 300 + 200 * occupancy;
        data.features.insert(data.features.end(), row.begin(), row.end());
        data.rows.push_back(std::move(r));
      }
    }
  }
  data.content = hash_bytes("synthetic", o.seed);
  return data;
}

// The two files of a family.
struct CsvPair {
  std::string rows, features;
};
inline CsvPair csv_of(const Dataset& data, const std::string& family) {
  CsvPair out{
      "family,variant,size,p_V,ptx_hash,target,compiler,grid_x,grid_y,grid_z,block_x,block_y,"
      "block_z,dynamic_shared,status,median_us,ci_lo_us,ci_hi_us,samples,noise,gpu,driver,"
      "sm_mhz,protocol,tool,power_w\n",
      "family,variant,size"};
  for (const std::string& c : data.columns) out.features += "," + c;
  out.features += "\n";
  for (size_t i = 0; i < data.rows.size(); ++i) {
    const DataRow& r = data.rows[i];
    if (r.family != family) continue;
    out.rows += fmt::format(
        "{},{},{},{},00,{},\"{}\",64,1,1,256,1,1,0,{},{},{},{},20,{},{},580.1,1980,{},pitot "
        "0.1.0,{}\n",
        r.family, r.variant, r.size, r.parameters.contains("V") ? r.parameters.at("V") : "7",
        r.target, r.compiler, r.status, r.median_us, r.lo_us, r.hi_us, r.noise, r.gpu, r.protocol,
        r.others.at("power_w"));
    out.features += fmt::format("{},{},{}", r.family, r.variant, r.size);
    for (double v : data.feature_row(i)) out.features += fmt::format(",{}", v);
    out.features += "\n";
  }
  return out;
}

}  // namespace pitot::predict::test
