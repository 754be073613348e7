// References of the kernel families (kernels/families): what every variant must compute.
#include <cmath>

#include "reference.h"

namespace pitot::kernels {
namespace {

constexpr double kAny = NAN;

size_t extent(const Call& c, const char* name) { return static_cast<size_t>(c.size(name)); }

// c = a b, row by row.
void product(Call& c) {
  const size_t m = extent(c, "m"), n = extent(c, "n"), k = extent(c, "k");
  const auto &a = c.in("a"), &b = c.in("b");
  std::vector<double>& out = c.out["c"];
  out.assign(m * n, 0);
  for (size_t i = 0; i < m; ++i)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
}

void transposed_tile(Call& c) {
  const size_t rows = extent(c, "rows"), columns = extent(c, "columns");
  const auto& in = c.bits("in");
  for (size_t x = 0; x < columns; ++x)
    for (size_t y = 0; y < rows; ++y) c.out_bits["out"].push_back(in[y * columns + x]);
}

void sum_family(Call& c) {
  double sum = 0;
  for (double v : c.in("x")) sum += v;
  c.out["out"] = {sum};
  c.out["partial"].assign(c.in("partial").size(), kAny);
  // Zero again, for the next launch.
  c.out_bits["arrived"] = {0};
}

void softmax_rows(Call& c) {
  const size_t columns = extent(c, "columns");
  const auto& x = c.in("x");
  for (size_t row = 0; row < x.size(); row += columns) {
    double sum = 0;
    for (size_t i = 0; i < columns; ++i) sum += std::exp(x[row + i]);
    for (size_t i = 0; i < columns; ++i) c.out["y"].push_back(std::exp(x[row + i]) / sum);
  }
}

void layernorm(Call& c) {
  const size_t columns = extent(c, "columns");
  const auto &x = c.in("x"), &gain = c.in("gain"), &bias = c.in("bias");
  const auto n = static_cast<double>(columns);
  for (size_t row = 0; row < x.size(); row += columns) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < columns; ++i) mean += x[row + i] / n;
    for (size_t i = 0; i < columns; ++i) variance += (x[row + i] - mean) * (x[row + i] - mean) / n;
    const double scale = 1 / std::sqrt(variance + c.scalar("epsilon"));
    for (size_t i = 0; i < columns; ++i)
      c.out["y"].push_back((x[row + i] - mean) * scale * gain[i] + bias[i]);
  }
}

// A 5 x 5 filter; outside of the image is zero.
void conv2d_family(Call& c) {
  const int64_t width = c.size("width"), height = c.size("height");
  const auto &in = c.in("in"), &weights = c.in("weights");
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      double sum = 0;
      for (int64_t i = 0; i < 25; ++i) {
        const int64_t px = x + i % 5 - 2, py = y + i / 5 - 2;
        if (px >= 0 && px < width && py >= 0 && py < height)
          sum += weights[static_cast<size_t>(i)] * in[static_cast<size_t>(py * width + px)];
      }
      c.out["out"].push_back(sum);
    }
}

// Six neighbours at distance 1 and six at distance 2; the border keeps its zeros.
void stencil3d(Call& c) {
  const size_t nx = extent(c, "nx"), ny = extent(c, "ny"), pitch = nx + 8, plane = pitch * (ny + 4);
  const auto& in = c.in("in");
  std::vector<double>& out = c.out["out"];
  out.assign(in.size(), 0);
  for (size_t z = 2; z < extent(c, "nz") + 2; ++z)
    for (size_t y = 2; y < ny + 2; ++y)
      for (size_t x = 4; x < nx + 4; ++x) {
        const size_t at = z * plane + y * pitch + x;
        double near = 0, far = 0;
        for (const size_t step : {size_t{1}, pitch, plane}) {
          near += in[at - step] + in[at + step];
          far += in[at - 2 * step] + in[at + 2 * step];
        }
        out[at] = c.scalar("c0") * in[at] + c.scalar("c1") * near + c.scalar("c2") * far;
      }
}

void attention_small(Call& c) {
  constexpr size_t kDimensions = 64;
  const size_t n = extent(c, "n");
  const auto &q = c.in("q"), &k = c.in("k"), &v = c.in("v");
  std::vector<double>& out = c.out["out"];
  out.assign(q.size(), 0);
  for (size_t row = 0; row < q.size(); row += kDimensions) {
    const size_t head = row / (n * kDimensions) * n * kDimensions;
    double weights = 0;
    for (size_t key = head; key < head + n * kDimensions; key += kDimensions) {
      double score = 0;
      for (size_t d = 0; d < kDimensions; ++d) score += q[row + d] * k[key + d];
      const double weight = std::exp(score * c.scalar("scale"));
      weights += weight;
      for (size_t d = 0; d < kDimensions; ++d) out[row + d] += weight * v[key + d];
    }
    for (size_t d = 0; d < kDimensions; ++d) out[row + d] /= weights;
  }
}

}  // namespace

void add_families(References& to) {
  to["families/gemm_tiled"] = product;
  to["families/gemm_tile"] = product;
  to["families/gemm_tensor"] = product;
  to["families/conv2d"] = conv2d_family;
  to["families/stencil3d"] = stencil3d;
  to["families/attention_small"] = attention_small;
  to["families/transpose"] = transposed_tile;
  to["families/reduction"] = sum_family;
  to["families/softmax_rows"] = softmax_rows;
  to["families/layernorm"] = layernorm;
  to["families/triton_matmul"] = product;
  to["families/triton_attention"] = attention_small;
  to["families/triton_softmax"] = softmax_rows;
  to["families/triton_layernorm"] = layernorm;
}

}  // namespace pitot::kernels
