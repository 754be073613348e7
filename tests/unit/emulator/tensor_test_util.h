// Runs one tensor-core instruction on registers given for every thread, and number formats written
// down apart from the emulator's.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
// Of its own, so that helpers of the same name in other tests stay apart.
inline namespace tensor_util {

// Registers of a block: word k of thread t at [k][t].
using Registers = std::vector<std::vector<uint32_t>>;

struct TensorRun {
  Registers out;
  std::vector<uint32_t> shared;  // after the instruction
  Outcome outcome;
  std::string faults() const {
    std::string text;
    for (const Fault& f : outcome.faults)
      text += std::string(name_of(f.kind)) + " at line " + std::to_string(f.line) + ": " +
              f.message + "\n";
    return text;
  }
};

struct TensorProgram {
  std::string body;  // reads %i0 …, writes %o0 …; %s is the address of shared memory
  size_t outputs = 0;
  std::string header = ".version 8.7\n.target sm_90a\n.address_size 64\n";
  unsigned threads = 32;
  Options options = {};
  std::string declarations = {};
  unsigned blocks = 1;  // more are a cluster; registers and shared memory of block after block
};

// The text of a kernel that fills %i and shared memory, runs the body, and stores %o and shared
// memory. %x0 … are 64-bit registers that hold %i pairs: %x<k> = (%i<2k>, %i<2k+1>).
inline std::string tensor_text(const TensorProgram& p, size_t inputs, size_t shared_words) {
  std::string t = p.header;
  auto line = [&](const std::string& s) { t += s + "\n"; };
  auto num = [](size_t v) { return std::to_string(v); };
  const size_t own = 4 * size_t{p.threads}, step = own * p.blocks;
  line(".visible .entry k(.param .u64 out, .param .u64 in)\n{");
  if (shared_words != 0) line(".shared .align 1024 .b8 memory[" + num(4 * shared_words) + "];");
  line(".reg .b32 %i<" + num(std::max<size_t>(inputs, 1) + 1) + ">;\n.reg .b32 %o<" +
       num(std::max<size_t>(p.outputs, 1) + 1) + ">;");
  line(".reg .b64 %x<" + num(inputs / 2 + 1) + ">;\n.reg .b64 %y<" + num(p.outputs / 2 + 1) + ">;");
  line(".reg .pred %p<8>;\n.reg .b32 %t<8>;\n.reg .b64 %g<8>;\n.reg .b32 %s;\n.reg .b32 %v;");
  line(p.declarations);
  line("ld.param.u64 %g0, [out];\nld.param.u64 %g1, [in];\nmov.u32 %t0, %tid.x;");
  line("mov.u32 %v, %ctaid.x;\nmad.lo.u32 %v, %v, " + num(p.threads) + ", %t0;");
  line("mul.wide.u32 %g2, %v, 4;\nadd.s64 %g0, %g0, %g2;\nadd.s64 %g1, %g1, %g2;\nmov.u32 %s, 0;");
  if (shared_words != 0) {
    line("mov.u32 %s, memory;\nshl.b32 %t1, %t0, 2;\nadd.u32 %t1, %t1, %s;");
    for (size_t w = 0; w < shared_words / p.threads; ++w) {
      line("ld.global.b32 %v, [%g1+" + num((inputs + w) * step) + "];");
      line("st.shared.b32 [%t1+" + num(w * own) + "], %v;");
    }
    line("bar.sync 0;");
  }
  for (size_t k = 0; k < inputs; ++k)
    line("ld.global.b32 %i" + num(k) + ", [%g1+" + num(k * step) + "];");
  if (t.find("%x") != std::string::npos)
    for (size_t k = 0; k + 1 < inputs; k += 2)
      line("mov.b64 %x" + num(k / 2) + ", {%i" + num(k) + ", %i" + num(k + 1) + "};");
  line(p.body);
  for (size_t k = 0; k < p.outputs; ++k)
    line("st.global.b32 [%g0+" + num(k * step) + "], %o" + num(k) + ";");
  if (shared_words != 0) {
    line("bar.sync 0;");
    for (size_t w = 0; w < shared_words / p.threads; ++w) {
      line("ld.shared.b32 %v, [%t1+" + num(w * own) + "];");
      line("st.global.b32 [%g0+" + num((p.outputs + w) * step) + "], %v;");
    }
  }
  line("ret;\n}");
  return t;
}

// Shared memory's size must be a multiple of the block's words.
inline TensorRun run_tensor(const TensorProgram& p, const Registers& in,
                            std::vector<uint32_t> shared = {}) {
  TensorRun r;
  const size_t threads = size_t{p.threads} * p.blocks, words = shared.size();
  Program program = load_text(tensor_text(p, in.size(), words / p.blocks));
  if (program.module == nullptr) return r;
  for (const Uncovered& u : program.uncovered) ADD_FAILURE() << "uncovered: " << u.name;
  GlobalMemory memory;
  EXPECT_TRUE(place_globals(program, memory).ok());
  Region& out = memory.allocate("out", (p.outputs * threads + words) * 4 + 4, 256, true);
  Region& input = memory.allocate("in", (in.size() * threads + words) * 4 + 4, 256, true);
  std::vector<uint32_t> flat;
  for (const auto& reg : in) flat.insert(flat.end(), reg.begin(), reg.end());
  // Word w of a block's shared memory is thread w % threads' of that block.
  auto place = [&](size_t w) {
    const size_t own = words / p.blocks, block = w / own;
    return w % own / p.threads * threads + block * p.threads + w % p.threads;
  };
  const size_t base = flat.size();
  flat.resize(base + words);
  for (size_t w = 0; w < words; ++w) flat[base + place(w)] = shared[w];
  EXPECT_TRUE(memory.write(input.base(), std::as_bytes(std::span(flat))).ok());
  Launch launch;
  launch.block = {p.threads, 1, 1};
  launch.grid = launch.cluster = {p.blocks, 1, 1};
  launch.parameters.resize(16);
  const uint64_t bases[2] = {out.base(), input.base()};
  std::memcpy(launch.parameters.data(), bases, 16);
  auto outcome = execute(program, *program.find_kernel(""), launch, memory, p.options);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return r;
  }
  r.outcome = std::move(*outcome);
  std::vector<uint32_t> result(p.outputs * threads + words);
  EXPECT_TRUE(memory.read(out.base(), std::as_writable_bytes(std::span(result))).ok());
  r.out.resize(p.outputs);
  for (size_t k = 0; k < p.outputs; ++k)
    r.out[k].assign(result.begin() + static_cast<std::ptrdiff_t>(k * threads),
                    result.begin() + static_cast<std::ptrdiff_t>((k + 1) * threads));
  r.shared.resize(words);
  for (size_t w = 0; w < words; ++w) r.shared[w] = result[p.outputs * threads + place(w)];
  return r;
}

