#include "learn/advantages.h"

namespace pitot::learn {

std::vector<float> step_advantages(std::span<const float> rewards, std::span<const float> values,
                                   const std::vector<bool>& ended, double gamma, double lambda) {
  std::vector<float> out(rewards.size());
  double behind = 0;
  for (size_t i = rewards.size(); i-- > 0;) {
    const double goes_on = ended[i] ? 0 : 1;
    const double delta =
        double{rewards[i]} + gamma * double{values[i + 1]} * goes_on - double{values[i]};
    behind = delta + gamma * lambda * goes_on * behind;
    out[i] = static_cast<float>(behind);
  }
  return out;
}

}  // namespace pitot::learn
