// References of the kernel families whose work is irregular, or all arithmetic (kernels/families).
#include <algorithm>
#include <cmath>

#include "reference.h"

namespace pitot::kernels {
namespace {

size_t count_of(const Call& c, const char* name) { return static_cast<size_t>(c.size(name)); }

void byte_histogram(Call& c) {
  std::vector<uint64_t> bins = c.bits("bins");
  for (const uint64_t v : c.bits("x")) ++bins[v];
  c.out_bits["bins"] = bins;
}

void row_scan(Call& c) {
  const size_t columns = count_of(c, "columns");
  const auto& x = c.bits("x");
  uint32_t sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum = (i % columns == 0 ? 0 : sum) + static_cast<uint32_t>(x[i]);
    c.out_bits["y"].push_back(sum);
  }
}

void sparse_product(Call& c) {
  const auto &offsets = c.bits("offsets"), &columns = c.bits("columns");
  const auto &values = c.in("values"), &x = c.in("x");
  for (size_t row = 0; row < count_of(c, "rows"); ++row) {
    double sum = 0;
    for (size_t i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
    c.out["y"].push_back(sum);
  }
}

void gravity(Call& c) {
  const size_t n = count_of(c, "n");
  const auto& b = c.in("bodies");
  std::vector<double>& out = c.out["forces"];
  for (size_t i = 0; i < n; ++i) {
    double force[3] = {};
    for (size_t j = 0; j < n; ++j) {
      double d[3], r2 = 0.01;
      for (size_t k = 0; k < 3; ++k) {
        d[k] = b[4 * j + k] - b[4 * i + k];
        r2 += d[k] * d[k];
      }
      for (size_t k = 0; k < 3; ++k) force[k] += d[k] * b[4 * j + 3] / (r2 * std::sqrt(r2));
    }
    out.insert(out.end(), {force[0], force[1], force[2], b[4 * i + 3]});
  }
}

void escape_times(Call& c) {
  const size_t width = count_of(c, "width"), height = count_of(c, "height");
  const auto limit = static_cast<int>(c.size("limit"));
  // In the kernel's own precision and order: near the set's edge all depends on them.
  const float step_x = 3.0f / static_cast<float>(width), step_y = 2.4f / static_cast<float>(height);
  for (size_t py = 0; py < height; ++py)
    for (size_t px = 0; px < width; ++px) {
      const float cx = std::fmaf(static_cast<float>(px), step_x, -2.2f);
      const float cy = std::fmaf(static_cast<float>(py), step_y, -1.2f);
      float x = 0, y = 0;
      uint64_t steps = 0;
      for (int i = 0; i < limit; ++i) {
        const float xx = x * x;
        if (!(std::fmaf(y, y, xx) <= 4.0f)) break;
        ++steps;
        const float next = std::fmaf(-y, y, xx) + cx;
        y = std::fmaf(x + x, y, cy);
        x = next;
      }
      c.out_bits["out"].push_back(steps);
    }
}

void fused_gelu(Call& c) {
  const auto &x = c.in("x"), &y = c.in("y");
  for (size_t i = 0; i < x.size(); ++i) {
    const double t = c.scalar("a") * x[i] + c.scalar("b");
    c.out["y"].push_back(y[i] + 0.5 * t * (1 + std::tanh(0.7978846 * (t + 0.044715 * t * t * t))));
  }
}

void sorted_segments(Call& c) {
  std::vector<uint64_t> keys = c.bits("in");
  for (size_t i = 0; i < keys.size(); i += 2048)
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(i),
              keys.begin() + static_cast<std::ptrdiff_t>(i) + 2048);
  c.out_bits["out"] = keys;
}

void moved_rows(Call& c) {
  const auto& in = c.in("in");
  const auto &from = c.bits("from"), &to = c.bits("to");
  std::vector<double>& out = c.out["out"];
  out.resize(in.size());
  for (size_t row = 0; row < from.size(); ++row)
    for (size_t i = 0; i < 16; ++i)
      out[16 * to[row] + i] = c.scalar("scale") * in[16 * from[row] + i];
}

void list_walk(Call& c) {
  const auto &next = c.bits("next"), &payload = c.bits("payload");
  for (size_t w = 0; w < count_of(c, "walkers"); ++w) {
    size_t at = static_cast<uint32_t>(w * 7919) % next.size();
    uint32_t sum = 0;
    for (size_t s = 0; s < count_of(c, "steps"); ++s) {
      sum += static_cast<uint32_t>(payload[at]);
      at = next[at];
    }
    c.out_bits["sums"].push_back(sum);
  }
}

}  // namespace

void add_irregular_families(References& to) {
  to["families/histogram"] = byte_histogram;
  to["families/scan"] = row_scan;
  to["families/spmv_csr"] = sparse_product;
  to["families/nbody"] = gravity;
  to["families/mandelbrot"] = escape_times;
  to["families/elementwise"] = fused_gelu;
  to["families/bitonic_sort_block"] = sorted_segments;
  to["families/gather_scatter"] = moved_rows;
  to["families/linked_list"] = list_walk;
}

}  // namespace pitot::kernels
