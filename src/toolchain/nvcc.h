// nvcc: compiling CUDA sources to PTX, each result remembered on disk as long as the source and the
// headers it read are the same.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "toolchain/cache.h"
#include "toolchain/toolkit.h"

namespace pitot::toolchain {

struct CompileJob {
  std::string source;  // path of the .cu file
  std::string target;  // "sm_90a"
  std::vector<std::string>
      options;  // of nvcc; paths in them are relative to the source's directory
  std::vector<std::pair<std::string, std::string>> defines;  // -DNAME=VALUE
  double time_limit = 600;                                   // seconds; then it is killed
};

struct Compilation {
  bool accepted = false;  // there is PTX; otherwise `output` says why not
  std::string ptx;        // names no directory of this machine: see without_places
  std::string output;     // what nvcc printed
  bool cached = false;    // read from the cache
  double seconds = 0;     // of the run that made it
};

// Compiles one source. One that nvcc refuses is a Compilation that is not `accepted`; Errors are
// kMissing (no nvcc), kInput (unreadable source), kFailed (killed by the time limit or a signal).
// `cache` may be null. Safe to call from several threads with one cache.
Result<Compilation> compile(const Toolkit& toolkit, const CompileJob& job, Cache* cache = nullptr);

// nvcc's PTX without what depends on where it was made, so that the same text has the same hash
// everywhere: directories of `.file` lines (those of `source_directory` become relative, the
// toolkit's /cuda, others are dropped), and the hash of the source's path in names of internal
// linkage, in the text and in debug strings, which becomes zeros.
std::string without_places(std::string_view ptx, const std::string& source_directory,
                           const std::string& toolkit_directory);

}  // namespace pitot::toolchain
