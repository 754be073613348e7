// References of kernels that reduce, scan or normalise rows.
#include <algorithm>
#include <cmath>
#include <span>

#include "reference.h"

namespace pitot::kernels {
namespace {

using Row = std::span<const double>;

// Calls f(row, number of the row).
template <class F>
void each_row(const std::vector<double>& x, size_t columns, F&& f) {
  for (size_t r = 0; r * columns < x.size(); ++r) f(Row(x).subspan(r * columns, columns), r);
}

size_t columns(const Call& c, const char* name) { return static_cast<size_t>(c.size(name)); }

double sum_of(Row x) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}

double log_sum_exp(Row x) {
  const double top = *std::max_element(x.begin(), x.end());
  double s = 0;
  for (double v : x) s += std::exp(v - top);
  return top + std::log(s);
}

void softmax(Call& c, const char* size) {
  each_row(c.in("x"), columns(c, size), [&](Row x, size_t) {
    const double all = log_sum_exp(x);
    for (double v : x) c.out["y"].push_back(std::exp(v - all));
  });
}
void softmax_n_cols(Call& c) { softmax(c, "n_cols"); }
void softmax_cols(Call& c) { softmax(c, "cols"); }

void rmsnorm(Call& c) {
  const auto& w = c.in("w");
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    double squares = 0;
    for (double v : x) squares += v * v;
    const double rms = std::sqrt(squares / static_cast<double>(x.size()) + c.scalar("eps"));
    for (size_t i = 0; i < x.size(); ++i) c.out["y"].push_back(x[i] / rms * w[i]);
  });
}

void l2norm(Call& c) {
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    double squares = 0;
    for (double v : x) squares += v * v;
    for (double v : x) c.out["y"].push_back(v / std::sqrt(squares + c.scalar("eps")));
  });
}

void layernorm(Call& c, const char* size) {
  const auto &gain = c.in("gain"), &bias = c.in("bias");
  each_row(c.in("x"), columns(c, size), [&](Row x, size_t) {
    const auto n = static_cast<double>(x.size());
    const double mean = sum_of(x) / n;
    double variance = 0;
    for (double v : x) variance += (v - mean) * (v - mean) / n;
    for (size_t i = 0; i < x.size(); ++i)
      c.out["y"].push_back((x[i] - mean) / std::sqrt(variance + c.scalar("eps")) * gain[i] +
                           bias[i]);
  });
}
void layernorm_cols(Call& c) { layernorm(c, "cols"); }
void layernorm_n_cols(Call& c) { layernorm(c, "n_cols"); }

void groupnorm(Call& c) {
  const auto& gain = c.in("gain");
  each_row(c.in("x"), columns(c, "elements"), [&](Row x, size_t row) {
    const auto n = static_cast<double>(x.size());
    const double mean = sum_of(x) / n;
    double variance = 0;
    for (double v : x) variance += (v - mean) * (v - mean) / n;
    for (double v : x) {
      const double z = (v - mean) / std::sqrt(variance + c.scalar("eps")) * gain[row % gain.size()];
      c.out["y"].push_back(z / (1 + std::exp(-z)));
    }
  });
}

void cross_entropy_cuda(Call& c) {
  const auto& label = c.in("label");
  each_row(c.in("logit"), columns(c, "classes"), [&](Row x, size_t row) {
    c.out["loss"].push_back(label[row] == c.scalar("ignored")
                                ? 0
                                : log_sum_exp(x) - x[static_cast<size_t>(label[row])]);
  });
}

void cross_entropy_triton(Call& c) {
  const auto& label = c.in("label");
  each_row(c.in("logit"), columns(c, "classes"), [&](Row x, size_t row) {
    const double all = log_sum_exp(x);
    const auto wanted = static_cast<size_t>(label[row]);
    c.out["loss"].push_back(all - x[wanted]);
    for (size_t i = 0; i < x.size(); ++i)
      c.out["grad"].push_back(std::exp(x[i] - all) - (i == wanted ? 1 : 0));
  });
}

void argmax(Call& c) {
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    const auto at = std::max_element(x.begin(), x.end());
    c.out["value"].push_back(*at);
    c.out["index"].push_back(static_cast<double>(at - x.begin()));
  });
}

