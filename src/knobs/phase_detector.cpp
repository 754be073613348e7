// See phase_detector.h.
#include "knobs/phase_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/archive.h"
#include "support/hash.h"

namespace pitot::knobs {
namespace {

static_assert(std::endian::native == std::endian::little);

struct DetectorContent {
  std::string origin;
  std::vector<std::vector<float>> tensors;
};
template <class A>
void fields(A& a, DetectorContent& c) {
  a(c.origin, c.tensors);
}

float logistic(float v) { return 1 / (1 + std::exp(-v)); }

// out = weight · in + bias.
void dense(std::span<const float> weight, std::span<const float> bias, std::span<const float> in,
           std::span<float> out) {
  for (size_t o = 0; o < out.size(); ++o) {
    float sum = bias[o];
    const float* w = weight.data() + o * in.size();
    for (size_t i = 0; i < in.size(); ++i) sum += w[i] * in[i];
    out[o] = sum;
  }
}

}  // namespace

Result<PhaseDetector> PhaseDetector::make(std::vector<std::vector<float>> tensors,
                                          std::string origin) {
  if (tensors.size() != kDetectorTensors)
    return input_error(
        fmt::format("a phase detector has {} tensors, not {}", kDetectorTensors, tensors.size()));
  for (size_t k = 0; k < kDetectorTensors; ++k) {
    if (tensors[k].size() != kDetectorShapes[k].size())
      return input_error(fmt::format("tensor {} has {} weights, not {}", k + 1, tensors[k].size(),
                                     kDetectorShapes[k].size()));
    if (!std::all_of(tensors[k].begin(), tensors[k].end(),
                     [](float v) { return std::isfinite(v); }))
      return input_error(fmt::format("tensor {} has a weight that is no finite number", k + 1));
  }
  return PhaseDetector(std::move(tensors), std::move(origin));
}

void PhaseDetector::run(size_t first, bool backwards, std::span<const float> in, size_t inputs,
                        std::span<float> out, size_t stride) const {
  std::array<float, kCells> state{}, cell{};
  std::array<float, 4 * kCells> from_input{}, from_state{};
  for (size_t k = 0; k < kPhaseSteps; ++k) {
    const size_t t = backwards ? kPhaseSteps - 1 - k : k;
    dense(tensors_[first], tensors_[first + 2], in.subspan(t * inputs, inputs), from_input);
    dense(tensors_[first + 1], tensors_[first + 3], state, from_state);
    for (size_t c = 0; c < kCells; ++c) {
      const auto gate = [&](size_t g) {
        return from_input[g * kCells + c] + from_state[g * kCells + c];
      };
      cell[c] = logistic(gate(1)) * cell[c] + logistic(gate(0)) * std::tanh(gate(2));
      state[c] = logistic(gate(3)) * std::tanh(cell[c]);
    }
    std::copy(state.begin(), state.end(), out.begin() + static_cast<ptrdiff_t>(t * stride));
  }
}

PhaseVerdict PhaseDetector::judge(const PhaseWindow& window) const {
  constexpr size_t kBoth = 2 * kCells;
  std::vector<float> in(window.seen.begin(), window.seen.end()), out(kPhaseSteps * kBoth);
  for (size_t layer = 0; layer < 2; ++layer) {
    const size_t inputs = layer == 0 ? kPhaseCounters : kBoth;
    run(8 * layer, false, in, inputs, out, kBoth);
    run(8 * layer + 4, true, in, inputs, std::span(out).subspan(kCells), kBoth);
    in = out;
  }
  std::array<float, kBoth> last{};
  std::copy_n(out.end() - kBoth, kCells, last.begin());
  std::copy_n(out.begin() + kCells, kCells, last.begin() + kCells);
  const auto head = [&](size_t first, std::span<float> hidden, std::span<float> to) {
    dense(tensors_[first], tensors_[first + 1], last, hidden);
    for (float& v : hidden) v = std::max(v, 0.0F);
    dense(tensors_[first + 2], tensors_[first + 3], hidden, to);
  };
  PhaseVerdict verdict;
  std::array<float, kPhaseHidden> phase{};
  std::array<float, kUncertaintyHidden> doubt{};
  std::array<float, 1> uncertainty{};
  head(16, phase, verdict.probability);
  head(20, doubt, uncertainty);
  const float top = *std::max_element(verdict.probability.begin(), verdict.probability.end());
  float sum = 0;
  for (float& p : verdict.probability) sum += p = std::exp(p - top);
  for (float& p : verdict.probability) p /= sum;
  verdict.uncertainty = logistic(uncertainty[0]);
  return verdict;
}

std::string PhaseDetector::bytes() const {
  DetectorContent content{origin_, tensors_};
  const std::string packed = to_bytes(content);
  return fmt::format("{} {}\n", kDetectorSchema, hash_bytes(packed).hex()) + packed;
}

Result<PhaseDetector> PhaseDetector::read(std::string_view bytes, const std::string& path) {
  const size_t line = bytes.find('\n');
  const std::string begin = std::string(kDetectorSchema) + " ";
  if (line == bytes.npos || !bytes.starts_with(begin))
    return input_error(fmt::format("{}: not a phase detector ({})", path, kDetectorSchema));
  const std::string_view packed = bytes.substr(line + 1);
  DetectorContent content;
  if (bytes.substr(begin.size(), line - begin.size()) != hash_bytes(packed).hex() ||
      !from_bytes(packed, content))
    return input_error(path + ": the detector is cut off or was changed");
  auto out = make(std::move(content.tensors), std::move(content.origin));
  if (!out) return input_error(path + ": " + out.error().message);
  return out;
}

}  // namespace pitot::knobs
