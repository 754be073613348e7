// What a host reference sees of a kernel's launch, and where it says what must come out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/spec.h"
#include "ptx/types.h"

namespace pitot::kernels {

// A buffer or an image before the launch: as numbers, and as the bits of its elements.
struct Values {
  ptx::Type type = ptx::Type::kNone;
  std::vector<double> number;
  std::vector<uint64_t> bits;
};

class Call {
 public:
  Call(const device::KernelSpec& spec, const device::Sizes& sizes, uint64_t seed);

  int64_t size(const std::string& name) const { return sizes_.at(name); }
  // A scalar argument, rounded to its type.
  double scalar(const std::string& name) const { return scalars_.at(name); }
  const std::vector<double>& in(const std::string& name) const { return buffers_.at(name).number; }
  const std::vector<uint64_t>& bits(const std::string& name) const {
    return buffers_.at(name).bits;
  }
  const std::map<std::string, Values>& buffers() const { return buffers_; }

  // What must come out: numbers, or exactly these bits. A NaN stands for any value.
  std::map<std::string, std::vector<double>> out;
  std::map<std::string, std::vector<uint64_t>> out_bits;
  // Numbers of this output may be off by this much more than the spec's tolerance.
  std::map<std::string, double> slack;

 private:
  device::Sizes sizes_;
  std::map<std::string, double> scalars_;
  std::map<std::string, Values> buffers_;
};

using Reference = void (*)(Call&);
// By directory below kernels/: "cuda/saxpy". What each file adds.
using References = std::map<std::string, Reference>;
void add_elementwise(References& to);
void add_rows(References& to);
void add_matrices(References& to);
void add_integers(References& to);
void add_images(References& to);
void add_families(References& to);
void add_irregular_families(References& to);
void add_knobs(References& to);
// All of them.
const References& references();

device::KernelSpec read_kernel_spec(const std::string& path);
// Runs a kernel on the emulator at the sizes of the spec; fails the test where results are not what
// the reference says.
void expect_reference(device::KernelSpec spec, const std::string& file, const std::string& entry,
                      Reference reference);

}  // namespace pitot::kernels