void top_k(Call& c) {
  each_row(c.in("x"), columns(c, "cols"), [&](Row x, size_t) {
    std::vector<size_t> order(x.size());
    for (size_t i = 0; i < x.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t p, size_t q) { return x[p] > x[q]; });
    for (size_t s = 0; s < 4; ++s) {
      // Equal values come in an order of the lanes: their places are left open.
      const bool tie = (s > 0 && x[order[s]] == x[order[s - 1]]) ||
                       (s + 1 < x.size() && x[order[s]] == x[order[s + 1]]);
      c.out["value"].push_back(x[order[s]]);
      c.out["index"].push_back(tie ? NAN : static_cast<double>(order[s]));
    }
  });
}

void quantise_int8(Call& c) {
  each_row(c.in("x"), columns(c, "cols"), [&](Row x, size_t) {
    double top = 0;
    for (double v : x) top = std::fmax(top, std::fabs(v));
    c.out["scale"].push_back(top / 127);
    const float inverse = top > 0 ? 127.0f / static_cast<float>(top) : 0.0f;
    for (double v : x)
      c.out["q"].push_back(
          std::clamp(std::nearbyint(static_cast<float>(v) * inverse), -127.0f, 127.0f));
  });
}

void reduce_sum(Call& c) { c.out["total"] = {sum_of(c.in("x"))}; }

void reduction(Call& c) {
  double least = 0, count = 0;  // the buffers start at zero
  for (double v : c.in("x")) {
    least = std::min(least, std::trunc(static_cast<double>(static_cast<float>(v) * 1000.0f)));
    count += v > 0 ? 1 : 0;
  }
  c.out["sum"] = {sum_of(c.in("x"))};
  c.out["min"] = {least};
  c.out["count"] = {count};
}

void cluster_reduce(Call& c) {
  const auto& x = c.in("x");
  for (size_t first = 0; first < x.size(); first += 512)
    c.out["out"].push_back(sum_of(Row(x).subspan(first, std::min<size_t>(512, x.size() - first))));
}

void scan_block(Call& c) {
  const auto& x = c.in("x");
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum = i % 256 == 0 ? x[i] : sum + x[i];
    c.out["y"].push_back(sum);
  }
}

void scan(Call& c) {
  const auto& a = c.in("a");
  each_row(c.in("b"), columns(c, "n_cols"), [&](Row b, size_t row) {
    double sum = 0, state = 0;
    for (size_t i = 0; i < b.size(); ++i) {
      sum += b[i];
      state = state * a[row * b.size() + i] + b[i];
      c.out["sum"].push_back(sum);
      c.out["state"].push_back(state);
    }
  });
}

void weighted_histogram(Call& c) {
  const auto &bin = c.in("bin"), &weight = c.in("weight");
  auto& total = c.out["total"];
  total.assign(16, 0);
  for (size_t i = 0; i < bin.size(); ++i) total[static_cast<size_t>(bin[i])] += weight[i];
}

void cp_async_pipeline(Call& c) {
  const auto& x = c.in("x");
  const auto tiles = static_cast<size_t>(c.size("tiles"));
  for (size_t block = 0; block < static_cast<size_t>(c.size("blocks")); ++block)
    for (size_t t = 0; t < 128; ++t)
      for (size_t e = 0; e < 4; ++e) {
        double p = 1;
        for (size_t i = 0; i < tiles; ++i) p *= x[((block * tiles + i) * 128 + 127 - t) * 4 + e];
        c.out["y"].push_back(p);
      }
}

void row_sum(Call& c) {
  each_row(c.in("x"), columns(c, "n_cols"),
           [&](Row x, size_t) { c.out["y"].push_back(sum_of(x)); });
}

void column_sum(Call& c, const char* size) {
  auto& out = c.out["sum"];
  out.assign(columns(c, size), 0);
  each_row(c.in("x"), out.size(), [&](Row x, size_t) {
    for (size_t i = 0; i < x.size(); ++i) out[i] += x[i];
  });
}
void column_sum_n_cols(Call& c) { column_sum(c, "n_cols"); }
void column_sum_columns(Call& c) { column_sum(c, "columns"); }

void variance(Call& c) {
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    const auto n = static_cast<double>(x.size());
    const double mean = sum_of(x) / n;
    double squares = 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    c.out["mean"].push_back(mean);
    c.out["variance"].push_back(squares / n);
  });
}

// Row r of each head sees the columns up to r; the others get nothing.
void softmax_causal(Call& c) {
  const size_t n = columns(c, "n");
  each_row(c.in("x"), n, [&](Row x, size_t row) {
    std::vector<double> seen(x.begin(), x.begin() + static_cast<ptrdiff_t>(row % n + 1));
    for (double& v : seen) v *= c.scalar("scale");
    const double all = log_sum_exp(seen);
    for (size_t i = 0; i < n; ++i)
      c.out["y"].push_back(i < seen.size() ? std::exp(seen[i] - all) : 0);
  });
}

