// The machine code of a search's programs, by ptxas on all cores.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inspect_kernel.h"

namespace pitot::cli {

struct AssembledProgram {
  std::string image;    // hash of what runs (toolchain/code_image.h), hexadecimal
  std::string failure;  // why there is none
  std::string cubin;    // where it was asked for
  uint64_t bytes = 0;   // of the kernel's machine code
  uint64_t registers = 0;
};

class ProgramAssembler {
 public:
  // `entry`: of the kernel in every text. Errors (kMissing): no ptxas, or it does not know the
  // target.
  static Result<ProgramAssembler> open(std::string entry, ptx::Target target);

  // For several threads at once. Cubins are made anew each time: a disk full of them would be of
  // little use.
  AssembledProgram assemble(std::string_view text, bool cubin) const;
  const std::string& version() const { return ptxas_->toolkit.ptxas.version; }

 private:
  ProgramAssembler(Ptxas ptxas, std::string entry, ptx::Target target)
      : ptxas_(std::make_shared<Ptxas>(std::move(ptxas))),
        entry_(std::move(entry)),
        target_(target) {}

  std::shared_ptr<Ptxas> ptxas_;
  std::string entry_;
  ptx::Target target_;
};

}  // namespace pitot::cli
