#include "emulator/texture_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/lanes.h"

namespace pitot::emulator {
namespace {

// Bits of a normalized coordinate behind the point.
int normalized_bits(const Image& m) {
  const uint32_t most = std::max(m.width, m.height);
  return most <= 8192 ? 21 : most <= 65536 ? 22 : 23;
}

// Seen on volumes up to here; beyond, all three coordinates have other bits.
constexpr uint32_t kMostVolume = 8192, kMostDepth = 2048;

constexpr int64_t kFraction = 256;

struct Position {
  int64_t index = 0;      // of the texel, or of the lower one
  uint32_t fraction = 0;  // of 256, toward the next
};

// `normalized`: the bits of a normalized coordinate; 0: it counts texels.
Position position_of(float given, uint32_t size, int normalized, bool linear) {
  double x = std::fabs(given) < 0x1p-126f || std::isnan(given) ? 0.0 : static_cast<double>(given);
  // All floats beyond are even numbers.
  x = std::clamp(x, -0x1p24, 0x1p24);
  const int bits = normalized != 0 ? normalized : 24;
  const auto cut = static_cast<int64_t>(std::floor(std::ldexp(x, bits)));
  const Int128 at = normalized != 0 ? Int128{cut} * size : Int128{cut};
  if (!linear) return {static_cast<int64_t>(at >> bits), 0};
  // To the nearest 1/256, then from the texel's middle.
  const auto fixed =
      static_cast<int64_t>((at + (Int128{1} << (bits - 9))) >> (bits - 8)) - kFraction / 2;
  return {fixed >> 8, static_cast<uint32_t>(fixed & (kFraction - 1))};
}

// From 0 to 1.
Position position_on_face(double at, uint32_t size, bool linear) {
  const double x = at * size;
  if (!linear) return {static_cast<int64_t>(std::floor(x)), 0};
  const auto fixed = static_cast<int64_t>(std::floor(x * 256 + 0.5)) - kFraction / 2;
  return {fixed >> 8, static_cast<uint32_t>(fixed & (kFraction - 1))};
}

// The texel of an index, or −1 for the border.
int64_t addressed(AddressMode mode, int64_t i, int64_t n) {
  switch (mode) {
    case AddressMode::kWrap:
      return ((i % n) + n) % n;
    case AddressMode::kMirror: {
      const int64_t k = ((i % (2 * n)) + 2 * n) % (2 * n);
      return k < n ? k : 2 * n - 1 - k;
    }
    case AddressMode::kClamp:
      return std::clamp<int64_t>(i, 0, n - 1);
    case AddressMode::kBorder:
      return i < 0 || i >= n ? -1 : i;
  }
  return -1;
}

unsigned dimensions_of(ImageShape s) {
  using enum ImageShape;
  if (s == kLinear || s == k1d || s == k1dLayered) return 1;
  return s == k3d ? 3 : 2;
}

uint32_t extent(const Image& m, uint32_t level, unsigned d) {
  return d == 0 ? m.width_at(level) : d == 1 ? m.height_at(level) : m.depth_at(level);
}

// Splits a weight in two by a fraction.
struct Split {
  uint32_t low, high;
};
Split split_up(uint32_t w, uint32_t fraction) {
  const uint32_t high = (w * fraction + 128) / 256;
  return {w - high, high};
}
Split split_down(uint32_t w, uint32_t fraction) {
  const uint32_t high = (w * fraction + 127) / 256;
  return {w - high, high};
}

class Sampling {
 public:
  Sampling(const Image& m, const Sampler& s, const Lookup& l) : m_(m), s_(s), l_(l) {}

  Taps run() {
    if (l_.whole) return whole();
    if (!layer()) return std::move(out_);
    uint32_t level = 0, next = 0, between = 0;
    levels(level, next, between);
    const Split w{256 - between, between};
    out_.filtered = s_.filter == FilterMode::kLinear || between != 0;
    if (w.low != 0) plane(level, w.low);
    second_level_ = true;
    if (w.high != 0) plane(next, w.high);
    return std::move(out_);
  }

