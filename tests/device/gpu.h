// Generated programs on a GPU, by the driver of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "case.h"
#include "support/result.h"

namespace pitot::conformance {

class Gpu {
 public:
  virtual ~Gpu() = default;
  // The output buffer. After a fault of the program no more can run in this process.
  virtual Result<std::vector<uint8_t>> run(const Case& c) = 0;
};

// Error kMissing without a driver or a GPU; it says which.
Result<std::unique_ptr<Gpu>> open_gpu();
// The name and driver of the GPU, looked up in a process of its own: a process that has used the
// driver cannot be forked.
Result<std::string> probe_gpu();

}  // namespace pitot::conformance
