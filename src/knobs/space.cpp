#include "knobs/space.h"

#include <algorithm>

namespace pitot::knobs {

size_t Space::size() const {
  size_t out = 1;
  for (const Knob& k : knobs) out *= k.values.size();
  return out;
}

size_t Space::index_of(std::span<const uint32_t> choice) const {
  size_t out = 0;
  for (size_t i = 0; i < knobs.size(); ++i) out = out * knobs[i].values.size() + choice[i];
  return out;
}

Choice Space::choice_of(size_t index) const {
  Choice out(knobs.size());
  for (size_t i = knobs.size(); i-- > 0;) {
    const size_t n = knobs[i].values.size();
    out[i] = static_cast<uint32_t>(index % n);
    index /= n;
  }
  return out;
}

std::vector<int64_t> Space::settings_of(std::span<const uint32_t> choice) const {
  std::vector<int64_t> out;
  for (size_t i = 0; i < knobs.size(); ++i) out.push_back(knobs[i].values[choice[i]]);
  return out;
}

std::optional<Choice> Space::choice_with(std::span<const int64_t> settings) const {
  if (settings.size() != knobs.size()) return std::nullopt;
  Choice out;
  for (size_t i = 0; i < knobs.size(); ++i) {
    const auto& values = knobs[i].values;
    const auto at = std::lower_bound(values.begin(), values.end(), settings[i]);
    if (at == values.end() || *at != settings[i]) return std::nullopt;
    out.push_back(static_cast<uint32_t>(at - values.begin()));
  }
  return out;
}

}  // namespace pitot::knobs