inline std::string list_of(const std::string& prefix, size_t first, size_t count) {
  std::string s = "{";
  for (size_t k = 0; k < count; ++k) s += (k ? ", " : "") + prefix + std::to_string(first + k);
  return s + "}";
}

// A binary floating-point format: sign, exponent and mantissa bits.
struct Format {
  int exponent, mantissa;
  bool sign = true;
  enum Top { kIeee, kOneNan, kNumbers } top = kIeee;
  int bits() const { return exponent + mantissa + (sign ? 1 : 0); }
};
inline constexpr Format kHalfFormat{5, 10}, kBrain{8, 7}, kTf32Format{8, 10}, kSingle{8, 23},
    kE4m3Format{4, 3, true, Format::kOneNan}, kE5m2Format{5, 2},
    kE3m2Format{3, 2, true, Format::kNumbers}, kE2m3Format{2, 3, true, Format::kNumbers},
    kE2m1Format{2, 1, true, Format::kNumbers}, kUe4m3Format{4, 3, false, Format::kOneNan};

inline double value_of(const Format& f, uint32_t bits) {
  const int bias = (1 << (f.exponent - 1)) - 1;
  const int e = static_cast<int>(bits >> f.mantissa) & ((1 << f.exponent) - 1);
  const int m = static_cast<int>(bits & ((1u << f.mantissa) - 1));
  const double s = f.sign && ((bits >> (f.mantissa + f.exponent)) & 1) ? -1 : 1;
  if (e == (1 << f.exponent) - 1) {
    if (f.top == Format::kIeee)
      return m ? std::numeric_limits<double>::quiet_NaN()
               : s * std::numeric_limits<double>::infinity();
    if (f.top == Format::kOneNan && m == (1 << f.mantissa) - 1)
      return std::numeric_limits<double>::quiet_NaN();
  }
  if (e == 0) return s * m * std::pow(2.0, 1 - bias - f.mantissa);
  return s * (1 + m * std::pow(2.0, -f.mantissa)) * std::pow(2.0, e - bias);
}

// The nearest value's bits by search: no arithmetic in common with the emulator's rounding.
inline uint32_t half_bits_of(double v) {
  if (std::isnan(v)) return 0x7fff;
  const uint32_t sign = std::signbit(v) ? 0x8000 : 0;
  const double a = std::fabs(v);
  uint32_t low = 0, high = 0x7c00;  // low's value ≤ a
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (value_of(kHalfFormat, middle) <= a ? low : high) = middle;
  }
  const double below = value_of(kHalfFormat, low);
  const double above = high == 0x7c00 ? 65536.0 : value_of(kHalfFormat, high);
  const double middle = below + (above - below) / 2;
  const bool up = a > middle || (a == middle && (low & 1) != 0);
  return sign | (up ? high : low);
}

inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t bits_of_float(float v) { return std::bit_cast<uint32_t>(v); }

}  // namespace tensor_util
}  // namespace pitot::emulator::test
