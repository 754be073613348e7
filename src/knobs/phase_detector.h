// The phase detector of spec 4, evaluated without any library: a window of five counters over
// twenty steps → two layers of bidirectional LSTM (Hochreiter and Schmidhuber, 1997; 64 cells a
// direction) → one head for the phase, one for the uncertainty. Both see the last state of either
// direction.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knobs/phase_result.h"
#include "support/result.h"

namespace pitot::knobs {

inline constexpr size_t kCells = 64;  // of a direction
inline constexpr size_t kPhaseHidden = 32, kUncertaintyHidden = 16;
// Rows and columns of the tensors, as PyTorch orders them: of each layer forwards, then backwards,
// weights of the input, of the state (gates i, f, g, o), and a bias with each; then both heads,
// weights and bias a layer.
struct TensorShape {
  size_t rows = 0, columns = 1;
  constexpr size_t size() const { return rows * columns; }
};
inline constexpr size_t kDetectorTensors = 24;
inline constexpr std::array<TensorShape, kDetectorTensors> kDetectorShapes = [] {
  std::array<TensorShape, kDetectorTensors> out{};
  size_t k = 0;
  for (const size_t inputs : {kPhaseCounters, 2 * kCells})
    for (int direction = 0; direction < 2; ++direction) {
      out[k++] = {4 * kCells, inputs};
      out[k++] = {4 * kCells, kCells};
      out[k++] = {4 * kCells};
      out[k++] = {4 * kCells};
    }
  for (const auto& [hidden, outputs] :
       {std::array{kPhaseHidden, kPhases}, std::array{kUncertaintyHidden, size_t{1}}}) {
    out[k++] = {hidden, 2 * kCells};
    out[k++] = {hidden};
    out[k++] = {outputs, hidden};
    out[k++] = {outputs};
  }
  return out;
}();
inline constexpr const char* kDetectorSchema = "pitot.phase-detector/1";

class PhaseDetector {
 public:
  // Errors (kInput): tensors of other sizes, weights that are no finite numbers.
  static Result<PhaseDetector> make(std::vector<std::vector<float>> tensors, std::string origin);
  static constexpr size_t weights() {  // 142,021
    size_t out = 0;
    for (const TensorShape& s : kDetectorShapes) out += s.size();
    return out;
  }
  const std::vector<std::vector<float>>& tensors() const { return tensors_; }
  const std::string& origin() const { return origin_; }  // who made it of what

  PhaseVerdict judge(const PhaseWindow& window) const;

  // A line of text (schema, hash of the content), then the origin and the weights (little endian).
  std::string bytes() const;
  // Errors (kInput): no detector, cut off or changed. `path` is for messages.
  static Result<PhaseDetector> read(std::string_view bytes, const std::string& path);

 private:
  PhaseDetector(std::vector<std::vector<float>> tensors, std::string origin)
      : tensors_(std::move(tensors)), origin_(std::move(origin)) {}
  // One direction over all steps, kCells numbers a step; tensors `first` to first + 3.
  void run(size_t first, bool backwards, std::span<const float> in, size_t inputs,
           std::span<float> out, size_t stride) const;

  std::vector<std::vector<float>> tensors_;
  std::string origin_;
};

}  // namespace pitot::knobs
