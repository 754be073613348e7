#include "code_cost.h"

#include "support/parallel.h"

namespace pitot::cli {

Result<std::vector<search::CostValue>> CodeCost::evaluate(std::span<const std::string_view> texts) {
  std::vector<search::CostValue> out(texts.size());
  parallel_for(texts.size(), jobs_, [&](size_t i) {
    const AssembledProgram made = ptxas_.assemble(texts[i], false);
    out[i] = {static_cast<double>(made.bytes), 0, made.failure, made.image};
  });
  return out;
}

}  // namespace pitot::cli
