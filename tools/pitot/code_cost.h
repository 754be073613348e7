// A search's cost by ptxas alone: the size of the machine code, and which programs it makes one
// image of.
#pragma once

#include "program_assembler.h"
#include "search/cost.h"

namespace pitot::cli {

class CodeCost : public search::Cost {
 public:
  CodeCost(ProgramAssembler ptxas, unsigned jobs) : ptxas_(std::move(ptxas)), jobs_(jobs) {}
  // Bytes, without noise. What ptxas does not assemble is a failure.
  Result<std::vector<search::CostValue>> evaluate(std::span<const std::string_view> texts) override;

 private:
  ProgramAssembler ptxas_;
  unsigned jobs_ = 0;
};

}  // namespace pitot::cli
