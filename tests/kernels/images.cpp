// References of kernels with textures, surfaces and tensor maps: the formulas of the CUDA C++
// Programming Guide, "Texture Fetching", in double precision and with exact weights.
#include <algorithm>
#include <cmath>
#include <functional>

#include "reference.h"

namespace pitot::kernels {
namespace {

int64_t clamped(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }
int64_t mirrored(int64_t i, int64_t n) {
  const int64_t k = ((i % (2 * n)) + 2 * n) % (2 * n);
  return k < n ? k : 2 * n - 1 - k;
}

// Between two neighbours of x along one dimension.
double between(double x, const std::function<double(int64_t)>& at) {
  const double b = x - 0.5, low = std::floor(b), part = b - low;
  const auto i = static_cast<int64_t>(low);
  return (1 - part) * at(i) + part * at(i + 1);
}

void texture_sample(Call& c) {
  const int64_t w = c.size("width"), h = c.size("height");
  const auto& image = c.in("image");
  const double scale = c.scalar("scale");
  for (int64_t y = 0; y < h; ++y)
    for (int64_t x = 0; x < w; ++x)
      for (int64_t k = 0; k < 4; ++k)
        c.out["out"].push_back(between((static_cast<double>(y) + 0.5) * scale, [&](int64_t j) {
          return between((static_cast<double>(x) + 0.5) * scale, [&](int64_t i) {
            return image[static_cast<size_t>((clamped(j, h) * w + clamped(i, w)) * 4 + k)];
          });
        }));
}

void texture_gather(Call& c) {
  const int64_t n = c.size("n"), w = n / 2 + 1, h = 9;
  const auto &volume = c.in("volume"), &line = c.in("line");
  for (int64_t t = 0; t < n; ++t) {
    const auto at = static_cast<double>(t);
    // z = 0.5 is the middle of the first slice.
    const double v = between(at * 0.25, [&](int64_t j) {
      return between(at * 0.5, [&](int64_t i) {
        if (j < 0 || j >= h) return 2.0;
        return volume[static_cast<size_t>(j * w + clamped(i, w))];
      });
    });
    c.out["out"].push_back(v + line[static_cast<size_t>(t)]);
  }
}

void texture_rotate(Call& c) {
  const int64_t w = c.size("width"), h = c.size("height");
  const auto& image = c.in("image");
  const double sine = c.scalar("sine"), cosine = c.scalar("cosine");
  for (int64_t y = 0; y < h; ++y)
    for (int64_t x = 0; x < w; ++x) {
      const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(w) - 0.5,
                   v = (static_cast<double>(y) + 0.5) / static_cast<double>(h) - 0.5;
      const double s = (u * cosine - v * sine + 0.5) * static_cast<double>(w),
                   t = (v * cosine + u * sine + 0.5) * static_cast<double>(h);
      for (int64_t k = 0; k < 4; ++k)
        c.out["out"].push_back(between(t, [&](int64_t j) {
          return between(s, [&](int64_t i) {
            return image[static_cast<size_t>((mirrored(j, h) * w + mirrored(i, w)) * 4 + k)];
          });
        }));
    }
}

void surface_blur(Call& c) {
  const int64_t w = c.size("width"), h = c.size("height"), layers = c.size("layers");
  const auto& in = c.in("in");
  for (int64_t l = 0; l < layers; ++l)
    for (int64_t y = 0; y < h; ++y)
      for (int64_t x = 0; x < w; ++x)
        for (int64_t k = 0; k < 2; ++k) {
          auto at = [&](int64_t i, int64_t j) {
            if (j < 0 || j >= h) return 0.0;
            return in[static_cast<size_t>(((l * h + j) * w + clamped(i, w)) * 2 + k)];
          };
          c.out["out"].push_back((at(x - 1, y) + 2 * at(x, y) + at(x + 1, y)) * 0.25 +
                                 0.5 * (at(x, y + 1) - at(x, y - 1)));
        }
}

// Dense tensors: each element is moved there and back.
void tma_copy(Call& c) {
  for (const double v : c.in("in"))
    c.out["out"].push_back(static_cast<double>(static_cast<float>(v + 1)));
}

}  // namespace

void add_images(References& to) {
  to["cuda/tma_copy"] = tma_copy;
  to["cuda/texture_sample"] = texture_sample;
  to["cuda/texture_gather"] = texture_gather;
  to["cuda/texture_rotate"] = texture_rotate;
  to["cuda/surface_blur"] = surface_blur;
}

}  // namespace pitot::kernels
