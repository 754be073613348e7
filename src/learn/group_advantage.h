// What rewards mean for learning: advantages within a kernel's group, and how much entropy is
// wanted.
#pragma once

#include <cstddef>
#include <vector>

namespace pitot::learn {

// reward - median of its group; then, over all groups of the batch, minus the mean and over the
// standard deviation (of the population). Groups follow one another, `group` rewards each. The
// median of an even number is the mean of the two in the middle. Where nothing differs all are 0.
std::vector<double> group_advantages(const std::vector<double>& rewards, size_t group);

// The weight of the entropy bonus: raised by a tenth after an epoch whose normalised entropy (mean
// over steps with a choice of H / log(number of open outputs)) was below `floor`, else lowered by a
// fiftieth, within [least, most]. A policy that narrows too early is held open, one that explores
// is left alone.
struct EntropyRule {
  double least = 0.01, most = 0.2, floor = 0.3;
  bool operator==(const EntropyRule&) const = default;
  double next(double weight, double normalised_entropy) const;
};

// The temperature of an epoch: the first for the first half of them, then the second.
double temperature_of(size_t epoch, size_t epochs, double first, double second);

}  // namespace pitot::learn
