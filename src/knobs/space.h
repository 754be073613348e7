// The knobs of a kernel and the values each may take; a configuration is one value of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pitot::knobs {

struct Knob {
  std::string name;             // "block_size", "reg_cap", "unroll"
  std::vector<int64_t> values;  // ascending, distinct
  bool operator==(const Knob&) const = default;
};

// One index into its knob's values for each knob.
using Choice = std::vector<uint32_t>;

struct Space {
  std::vector<Knob> knobs;

  // Configurations: the product of the numbers of values.
  size_t size() const;
  // A configuration's number, the last knob counting fastest. The choice must be one of this space.
  size_t index_of(std::span<const uint32_t> choice) const;
  Choice choice_of(size_t index) const;
  std::vector<int64_t> settings_of(std::span<const uint32_t> choice) const;
  // Nothing where a knob does not have the value.
  std::optional<Choice> choice_with(std::span<const int64_t> settings) const;
  bool operator==(const Space&) const = default;
};

}  // namespace pitot::knobs
