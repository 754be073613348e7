// Static features of a kernel: one row of numbers in a fixed, versioned column order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/scalar_range.h"
#include "ptx/module.h"

namespace pitot::analysis {

enum class Feature : uint8_t {
#define PITOT_FEATURE(id, name, unit, doc) id,
#include "analysis/feature_list.inc"
#undef PITOT_FEATURE
  kCount,
};
inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::kCount);
// Raised by one whenever the list changes.
inline constexpr int kFeatureSchema = 2;
// What a loop of unknown trip count weighs in the loop-weighted columns.
inline constexpr double kDefaultTrips = 10;
// Sectors of a global access whose lanes are not known: between a contiguous word and one a lane.
inline constexpr double kUnknownSectors = 8;

struct FeatureInfo {
  std::string_view name, unit, doc;
};
std::span<const FeatureInfo> feature_table();  // kFeatureCount rows

using FeatureRow = std::array<double, kFeatureCount>;
inline double& at(FeatureRow& row, Feature f) { return row[static_cast<size_t>(f)]; }

// Counts as the published delta gate defines them, from the kernel's text.
struct CompatCounts {
  uint64_t registers = 0;     // sum of N over `.reg .T %x<N>`
  uint64_t spills = 0;        // ld.local and st.local
  uint64_t local_bytes = 0;   // declared .local sizes
  uint64_t instructions = 0;  // indented lines that begin with a lower-case mnemonic; no guards
  bool operator==(const CompatCounts&) const = default;
};
CompatCounts compat_counts(const ptx::Module& module, const ptx::Function& function);

struct FeatureOptions {
  std::array<uint32_t, 3> default_block{128, 1, 1};  // when the kernel states none
  double default_trips = kDefaultTrips;
};

class FeatureExtractor {
 public:
  explicit FeatureExtractor(FeatureOptions options = {});
  ~FeatureExtractor();
  FeatureExtractor(FeatureExtractor&&) noexcept;

  // Features of one function with a body. Scratch memory is kept between calls. What is not known
  // because the function is too complex (FlowFacts::too_complex) is not a number.
  // `known`: of the launch; trip counts and addresses then are those of it.
  FeatureRow extract(const ptx::Module& module, const ptx::Function& function,
                     const KnownValues& known = {});

 private:
  struct Scratch;
  FeatureOptions options_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace pitot::analysis