void softmax_backward(Call& c) {
  const auto& dy = c.in("dy");
  each_row(c.in("y"), columns(c, "n_cols"), [&](Row y, size_t row) {
    const Row d = Row(dy).subspan(row * y.size(), y.size());
    double dot = 0;
    for (size_t i = 0; i < y.size(); ++i) dot += y[i] * d[i];
    for (size_t i = 0; i < y.size(); ++i) c.out["dx"].push_back(y[i] * (d[i] - dot));
  });
}

void log_softmax(Call& c) {
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    const double all = log_sum_exp(x);
    for (double v : x) c.out["y"].push_back(v - all);
  });
}

void layernorm_backward(Call& c) {
  const auto &gain = c.in("gain"), &dy = c.in("dy");
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t row) {
    const auto n = static_cast<double>(x.size());
    const double mean = sum_of(x) / n;
    double squares = 0, sum = 0, dot = 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    const double deviation = std::sqrt(squares / n + c.scalar("eps"));
    auto d = [&](size_t i) { return dy[row * x.size() + i] * gain[i]; };
    for (size_t i = 0; i < x.size(); ++i) {
      sum += d(i);
      dot += d(i) * (x[i] - mean) / deviation;
    }
    for (size_t i = 0; i < x.size(); ++i)
      c.out["dx"].push_back((d(i) - sum / n - (x[i] - mean) / deviation * dot / n) / deviation);
  });
}

void rmsnorm_residual(Call& c) {
  const auto &gain = c.in("gain"), &residual = c.in("residual");
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t row) {
    std::vector<double> sum(x.begin(), x.end());
    double squares = 0;
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += residual[row * x.size() + i];
      squares += sum[i] * sum[i];
    }
    const double rms = std::sqrt(squares / static_cast<double>(x.size()) + c.scalar("eps"));
    for (size_t i = 0; i < sum.size(); ++i) {
      c.out["residual"].push_back(sum[i]);
      c.out["y"].push_back(sum[i] / rms * gain[i]);
    }
  });
}

void quantise_rows(Call& c) {
  constexpr double kTie = 1e-4;
  each_row(c.in("x"), columns(c, "n_cols"), [&](Row x, size_t) {
    double top = 1e-10;
    for (double v : x) top = std::fmax(top, std::fabs(v));
    c.out["scale"].push_back(top / 127);
    for (double v : x) {
      // Between two integers the division's last bit decides: either is right.
      const double q = v / top * 127 + 0.5;
      c.out["q"].push_back(std::fabs(q - std::nearbyint(q)) < kTie ? NAN : std::floor(q));
    }
  });
}

}  // namespace

void add_rows(References& to) {
  to["pairs/softmax"] = softmax_n_cols;
  to["triton/softmax_online"] = softmax_n_cols;
  to["cuda/softmax_rows"] = softmax_cols;
  to["pairs/rmsnorm"] = rmsnorm;
  to["pairs/l2norm"] = l2norm;
  to["cuda/layernorm"] = layernorm_cols;
  to["triton/layernorm"] = layernorm_n_cols;
  to["triton/groupnorm"] = groupnorm;
  to["cuda/cross_entropy"] = cross_entropy_cuda;
  to["triton/cross_entropy"] = cross_entropy_triton;
  to["triton/argmax"] = argmax;
  to["cuda/top_k"] = top_k;
  to["cuda/quantise_int8"] = quantise_int8;
  to["cuda/reduce_sum"] = reduce_sum;
  to["triton/reduction"] = reduction;
  to["cuda/cluster_reduce"] = cluster_reduce;
  to["cuda/scan_block"] = scan_block;
  to["triton/scan"] = scan;
  to["regressions/atomic_add_to_cas"] = weighted_histogram;
  to["cuda/cp_async_pipeline"] = cp_async_pipeline;
  to["triton/row_sum"] = row_sum;
  to["triton/column_sum"] = column_sum_n_cols;
  to["families/triton_column_sum"] = column_sum_columns;
  to["triton/variance"] = variance;
  to["triton/softmax_causal"] = softmax_causal;
  to["triton/softmax_backward"] = softmax_backward;
  to["triton/log_softmax"] = log_softmax;
  to["triton/layernorm_backward"] = layernorm_backward;
  to["triton/rmsnorm_residual"] = rmsnorm_residual;
  to["triton/quantise_rows"] = quantise_rows;
}

}  // namespace pitot::kernels
