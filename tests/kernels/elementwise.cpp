// References of kernels that make one element from one or a few.
#include <cmath>
#include <cstring>

#include "device/values.h"
#include "reference.h"

namespace pitot::kernels {
namespace {

using ptx::Type;

double round_to(Type t, double v) { return device::decode(device::encode(v, t), t); }
float f32(double v) { return static_cast<float>(v); }

template <class F>
void map_x(Call& c, const char* from, const char* to, F&& f) {
  for (double x : c.in(from)) c.out[to].push_back(f(x));
}

void gelu(Call& c) {
  map_x(c, "x", "y", [](double x) {
    return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
  });
}

void silu(Call& c) {
  const double beta = c.scalar("beta");
  map_x(c, "x", "y", [beta](double x) { return x / (1 + std::exp(-beta * x)); });
}

void leaky_relu(Call& c) {
  map_x(c, "x", "y", [](double x) { return x > 0 ? x : 0.01 * x; });
}

void relu(Call& c) {
  map_x(c, "x", "out", [](double x) { return std::fmax(x, 0.0); });
}

void add(Call& c) {
  const auto &x = c.in("x"), &y = c.in("y");
  for (size_t i = 0; i < x.size(); ++i) c.out["out"].push_back(f32(x[i]) + f32(y[i]));
}

void saxpy(Call& c) {
  const auto &x = c.in("x"), &y = c.in("y");
  for (size_t i = 0; i < x.size(); ++i) c.out["y"].push_back(c.scalar("a") * x[i] + y[i]);
}

void bf16_arith(Call& c) {
  const auto &a = c.in("a"), &b = c.in("b");
  auto fused = [&](size_t i) {
    return std::fmax(0.0, round_to(Type::kBf16, a[i] * b[i] + std::fmax(a[i], b[i])));
  };
  for (size_t i = 0; i < a.size(); i += 2)
    c.out["out"].push_back(fused(i) * fused(i + 1) + round_to(Type::kBf16, a[i] + b[i + 1]));
}

void half_arith(Call& c) {
  const auto &a = c.in("a"), &b = c.in("b");
  const double t = c.scalar("threshold");
  for (size_t i = 0; i < a.size(); i += 2) {
    double v[2];
    for (size_t j = 0; j < 2; ++j) v[j] = round_to(Type::kF16, a[i + j] * b[i + j] + t);
    const bool both = v[0] > t && v[1] > t;
    for (size_t j = 0; j < 2; ++j) {
      if (both) v[j] = v[j] / std::sqrt(std::fabs(v[j]));
      c.out["out"].push_back(v[j] + std::exp2(-std::fabs(a[i + j])));
    }
  }
}

void fp8_convert(Call& c) {
  const auto& x = c.in("x");
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = round_to(Type::kE4m3, x[i]), q = round_to(Type::kE5m2, x[i]);
    c.out["y"].push_back(p - q);
    if (i % 2 == 1)
      c.out_bits["q"].push_back(device::encode(x[i - 1], Type::kE4m3) |
                                device::encode(x[i], Type::kE4m3) << 8);
  }
}

void rotary(Call& c) {
  const auto& x = c.in("x");
  const auto& f = c.in("frequency");
  for (size_t i = 0; i < x.size() / 2; ++i) {
    const double angle = static_cast<double>(i / f.size()) * f[i % f.size()];
    const double s = std::sin(angle), k = std::cos(angle);
    c.out["x"].push_back(x[2 * i] * k - x[2 * i + 1] * s);
    c.out["x"].push_back(x[2 * i] * s + x[2 * i + 1] * k);
  }
}

void rotate(Call& c) {
  for (double a : c.in("angle")) {
    c.out["out"].push_back(std::cos(a));
    c.out["out"].push_back(std::sin(a));
  }
}

void phase(Call& c) {
  map_x(c, "angle", "out", [](double a) { return std::sin(a); });
}

// Philox 4x32-10 (Salmon et al., 2011).
void philox(uint32_t counter[4], uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{0xD2511F53} * counter[0], q = uint64_t{0xCD9E8D57} * counter[2];
    const uint32_t next[4] = {
        static_cast<uint32_t>(q >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(q),
        static_cast<uint32_t>(p >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(p)};
    std::memcpy(counter, next, sizeof next);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

void dropout_philox(Call& c) {
  const auto& x = c.in("x");
  const float keep = f32(c.scalar("keep"));
  for (uint32_t i = 0; i < x.size(); ++i) {
    uint32_t r[4] = {i / 4, 0, 0, 0};
    philox(r, static_cast<uint32_t>(c.scalar("seed")), 0);
    const float u = static_cast<float>(r[i % 4]) * 2.3283064365386963e-10f;
    c.out["y"].push_back(u < keep ? x[i] / keep : 0);
  }
}

// tl.rand: Philox of (offset, 0, 0, 0); its first word, folded to a sign-less integer, as a uniform
// number.
void dropout_triton(Call& c) {
  const auto& x = c.in("x");
  const float keep = f32(c.scalar("keep"));
  for (uint32_t i = 0; i < x.size(); ++i) {
    uint32_t r[4] = {i, 0, 0, 0};
    philox(r, static_cast<uint32_t>(c.scalar("seed")), 0);
    auto s = static_cast<int32_t>(r[0]);
    s = s < 0 ? -s - 1 : s;
    c.out["y"].push_back(static_cast<float>(s) * 4.6566127342e-10f < keep ? x[i] / keep : 0);
  }
}

void dynamic_shared(Call& c) {
  const auto& x = c.in("x");
  const auto n = static_cast<int64_t>(x.size()), radius = static_cast<int64_t>(c.scalar("radius"));
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = i - radius; j <= i + radius; ++j)
      if (j >= 0 && j < n) sum += x[static_cast<size_t>(j)];
    c.out["y"].push_back(sum / static_cast<double>(2 * radius + 1));
  }
}

void calls_recursion(Call& c) {
  const auto& x = c.in("x");
  for (size_t i = 0; i < x.size(); ++i) {
    const double sum = 3 * x[i];  // which = 1: squared
    c.out["y"].push_back(sum * sum + x[i] * x[i] * x[i]);
    c.out["depth"].push_back(static_cast<double>((i & 3) + 2));  // ackermann(1, n) = n + 2
  }
}

void gather(Call& c) {
  const auto& table = c.in("table");
  const auto& index = c.in("index");
  const auto width = static_cast<size_t>(c.size("width"));
  for (double row : index)
    for (size_t j = 0; j < width; ++j)
      c.out["out"].push_back(table[static_cast<size_t>(row) * width + j]);
}

void gather_scale(Call& c) {
  const auto& table = c.in("table");
  for (double i : c.in("index"))
    c.out["out"].push_back(f32(table[static_cast<size_t>(i)]) * f32(c.scalar("scale")));
}

void embedding(Call& c) {
  const auto& table = c.in("table");
  const auto width = static_cast<size_t>(c.size("width"));
  for (double t : c.in("token"))
    for (size_t j = 0; j < width; ++j)
      c.out["out"].push_back(
          t >= 0 && t < c.scalar("vocabulary") ? table[static_cast<size_t>(t) * width + j] : 0);
}

void mandelbrot(Call& c) {
  const auto n = static_cast<uint32_t>(c.size("n")), width = static_cast<uint32_t>(c.size("width"));
  const float scale = f32(c.scalar("scale"));
  const int limit = static_cast<int>(c.scalar("limit"));
  for (uint32_t i = 0; i < n; ++i) {
    // As the compiler contracts it: one rounding a multiply-add.
    const float cx = std::fmaf(static_cast<float>(i % width), scale, -2.0f);
    const float cy = std::fmaf(static_cast<float>(i / width), scale, -1.25f);
    float x = 0, y = 0;
    int k = 0;
    for (; k < limit && std::fmaf(x, x, y * y) < 4; ++k) {
      const float t = std::fmaf(x, x, -(y * y)) + cx;
      y = std::fmaf(2 * x, y, cy);
      x = t;
    }
    c.out["out"].push_back(k);
  }
}

void scatter_add(Call& c) {
  const auto &x = c.in("x"), &index = c.in("index");
  const auto width = static_cast<size_t>(c.size("width"));
  auto& table = c.out["table"] = c.in("table");
  for (size_t i = 0; i < x.size(); ++i)
    table[static_cast<size_t>(index[i / width]) * width + i % width] += x[i];
}

void scale(Call& c) {
  const double factor = c.scalar("factor");
  map_x(c, "x", "y", [factor](double x) { return x * factor; });
}

void printf_assert(Call& c) {
  map_x(c, "x", "y", [](double x) { return std::sqrt(x); });
}

void swiglu(Call& c) {
  const auto &gate = c.in("gate"), &up = c.in("up");
  for (size_t i = 0; i < gate.size(); ++i)
    c.out["out"].push_back(gate[i] / (1 + std::exp(-gate[i])) * up[i]);
}

void bias_gelu(Call& c) {
  const auto &x = c.in("x"), &bias = c.in("bias");
  for (size_t i = 0; i < x.size(); ++i) {
    const double v = x[i] + bias[i % bias.size()];
    c.out["y"].push_back(0.5 * v * (1 + std::erf(v / std::sqrt(2.0))));
  }
}

// The slope by differences of the function itself, so that a wrong derivative is not repeated here.
void gelu_backward(Call& c) {
  constexpr double kStep = 1e-5;
  auto gelu_of = [](double x) {
    return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
  };
  const auto &x = c.in("x"), &dy = c.in("dy");
  for (size_t i = 0; i < x.size(); ++i)
    c.out["dx"].push_back(dy[i] * (gelu_of(x[i] + kStep) - gelu_of(x[i] - kStep)) / (2 * kStep));
}

void adamw(Call& c) {
  const auto &param = c.in("param"), &grad = c.in("grad"), &mean = c.in("mean"),
             &square = c.in("square");
  const double beta1 = c.scalar("beta1"), beta2 = c.scalar("beta2");
  for (size_t i = 0; i < param.size(); ++i) {
    const double m = beta1 * mean[i] + (1 - beta1) * grad[i];
    const double s = beta2 * square[i] + (1 - beta2) * grad[i] * grad[i];
    const double step =
        m * c.scalar("unbias1") / (std::sqrt(s * c.scalar("unbias2")) + c.scalar("eps"));
    c.out["param"].push_back(param[i] - c.scalar("rate") * (step + c.scalar("decay") * param[i]));
    c.out["mean"].push_back(m);
    c.out["square"].push_back(s);
  }
}

// [tokens, heads, two halves]: element i of one half is turned with element i of the other.
void rope(Call& c) {
  const auto &x = c.in("x"), &cosine = c.in("cos"), &sine = c.in("sin");
  const auto heads = static_cast<size_t>(c.size("heads"));
  const size_t half = cosine.size() / static_cast<size_t>(c.size("tokens"));
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t at = i / (2 * half * heads) * half + i % half;
    const bool second = i / half % 2 == 1;
    c.out["y"].push_back(second ? x[i] * cosine[at] + x[i - half] * sine[at]
                                : x[i] * cosine[at] - x[i + half] * sine[at]);
  }
}

}  // namespace

