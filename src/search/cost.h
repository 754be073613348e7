// What a search asks: how good programs are. Measured, modelled or predicted, it makes no
// difference here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::search {

struct CostValue {
  double cost = 0;      // lower is better; any unit, the same for all
  double noise = 0;     // half width of its interval, in the same unit
  std::string failure;  // why there is no cost: it does not assemble, computes something else, …
  // Hash of the machine code (hexadecimal), where the cost knows it: programs of one image are one
  // to the GPU.
  std::string image = {};
  bool ok() const { return failure.empty(); }
};

// Better beyond noise: the intervals do not touch.
inline bool better(const CostValue& a, const CostValue& b) {
  return a.ok() && b.ok() && a.cost + a.noise < b.cost - b.noise;
}

class Cost {
 public:
  virtual ~Cost() = default;
  // One value a text, in their order; they may be looked at at the same time. A program that is no
  // good is a failure of its own; an error says that nothing can be asked any more, and ends the
  // search.
  virtual Result<std::vector<CostValue>> evaluate(std::span<const std::string_view> texts) = 0;
};

}  // namespace pitot::search