  // Counter-clockwise from the lower left: (0,1), (1,1), (1,0), (0,0).
  Taps gather() {
    if (!layer()) return std::move(out_);
    const Position x = placed(0, 0, true), y = placed(1, 0, true);
    constexpr int kSteps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (const auto& step : kSteps) tap(0, {x.index + step[0], y.index + step[1], 0}, 256);
    return std::move(out_);
  }

 private:
  // Whole numbers name texels; outside there is nothing but zeros, whatever the address mode. With
  // a level they are clamped instead.
  Taps whole() {
    const auto level = static_cast<uint32_t>(std::max(l_.whole_level, 0));
    if (l_.whole_level < 0 || level >= m_.levels || l_.layer >= m_.layers ||
        l_.sample >= m_.samples) {
      out_.zero = true;
      return std::move(out_);
    }
    std::array<int64_t, 3> i{};
    for (unsigned d = 0; d < dimensions_of(m_.shape); ++d) {
      i[d] = int64_t{l_.whole_at[d]} + l_.offset[d];
      const int64_t last = int64_t{extent(m_, level, d)} - 1;
      if (i[d] >= 0 && i[d] <= last) continue;
      if (!l_.has_level) {
        out_.zero = true;
      } else if (s_.address[d] == AddressMode::kClamp) {
        i[d] = std::clamp<int64_t>(i[d], 0, last);
      } else {
        out_.uncovered = "integer coordinates outside of a level";
        return std::move(out_);
      }
    }
    if (out_.zero) return std::move(out_);
    Tap& t = out_.taps[out_.count++];
    t = {level,
         l_.layer,
         static_cast<uint32_t>(i[0]),
         static_cast<uint32_t>(i[1]),
         static_cast<uint32_t>(i[2]),
         256,
         false};
    return std::move(out_);
  }

  bool layer() {
    at_ = l_.at;
    layer_ = std::min(l_.layer, m_.layers - 1);
    if (s_.normalized && m_.shape == ImageShape::k3d &&
        (std::max(m_.width, m_.height) > kMostVolume || m_.depth > kMostDepth)) {
      out_.uncovered = "normalized coordinates into a volume of more than 8192 × 8192 × 2048";
      return false;
    }
    if (m_.shape != ImageShape::kCube && m_.shape != ImageShape::kCubeLayered) return true;
    return face();
  }

  // The face that a direction points to, and where on it (CUDA C++ Programming Guide, "Cubemap
  // Textures"). Of equal magnitudes z goes before y before x.
  bool face() {
    const auto x = static_cast<double>(at_[0]), y = static_cast<double>(at_[1]),
               z = static_cast<double>(at_[2]);
    const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    const double most = std::max({ax, ay, az});
    if (!std::isfinite(ax + ay + az) || most < 0x1p-126) {
      out_.uncovered = "a direction into a cube that is zero or not finite";
      return false;
    }
    double s, t;
    uint32_t number;
    if (az == most) {
      number = z > 0 ? 4 : 5;
      s = z > 0 ? x : -x;
      t = -y;
    } else if (ay == most) {
      number = y > 0 ? 2 : 3;
      s = x;
      t = y > 0 ? z : -z;
    } else {
      number = x > 0 ? 0 : 1;
      s = x > 0 ? -z : z;
      t = -y;
    }
    layer_ = std::min(l_.layer, m_.layers / 6 - 1) * 6 + number;
    on_face_ = {(s / most + 1) / 2, (t / most + 1) / 2};
    on_a_face_ = true;
    return true;
  }

  void levels(uint32_t& level, uint32_t& next, uint32_t& between) {
    if (m_.levels == 1) return;
    const double most = static_cast<double>(m_.levels - 1);
    // In steps of 1/256, each cut off.
    auto cut = [](float level) {
      const double x = std::isnan(level) ? 0.0 : static_cast<double>(level);
      return std::trunc(std::clamp(x, -1e6, 1e6) * 256) / 256;
    };
    const double v = std::clamp(
        std::clamp(cut(l_.level) + cut(s_.level_bias), cut(s_.least_level), cut(s_.most_level)),
        0.0, most);
    if (s_.level_filter == FilterMode::kPoint) {
      level = static_cast<uint32_t>(std::floor(v + 0.5));
      return;
    }
    const auto fixed = static_cast<uint32_t>(std::floor(v * 256));
    level = fixed >> 8;
    between = fixed & 255;
    next = std::min(level + 1, m_.levels - 1);
  }

