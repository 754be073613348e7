// Is a kernel like those that a model learned from? By the range of each input and by the distance
// to the nearest family: Mahalanobis' with a diagonal covariance.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "predict/matrix.h"

namespace pitot::predict {

struct FamilyShape {
  std::string family;
  std::vector<float> mean, deviation;  // by input; deviations are not below a floor
};

struct Likeness {
  std::string nearest;  // family; empty if there is none
  double distance = 0;  // root mean square of deviations from its mean, in its deviations
  double outside = 0;   // share of the inputs that lie beyond every value learned from
  bool ood = false;     // one of the two is above its threshold
};

class TrainingSpace {
 public:
  // `families` has the family of each row. Deviations are not below `floor` of the deviation over
  // all rows: what is constant in a family may be a little different in one like it.
  static TrainingSpace fit(const Matrix& rows, std::span<const std::string> families,
                           double floor = 0.1);

  // Distance and share alone; `ood` by the thresholds.
  Likeness likeness(std::span<const float> row) const;

  // Sets the thresholds so that `share` of these, of rows like those learned from that were not
  // among them, are inside by each.
  void set_thresholds(std::span<const Likeness> like, double share);

  std::vector<FamilyShape> families;
  std::vector<float> least, most, scale;  // by input
  double most_distance = std::numeric_limits<double>::infinity(), most_outside = 1;
};

}  // namespace pitot::predict
