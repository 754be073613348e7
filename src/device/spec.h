// A kernel spec (*.kernel.toml): which kernel, how it is launched, and on what.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/expression.h"
#include "device/image_spec.h"
#include "device/tensor_map_spec.h"
#include "ptx/types.h"
#include "support/diagnostic.h"
#include "support/result.h"
#include "support/source.h"

namespace pitot::device {

enum class Role : uint8_t { kIn, kOut, kInOut };

struct ArgumentSpec {
  std::string name;
  bool is_buffer = false;
  ptx::Type type = ptx::Type::kNone;  // of an element, or of the scalar
  std::string count;                  // buffer: elements
  std::string init = "normal";  // buffer: normal, uniform(a, b), zero, bits, iota(step), poison,
                                // sample(seed, pattern, special), permutation(n), cycle(n),
                                // csr_offsets(mean, skew): see values.h; expressions of sizes
  std::string origin = "0";     // buffer: the element that the pointer points to
  Role role = Role::kIn;
  uint32_t align = 256;
  std::string value;               // scalar
  std::optional<ImageSpec> image;  // texture, surface or sampler; its role and initial values too
  // A tensor map. With memory of its own it is a buffer too, as long as the tensor.
  std::optional<TensorMapSpec> map;
  uint32_t line = 0;  // of its table in the spec; 0: it was not read from one
};

struct SizeSpec {
  std::string kind;  // "full" or "boundary"
  Sizes values;
};

struct OracleSpec {
  std::string ptx, entry;
};

struct KernelSpec {
  std::string path;  // of the spec; relative names in it are beside it
  std::string ptx, entry;
  std::array<std::string, 3> grid{"1", "1", "1"}, block{"1", "1", "1"}, cluster{"1", "1", "1"};
  std::string shared = "0";  // dynamic shared memory, bytes; of several targets' the most
  std::map<std::string, std::string> shared_of;  // the same by target ("sm_90a"), where it differs
  bool cooperative = false;
  uint32_t grid_line = 0, block_line = 0, cluster_line = 0, shared_line = 0;
  std::vector<SizeSpec> sizes;
  std::vector<ArgumentSpec> arguments;
  std::vector<ArgumentSpec> references;  // of the module, by name: textures, surfaces, samplers
  double rtol = 0, atol = 0;
  bool has_tolerance = false;  // it was written
  std::optional<OracleSpec> oracle;

  std::string beside(const std::string& name) const;  // a file next to the spec
  // An error at a line of the spec, as "path:line: message"; the message alone for line 0.
  Error error_at(uint32_t line, const std::string& message) const;
};

// The keys that say how and on what to launch ([launch], [[sizes]], [[args]], …): all but schema,
// ptx and entry. Templates of specs have them too.
void read_spec_body(TomlContext& context, TomlTable& table, KernelSpec& out);

// Reads a spec; complaints are located. The spec is meaningless when there were errors.
KernelSpec read_spec(const SourceText& source, Diagnostics& out);

}  // namespace pitot::device