void add_elementwise(References& to) {
  to["pairs/gelu"] = gelu;
  to["pairs/silu"] = silu;
  to["pairs/leaky_relu"] = leaky_relu;
  to["triton/relu"] = relu;
  to["triton/add"] = add;
  to["cuda/saxpy"] = saxpy;
  to["cuda/bf16_arith"] = bf16_arith;
  to["cuda/half_arith"] = half_arith;
  to["cuda/fp8_convert"] = fp8_convert;
  to["cuda/rotary"] = rotary;
  to["regressions/sincos_false_alarm"] = rotate;
  to["regressions/sin_f64_false_alarm"] = phase;
  to["cuda/dropout_philox"] = dropout_philox;
  to["triton/dropout"] = dropout_triton;
  to["cuda/dynamic_shared"] = dynamic_shared;
  to["cuda/calls_recursion"] = calls_recursion;
  to["cuda/gather_scatter"] = gather;
  to["regressions/nc_load_lost"] = gather_scale;
  to["triton/embedding"] = embedding;
  to["cuda/mandelbrot"] = mandelbrot;
  to["cuda/templates_mangled"] = scale;
  to["cuda/scatter_add"] = scatter_add;
  to["cuda/printf_assert"] = printf_assert;
  to["triton/swiglu"] = swiglu;
  to["families/triton_swiglu"] = swiglu;
  to["triton/bias_gelu"] = bias_gelu;
  to["triton/gelu_backward"] = gelu_backward;
  to["triton/adamw"] = adamw;
  to["triton/rope"] = rope;
}

}  // namespace pitot::kernels
