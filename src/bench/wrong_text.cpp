#include "bench/wrong_text.h"

#include <fmt/format.h>

namespace pitot::bench {

std::string wrong_text(const ExpectedOutput& o, const OutputJudgement& j) {
  const std::string place = fmt::format("{}[{}]", o.name, j.index);
  const std::string others =
      j.differing > 1 ? fmt::format("; {} elements differ", j.differing) : std::string();
  switch (j.wrong) {
    case Wrong::kUnwritten:
      return fmt::format("{} was not written{}", place, others);
    case Wrong::kNan:
      return fmt::format("{} is NaN, exactly it is {}{}", place, j.expected, others);
    case Wrong::kNotNan:
      return fmt::format("{} is {} where NaN is right{}", place, j.got, others);
    case Wrong::kInfinity:
      return fmt::format("{} is {}, exactly it is {}{}", place, j.got, j.expected, others);
    default:
      return o.exact_bits()
                 ? fmt::format("{} is {} and should be {}{}", place, j.got, j.expected, others)
                 : fmt::format("{} is {:.9g}, exactly it is {:.9g}: off by {:.3g} roundings{}",
                               place, j.got, j.expected, j.units, others);
  }
}

}  // namespace pitot::bench
