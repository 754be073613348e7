// A table of numbers, row by row: what models are trained on and asked about. NaN: not known.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace pitot::predict {

inline constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

struct Matrix {
  size_t columns = 0;
  std::vector<float> values;

  size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const float> row(size_t r) const { return {values.data() + r * columns, columns}; }
  void append(std::span<const float> row) { values.insert(values.end(), row.begin(), row.end()); }
};

// XGBoost takes no infinities; what is too large for a float is the largest one.
inline float to_float(double v) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(v > kMost ? kMost : v < -kMost ? -kMost : v);
}

}  // namespace pitot::predict
