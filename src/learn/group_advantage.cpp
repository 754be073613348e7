#include "learn/group_advantage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pitot::learn {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace

std::vector<double> group_advantages(const std::vector<double>& rewards, size_t group) {
  std::vector<double> out;
  for (size_t begin = 0; begin < rewards.size(); begin += group) {
    const auto first = rewards.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = first + static_cast<ptrdiff_t>(std::min(group, rewards.size() - begin));
    const double median = median_of({first, last});
    for (auto r = first; r != last; ++r) out.push_back(*r - median);
  }
  if (out.empty()) return out;
  const double n = static_cast<double>(out.size());
  const double mean = std::accumulate(out.begin(), out.end(), 0.0) / n;
  double squares = 0;
  for (double a : out) squares += (a - mean) * (a - mean);
  const double deviation = std::sqrt(squares / n);
  // Rewards below the dead zone of 0.01 are 0 exactly, so what is this small is rounding.
  for (double& a : out) a = deviation > 1e-9 ? (a - mean) / deviation : 0;
  return out;
}

double EntropyRule::next(double weight, double normalised_entropy) const {
  const double raised = normalised_entropy < floor ? weight * 1.1 : weight / 1.02;
  return std::clamp(raised, least, most);
}

double temperature_of(size_t epoch, size_t epochs, double first, double second) {
  return 2 * epoch < epochs ? first : second;
}

}  // namespace pitot::learn
