// Hardware counters of a launch in plain data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pitot::measure {

struct KernelCounters {
  std::string device, size_text;  // as asked for
  std::string kernel;
  std::string grid, block;  // as ncu prints them: "(132, 1, 1)"
  // By metric, in the order of the report; absent where ncu prints no number.
  std::vector<std::pair<std::string, std::optional<double>>> values;
  std::optional<double> find(std::string_view metric) const;
};

}  // namespace pitot::measure
