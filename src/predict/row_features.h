// One row of features: a kernel in one launch on one GPU, with or without executing it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "device/spec.h"
#include "emulator/launch.h"
#include "predict/feature_set.h"
#include "toolchain/ptxas_report.h"

namespace pitot::predict {

// Values by column; what is not known is not a number and has a reason.
struct FeatureRow {
  std::vector<double> values;  // kColumnCount
  struct Missing {
    size_t column;
    std::string reason;
  };
  std::vector<Missing> missing;    // by column, ascending
  std::vector<std::string> notes;  // what was guessed or given up: inferred arguments, a budget

  FeatureRow();  // all missing
  template <class C>
  double operator[](C column) const {
    return values[index_of(column)];
  }
  template <class C>
  void set(C column, double value) {
    values[index_of(column)] = value;
  }
  // Why a column is not a number; empty when it is one.
  std::string_view reason(size_t column) const;
};

// A launch without a kernel spec: the arguments are inferred. `size` is what the problem's size is
// called by: integers that bound loops and threads are made of it.
struct BareLaunch {
  emulator::Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  uint64_t size = 0;            // 0: not known
};

struct RowRequest {
  std::shared_ptr<const ptx::Module> module;  // without errors
  uint32_t kernel = 0;                        // index of the function
  const arch::Gpu* gpu = nullptr;             // null: profile::default_gpu() of the target
  // The launch: a spec at one size, or a bare one.
  const device::KernelSpec* spec = nullptr;
  const device::SizeSpec* size = nullptr;
  const BareLaunch* bare = nullptr;
  const toolchain::PtxasFunction* ptxas = nullptr;  // null: not known
  uint64_t code_bytes = 0;                          // of the machine code; 0: not known
};

struct RowOptions {
  bool emulate = true;  // else registers are estimated roughly, since it is to be quick
  uint64_t enough =
      400'000;  // warp instructions: more blocks run, up to most_blocks, until so many
  uint64_t most_blocks = 64;
  uint64_t enough_unlike = 2'000'000;  // the same where blocks do unlike amounts of work
  uint64_t most_unlike_blocks = 2048;
  uint64_t blocks = 4;          // about so many are executed
  bool warm = true;             // the launch is one of many: what fits into L2 is there
  bool sample_loops = true;     // of long loops, some trips stand for the others
  uint64_t budget = 2'000'000;  // warp instructions of the sample; more is given up
  unsigned workers = 1;         // blocks at a time
  uint64_t seed = 1;            // of the buffers' values
};

// Keeps scratch memory between rows; one a thread.
class RowExtractor {
 public:
  explicit RowExtractor(RowOptions options = {});
  ~RowExtractor();
  RowExtractor(RowExtractor&&) noexcept;

  // Errors: no such GPU, a spec whose expressions do not evaluate, a launch that no GPU takes. A
  // kernel that cannot be executed is no error: its emulated columns are missing.
  Result<FeatureRow> row(const RowRequest& request);

 private:
  struct Scratch;
  RowOptions options_;
  std::unique_ptr<Scratch> scratch_;
};

// CSV: a header line of `leading` names and the columns' names; a line of leading fields and the
// values, "nan" for what is missing. The order is that of feature_columns().
std::string feature_csv_header(std::span<const std::string> leading);
std::string feature_csv_line(std::span<const std::string> leading, const FeatureRow& row);

}  // namespace pitot::predict
