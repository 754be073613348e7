// What became of a template's variants: the content of a manifest (pitot.variants/1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitot::variants {

struct ParameterResult {
  std::string name;
  std::vector<std::string> values;  // all that the template gives it
  bool numeric = true;              // every one is a whole number
};

// A launch at one size of the spec.
struct LaunchResult {
  std::string size;  // its kind
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint64_t dynamic_shared = 0;  // bytes
};

struct VariantResult {
  std::string name;    // of the parameters' values; the same for every target
  std::string target;  // "sm_90a"
  // ok; refused (by a constraint); failed (to compile); listed (nobody tried).
  std::string status = "listed";
  std::string message;              // the constraint, or what the compiler said
  std::vector<std::string> values;  // one a parameter
  // Of a variant that is ok; files are beside the manifest.
  std::string ptx, spec;
  std::string ptx_hash;  // 32 hexadecimal digits
  std::string entry;     // as the PTX has it
  std::string kernel;    // demangled
  std::vector<LaunchResult> launches;
  std::string launchable;      // yes, no, unsure; empty where there is no launch to judge
  std::string launch_problem;  // why not
  uint64_t static_shared = 0;  // bytes
  uint32_t registers = 0;      // a thread
  bool registers_estimated = false;
  std::optional<uint64_t> spill_bytes;  // stores and loads; only with ptxas
};

struct ManifestResult {
  std::string family;
  std::string source;       // file name
  std::string source_hash;  // of the template's text and the source's
  std::string compiler;     // "nvcc 13.0.88"; "pitot" for PTX
  std::string ptxas;        // "13.0.88"; empty: registers are estimated
  std::string gpu;          // whose limits `launchable` is about; empty: those of each target
  std::vector<std::string> targets, options;
  std::vector<ParameterResult> parameters;
  std::vector<VariantResult> variants;
};

}  // namespace pitot::variants