  // Only normalized coordinates wrap and are mirrored.
  AddressMode mode_of(unsigned d) const {
    const AddressMode mode = s_.address[d];
    return s_.normalized || on_a_face_ || mode == AddressMode::kBorder ? mode : AddressMode::kClamp;
  }

  Position placed(unsigned d, uint32_t level, bool linear) const {
    Position p = on_a_face_ ? position_on_face(on_face_[d], extent(m_, level, d), linear)
                            : position_of(at_[d], extent(m_, level, d),
                                          s_.normalized ? normalized_bits(m_) : 0, linear);
    p.index += l_.offset[d];
    return p;
  }

  Position at(unsigned d, uint32_t level, bool linear) const {
    Position p = placed(d, level, linear);
    // Clamped before it is split into texel and weight.
    const int64_t last = int64_t{extent(m_, level, d)} - 1;
    if (mode_of(d) == AddressMode::kClamp && (p.index < 0 || p.index >= last))
      p = {std::clamp<int64_t>(p.index, 0, last), 0};
    return p;
  }

  void plane(uint32_t level, uint32_t weight) {
    const unsigned n = dimensions_of(m_.shape);
    const bool linear = s_.filter == FilterMode::kLinear;
    std::array<Position, 3> p;
    for (unsigned d = 0; d < n; ++d) p[d] = at(d, level, linear);
    const Split z = split_up(weight, p[2].fraction);
    auto steps = [&](unsigned d) { return p[d].fraction != 0 ? 2u : 1u; };
    for (unsigned k = 0; k < steps(2); ++k) {
      const uint32_t wz = k == 0 ? z.low : z.high;
      second_ = k != 0 || second_level_;
      const Split x = split_up(wz, p[0].fraction);
      const Split y0 = split_down(x.low, p[1].fraction), y1 = split_up(x.high, p[1].fraction);
      const uint32_t w[2][2] = {{y0.low, y1.low}, {y0.high, y1.high}};
      for (unsigned j = 0; j < steps(1); ++j)
        for (unsigned i = 0; i < steps(0); ++i)
          tap(level, {p[0].index + i, p[1].index + j, p[2].index + k}, w[j][i]);
    }
  }

  void tap(uint32_t level, const std::array<int64_t, 3>& index, uint32_t weight) {
    Tap& t = out_.taps[out_.count++];
    t = {};
    t.level = level;
    t.layer = layer_;
    t.weight = weight;
    t.second = second_;
    std::array<uint32_t, 3> to{};
    for (unsigned d = 0; d < dimensions_of(m_.shape); ++d) {
      const int64_t i = addressed(mode_of(d), index[d], extent(m_, level, d));
      if (i < 0) t.border = true;
      to[d] = static_cast<uint32_t>(i < 0 ? 0 : i);
    }
    t.x = to[0];
    t.y = to[1];
    t.z = to[2];
  }

