// References of matrix products, attention, convolutions, stencils, transposes and bodies.
#include <algorithm>
#include <cmath>

#include "reference.h"

namespace pitot::kernels {
namespace {

void product(Call& c, const char* m_name, const char* n_name, const char* k_name) {
  const auto &a = c.in("a"), &b = c.in("b");
  const auto m = static_cast<size_t>(c.size(m_name)), n = static_cast<size_t>(c.size(n_name)),
             k = static_cast<size_t>(c.size(k_name));
  auto& out = c.out["c"];
  out.assign(m * n, 0);
  for (size_t i = 0; i < m; ++i)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
}
void gemm(Call& c) { product(c, "m", "n", "k"); }
void matmul(Call& c) { product(c, "M", "N", "K"); }

void matmul_bias(Call& c) {
  product(c, "M", "N", "K");
  if (c.buffers().count("bias") == 0) return;
  auto& out = c.out["c"];
  const auto& bias = c.in("bias");
  for (size_t i = 0; i < out.size(); ++i) out[i] += bias[i % bias.size()];
}

void matmul_relu(Call& c) {
  matmul_bias(c);
  for (double& v : c.out["c"]) v = std::max(v, 0.0);
}

void matvec(Call& c) {
  const auto &a = c.in("a"), &x = c.in("x");
  for (size_t row = 0; row < a.size(); row += x.size()) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += a[row + i] * x[i];
    c.out["y"].push_back(sum);
  }
}

// One head: rows of q against `keys` rows of k and v from element `base` on; `visible` keys a row.
template <class Visible>
void attend(Call& c, size_t q_base, size_t base, size_t rows, size_t d, double scale,
            Visible&& visible) {
  const auto &q = c.in("q"), &k = c.in("k"), &v = c.in("v");
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> s(visible(r)), y(d, 0);
    double top = -INFINITY, total = 0;
    for (size_t j = 0; j < s.size(); ++j) {
      for (size_t e = 0; e < d; ++e) s[j] += q[q_base + r * d + e] * k[base + j * d + e];
      s[j] *= scale;
      top = std::max(top, s[j]);
    }
    for (size_t j = 0; j < s.size(); ++j) {
      const double p = std::exp(s[j] - top);
      total += p;
      for (size_t e = 0; e < d; ++e) y[e] += p * v[base + j * d + e];
    }
    for (double e : y) c.out["y"].push_back(e / total);
  }
}

void attention(Call& c) {
  const auto rows = static_cast<size_t>(c.size("rows")),
             keys = static_cast<size_t>(c.size("n_keys"));
  attend(c, 0, 0, rows, c.in("q").size() / rows, c.scalar("scale"), [&](size_t) { return keys; });
}

void flash_attention(Call& c) {
  const auto n = static_cast<size_t>(c.size("n"));
  attend(c, 0, 0, n, c.in("q").size() / n, c.scalar("scale"), [&](size_t) { return n; });
}

// A head after the other, `visible` keys for a row of each.
template <class Visible>
void attend_heads(Call& c, double scale, Visible&& visible) {
  const auto n = static_cast<size_t>(c.size("n")), heads = static_cast<size_t>(c.size("heads"));
  const size_t d = c.in("q").size() / n / heads;
  for (size_t h = 0; h < heads; ++h) attend(c, h * n * d, h * n * d, n, d, scale, visible);
}
void attention_causal(Call& c) {
  attend_heads(c, c.scalar("scale_log2") * std::log(2.0), [](size_t r) { return r + 1; });
}
void attention_full(Call& c) {
  const auto n = static_cast<size_t>(c.size("n"));
  attend_heads(c, c.scalar("scale_log2") * std::log(2.0), [n](size_t) { return n; });
}

void attention_decode(Call& c) {
  const auto n = static_cast<size_t>(c.size("n")), heads = static_cast<size_t>(c.size("heads"));
  const size_t d = c.in("q").size() / heads;
  for (size_t h = 0; h < heads; ++h)
    attend(c, h * d, h * n * d, 1, d, c.scalar("scale"), [n](size_t) { return n; });
}

void transpose(Call& c) {
  const auto& x = c.in("x");
  const auto rows = static_cast<size_t>(c.size("rows")), cols = static_cast<size_t>(c.size("cols"));
  for (size_t j = 0; j < cols; ++j)
    for (size_t i = 0; i < rows; ++i) c.out["y"].push_back(x[i * cols + j]);
}

