#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "approximate.h"

namespace pitot::conformance {
namespace {

using ptx::Type;

uint64_t word_at(const std::vector<uint8_t>& bytes, size_t at) {
  uint64_t v = 0;
  if (at < bytes.size()) std::memcpy(&v, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
  return v;
}

struct Parts {
  Type type;
  unsigned bits;  // of an element
};

Parts parts_of(const Field& f) {
  switch (f.type) {
    case Type::kF16:
    case Type::kF16x2:
      return {Type::kF16, 16};
    case Type::kBf16:
    case Type::kBf16x2:
      return {Type::kBf16, 16};
    case Type::kF32:
      return {Type::kF32, 32};
    case Type::kF64:
      return {Type::kF64, 64};
    default:
      return {Type::kNone, f.bits};
  }
}

std::string example_of(const Case& c, const Field& f, size_t index, uint64_t ours,
                       uint64_t theirs) {
  std::string text = fmt::format("{} [{}] element {}: emulator {:#x}, GPU {:#x}", f.line, c.name,
                                 index, ours, theirs);
  if (f.inputs.empty() || !f.element_wise) return text;
  text += "; inputs";
  for (size_t k = 0; k < f.inputs.size() && k < 8; ++k)
    text += fmt::format(" {:#x}", word_at(c.input, f.inputs[k] + 8 * index));
  return text;
}

void compare_field(const Case& c, const Field& f, const std::vector<uint8_t>& emulator,
                   const std::vector<uint8_t>& gpu, Tally& t) {
  const Parts parts = parts_of(f);
  const uint64_t mask = parts.bits >= 64 ? UINT64_MAX : (uint64_t{1} << parts.bits) - 1;
  for (size_t i = 0; i < f.count; ++i) {
    ++t.results;
    const uint64_t a = word_at(emulator, f.at + 8 * i), b = word_at(gpu, f.at + 8 * i);
    if (f.rule != Rule::kApproximate && a == b) continue;
    bool same_but_nan = parts.type != Type::kNone, counts = a != b;
    double apart = 0;
    for (unsigned at = 0; at < 64; at += parts.bits) {
      const uint64_t x = a >> at & mask, y = b >> at & mask;
      if (parts.type == Type::kNone) break;
      if (f.bits <= at) break;
      const double u = number_of(parts.type, x), v = number_of(parts.type, y);
      const bool nans = std::isnan(u) && std::isnan(v);
      if (x != y && !nans) same_but_nan = false;
      if (f.rule == Rule::kApproximate) {
        std::vector<uint64_t> operands;
        for (size_t k = 1; k < f.inputs.size(); ++k)  // the first is what the destination held
          operands.push_back(word_at(c.input, f.inputs[k] + 8 * i) >> at & mask);
        const Exactly e = exactly(f.spelling, f.type, operands);
        // A guarded instruction has a predicate among its inputs and may not have run.
        const bool guarded = f.line[0] == '@';
        if (!e.known || guarded) continue;
        const auto judge = [&](double got, double& worst) {
          if (std::isnan(e.value)) return std::isnan(got);
          if (std::isinf(e.value)) return got == e.value;
          if (std::isnan(got)) return false;
          double off = std::fabs(got - e.value);
          if (std::isinf(got)) {
            const double largest = parts.type == Type::kF16 ? 65504 : 3.4028234663852886e38;
            off = std::fabs(e.value) > largest * 0.9999 ? 0 : INFINITY;
          }
          if (got == 0 && std::fabs(e.value) <= e.flushed_below) off = 0;
          if (!std::isinf(e.allowed)) worst = std::max(worst, off / e.ulp);
          return off <= e.allowed * (1 + 1e-9);
        };
        const bool ours = judge(u, t.emulator_error), theirs = judge(v, t.gpu_error);
        if (!ours || !theirs) {
          ++t.beyond;
          if (t.beyond == 1) t.example = "beyond: " + example_of(c, f, i, a, b);
        }
        if (std::isfinite(u) && std::isfinite(v) && !std::isinf(e.allowed))
          apart = std::max(apart, std::fabs(u - v) / e.ulp);
      } else if (!nans && std::isfinite(u) && std::isfinite(v)) {
        const double most = std::max(std::fabs(u), std::fabs(v));
        int exponent = 0;
        std::frexp(most, &exponent);
        const int mantissa = parts.type == Type::kF16    ? 10
                             : parts.type == Type::kBf16 ? 7
                             : parts.type == Type::kF64  ? 52
                                                         : 23;
        apart = std::max(apart, std::fabs(u - v) / std::ldexp(1.0, exponent - 1 - mantissa));
      }
    }
    t.apart = std::max(t.apart, apart);
    if (!counts) continue;
    ++t.different;
    if (same_but_nan) ++t.nan_bits;
    if (t.example.empty() ||
        (t.different - t.nan_bits == 1 && !same_but_nan && f.rule != Rule::kApproximate))
      t.example = example_of(c, f, i, a, b);
  }
}

}  // namespace

void Tally::add(const Tally& t) {
  rule = t.rule;
  if (example.empty() || (different == nan_bits && t.different != t.nan_bits && beyond == 0))
    if (!t.example.empty()) example = t.example;
  programs += t.programs;
  results += t.results;
  different += t.different;
  nan_bits += t.nan_bits;
  beyond += t.beyond;
  gpu_error = std::max(gpu_error, t.gpu_error);
  emulator_error = std::max(emulator_error, t.emulator_error);
  apart = std::max(apart, t.apart);
}

Comparison compare(const Case& c, const std::vector<uint8_t>& emulator,
                   const std::vector<uint8_t>& gpu) {
  Comparison out;
  out.differs = emulator != gpu;
  for (const Field& f : c.fields) {
    Tally one;
    one.rule = f.rule;
    compare_field(c, f, emulator, gpu, one);
    out.spellings[f.spelling].add(one);
  }
  if (c.fields.empty()) {
    Tally& t = out.spellings["(" + c.family + " program)"];
    t.results = c.output_bytes / 4;
    for (size_t at = 0; at < c.output_bytes; at += 4) {
      const uint64_t a = word_at(emulator, at) & 0xffffffff, b = word_at(gpu, at) & 0xffffffff;
      if (a == b) continue;
      if (t.different++ == 0)
        t.example = fmt::format("{} byte {}: emulator {:#x}, GPU {:#x}", c.name, at, a, b);
    }
  }
  for (auto& [name, t] : out.spellings) t.programs = 1;
  return out;
}

}  // namespace pitot::conformance
