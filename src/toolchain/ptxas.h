// ptxas: assembling PTX for several targets at once, each result remembered on disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa.h"
#include "support/result.h"
#include "toolchain/cache.h"
#include "toolchain/elf.h"
#include "toolchain/ptxas_report.h"
#include "toolchain/toolkit.h"

namespace pitot::toolchain {

struct PtxasOptions {
  std::vector<std::string> extra{};  // further ptxas options, each "-…": "-O2", "--maxrregcount=64"
  double time_limit = 120;           // seconds a run; then it is killed
  bool keep_cubin = false;           // return the machine code itself
  // Assemble as relocatable (-c) when the module calls functions it does not define.
  bool allow_relocatable = true;
};

struct Assembly {
  ptx::Target target;
  bool accepted = false;          // ptxas made code; otherwise report.messages say why not
  PtxasReport report;             // lines count from 1 in the text as given; messages name no file
  std::vector<CodeSection> code;  // machine code per function: its size and hash
  Hash128 image;                  // of accepted ones, what runs: see code_image.h
  std::string cubin;              // with keep_cubin
  bool rewritten = false;         // the text's .target was replaced to get here
  ptx::Target written_for;        // the text's own .target; sm = 0: it has none
  bool relocatable = false;       // -c was needed
  bool cached = false;            // read from the cache
  double seconds = 0;             // of the run that made it
  std::string output;             // what ptxas printed
};

// Assembles one text for one target. Rejected PTX is an Assembly that is not `accepted`; Errors are
// kMissing (this ptxas does not know the target), kFailed (killed by the time limit or a signal),
// kInput (an option that is none). `cache` may be null. Safe to call from several threads with one
// cache.
Result<Assembly> assemble(const Toolkit& toolkit, std::string_view ptx, ptx::Target target,
                          const PtxasOptions& options = {}, Cache* cache = nullptr);

struct AssembleJob {
  std::string_view ptx;
  ptx::Target target;
};

// Runs the jobs on `workers` threads (0: every core); results in the jobs' order.
std::vector<Result<Assembly>> assemble_all(const Toolkit& toolkit,
                                           const std::vector<AssembleJob>& jobs,
                                           const PtxasOptions& options = {}, Cache* cache = nullptr,
                                           unsigned workers = 0);

}  // namespace pitot::toolchain