  const Image& m_;
  const Sampler& s_;
  const Lookup& l_;
  std::array<float, 3> at_{};
  uint32_t layer_ = 0;
  std::array<double, 2> on_face_{};
  bool on_a_face_ = false;
  bool second_ = false, second_level_ = false;
  Taps out_;
};

// Floats of so many bits, of which the least has the value 2^least.
struct Precision {
  int bits, least;
};
constexpr Precision kSingle{24, -149}, kHalf{11, -24};

// As IEEE 754 has it: infinities of both signs make a NaN.
uint32_t not_finite(std::span<const uint32_t> values, Precision p) {
  float sum = 0;
  for (const uint32_t v : values)
    if (const float t = std::bit_cast<float>(v); !std::isfinite(t)) sum += t;
  return std::isnan(sum) ? 0x7fffffff & ~((1u << (24 - p.bits)) - 1) : std::bit_cast<uint32_t>(sum);
}

constexpr int kMore = 4;  // bits kept beyond the largest one's

// Four texels, those of a slice or of a level, in units of 2^(top − bits − 4) / 256.
struct QuadSum {
  int64_t sum = 0;
  int top = 0;  // no texel with a weight is 2^top or more
};

QuadSum quad_sum(std::span<const uint32_t> values, std::span<const Tap> taps, Precision p) {
  const float smallest = std::ldexp(1.0f, p.least + p.bits - 1);  // that is no denormal
  QuadSum out;
  out.top = p.least + p.bits;
  auto counts = [&](size_t i) {
    return taps[i].weight != 0 && std::fabs(std::bit_cast<float>(values[i])) >= smallest;
  };
  for (size_t i = 0; i < values.size(); ++i)
    if (counts(i)) out.top = std::max(out.top, std::ilogb(std::bit_cast<float>(values[i])) + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!counts(i)) continue;
    const double t = static_cast<double>(std::bit_cast<float>(values[i]));
    out.sum += static_cast<int64_t>(std::ldexp(t, p.bits + kMore - out.top)) *
               static_cast<int64_t>(taps[i].weight);
  }
  return out;
}

uint32_t filter_floats(std::span<const uint32_t> values, std::span<const Tap> taps, Precision p) {
  bool all_negative = true;
  for (const uint32_t v : values) {
    if (!std::isfinite(std::bit_cast<float>(v))) return not_finite(values, p);
    all_negative &= std::signbit(std::bit_cast<float>(v));
  }
  size_t half = 1;
  while (half < values.size() && taps[half].second == taps[0].second) ++half;
  QuadSum a = quad_sum(values.first(half), taps.first(half), p);
  if (half < values.size()) {
    QuadSum b = quad_sum(values.subspan(half), taps.subspan(half), p);
    const int top = std::max(a.top, b.top);
    a.sum = (a.sum >> std::min(top - a.top, 62)) + (b.sum >> std::min(top - b.top, 62));
    a.top = top;
  }
  // To the nearest, halves away from zero.
  uint64_t m = static_cast<uint64_t>(a.sum < 0 ? -a.sum : a.sum);
  const int scale = a.top - p.bits - kMore - 8, width = static_cast<int>(std::bit_width(m));
  const int shift = std::max({width - p.bits, p.least - scale, 0});
  if (shift > 0) m = shift > 60 ? 0 : (m + (uint64_t{1} << (shift - 1))) >> shift;
  if (m == 0) return all_negative ? 0x80000000 : 0;
  const double r = std::ldexp(static_cast<double>(m), scale + shift);
  return std::bit_cast<uint32_t>(static_cast<float>(a.sum < 0 ? -r : r));
}

}  // namespace

Taps sample_taps(const Image& image, const Sampler& sampler, const Lookup& lookup) {
  return Sampling(image, sampler, lookup).run();
}

Taps gather_taps(const Image& image, const Sampler& sampler, const Lookup& lookup) {
  return Sampling(image, sampler, lookup).gather();
}

uint32_t filter_channel(const TexelFormat& f, std::span<const uint32_t> raw,
                        std::span<const Tap> taps) {
  if (f.kind == ChannelKind::kFloat && f.bits == 32) return filter_floats(raw, taps, kSingle);
  if (f.kind == ChannelKind::kFloat) {
    std::array<uint32_t, 16> wide{};
    for (size_t i = 0; i < raw.size(); ++i) wide[i] = decode_channel(f, raw[i]);
    return filter_floats(std::span(wide).first(raw.size()), taps, kHalf);
  }
  // Sixteen bits, whatever the channel has.
  int64_t sum = 0;
  for (size_t i = 0; i < raw.size(); ++i)
    sum += int64_t{static_cast<int32_t>(f.bits == 8 ? raw[i] * 257 : raw[i])} * taps[i].weight;
  const auto wide = static_cast<uint32_t>(static_cast<int32_t>((sum + 128) >> 8));
  return decode_channel({f.kind, 16, 1}, wide);
}

}  // namespace pitot::emulator