void conv2d(Call& c) {
  const auto &x = c.in("x"), &w = c.in("w");
  const int64_t channels = c.size("channels"), outputs = c.size("outputs"),
                height = c.size("height"), width = c.size("width");
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t r = 0; r < height; ++r)
      for (int64_t col = 0; col < width; ++col) {
        double sum = 0;
        for (int64_t i = 0; i < channels; ++i)
          for (int64_t dr = -1; dr <= 1; ++dr)
            for (int64_t dc = -1; dc <= 1; ++dc) {
              const int64_t rr = r + dr, cc = col + dc;
              if (rr >= 0 && rr < height && cc >= 0 && cc < width)
                sum += x[static_cast<size_t>((i * height + rr) * width + cc)] *
                       w[static_cast<size_t>(((o * channels + i) * 3 + dr + 1) * 3 + dc + 1)];
            }
        c.out["y"].push_back(sum);
      }
}

void stencil_3d(Call& c) {
  const auto& in = c.in("in");
  const auto nx = static_cast<size_t>(c.size("nx")), ny = static_cast<size_t>(c.size("ny")),
             nz = static_cast<size_t>(c.size("nz")), plane = nx * ny;
  auto& out = c.out["out"];
  out.assign(in.size(), 0);
  for (size_t z = 1; z + 1 < nz; ++z)
    for (size_t y = 1; y + 1 < ny; ++y)
      for (size_t x = 1; x + 1 < nx; ++x) {
        const size_t at = z * plane + y * nx + x;
        out[at] = c.scalar("c0") * in[at] +
                  c.scalar("c1") * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                    in[at - plane] + in[at + plane]);
      }
}

void constant_tables(Call& c) {
  const auto& x = c.in("x");
  const auto width = static_cast<size_t>(c.size("width")),
             height = static_cast<size_t>(c.size("height"));
  const char* greeting = "nine bytes";
  auto& y = c.out["y"];
  y.assign(x.size(), 0);
  for (size_t r = 1; r + 1 < height; ++r)
    for (size_t col = 1; col + 1 < width; ++col) {
      // which = 1: the second table, −1 … −4.
      double sum = -1.0 - static_cast<double>(col & 3) + greeting[col % 10];
      for (size_t dr = 0; dr < 3; ++dr)
        for (size_t dc = 0; dc < 3; ++dc)
          sum +=
              (dr == 1 ? 2 : 1) * (dc == 1 ? 2 : 1) / 16.0 * x[(r + dr - 1) * width + col + dc - 1];
      y[r * width + col] = sum;
    }
}

void f64_nbody(Call& c) {
  const auto& body = c.in("body");
  const size_t n = body.size() / 4;
  for (size_t i = 0; i < n; ++i) {
    double f[3] = {0, 0, 0};
    for (size_t j = 0; j < n; ++j) {
      double d[3], r2 = 1e-9;
      for (size_t e = 0; e < 3; ++e) {
        d[e] = body[4 * j + e] - body[4 * i + e];
        r2 += d[e] * d[e];
      }
      for (size_t e = 0; e < 3; ++e) f[e] += d[e] * body[4 * j + 3] / (r2 * std::sqrt(r2));
    }
    for (double e : f) c.out["force"].push_back(e);
  }
}

void spmv_csr(Call& c) {
  const auto &start = c.in("start"), &column = c.in("column"), &value = c.in("value"),
             &x = c.in("x");
  for (size_t r = 0; r + 1 < start.size(); ++r) {
    double sum = 0;
    for (auto i = static_cast<size_t>(start[r]); i < static_cast<size_t>(start[r + 1]); ++i)
      sum += value[i] * x[static_cast<size_t>(column[i])];
    c.out["y"].push_back(sum);
  }
}

}  // namespace

void add_matrices(References& to) {
  for (const char* name : {"cuda/gemm_naive", "cuda/gemm_tiled", "cuda/gemm_vectorised",
                           "cuda/gemm_mma", "cuda/gemm_wmma"})
    to[name] = gemm;
  to["pairs/matmul"] = matmul;
  to["triton/matmul"] = matmul_bias;
  to["triton/persistent_matmul"] = matmul;
  to["triton/tma_matmul"] = matmul;
  to["triton/matmul_relu"] = matmul_relu;
  to["triton/matmul_splitk"] = matmul;
  to["triton/matvec"] = matvec;
  to["pairs/attention"] = attention;
  to["pairs/flash_attention"] = flash_attention;
  to["triton/attention_causal"] = attention_causal;
  to["triton/attention_full"] = attention_full;
  to["triton/attention_decode"] = attention_decode;
  to["cuda/transpose"] = transpose;
  to["triton/transpose"] = transpose;
  to["cuda/conv2d"] = conv2d;
  to["cuda/stencil_3d"] = stencil_3d;
  to["cuda/constant_tables"] = constant_tables;
  to["cuda/f64_nbody"] = f64_nbody;
  to["cuda/spmv_csr"] = spmv_csr;
}

}  // namespace pitot::kernels
