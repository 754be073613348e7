#include "check/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device/values.h"

namespace pitot::check {

using ptx::Type;
using ptx::TypeKind;

std::vector<uint32_t> interesting_sizes(const ptx::Module& m, const ptx::Function& kernel) {
  std::vector<uint32_t> out;
  if (auto t = kernel.bounds.threads()) out.push_back(static_cast<uint32_t>(*t));
  std::vector<uint32_t> round;
  for (const ptx::Instruction& i : m.body(kernel)) {
    const auto mn = i.opcode->mnemonic;
    if (mn != ptx::Mnemonic::kSetp && mn != ptx::Mnemonic::kOr && mn != ptx::Mnemonic::kAdd &&
        mn != ptx::Mnemonic::kShl && mn != ptx::Mnemonic::kMad && mn != ptx::Mnemonic::kMul)
      continue;
    if (ptx::kind_of(i.opcode->type) == TypeKind::kFloat) continue;
    for (const ptx::Operand& o : m.operands_of(i)) {
      if (o.kind != ptx::OperandKind::kInteger) continue;
      uint64_t v = static_cast<uint64_t>(o.value);
      if (mn == ptx::Mnemonic::kShl) v = v < 13 ? uint64_t{1} << v : 0;
      if (v >= 16 && v <= 4096 && std::has_single_bit(v)) round.push_back(static_cast<uint32_t>(v));
    }
  }
  std::sort(round.begin(), round.end());
  round.erase(std::unique(round.begin(), round.end()), round.end());
  // The largest few: tiles rather than parts of them.
  for (size_t k = round.size(); k-- > 0 && out.size() < 5;) out.push_back(round[k]);
  if (out.empty()) out.push_back(128);
  return out;
}

Trial make_trial(const std::vector<Parameter>& parameters, const std::vector<uint32_t>& sizes,
                 unsigned number, uint64_t seed) {
  Trial t;
  t.seed = device::random_bits(seed, number);
  auto random = [&](uint64_t k) { return device::random_bits(t.seed, 1000 + k); };
  const uint32_t grids[] = {1, 1, 2, 3, 1, 5};
  t.grid[0] = grids[number % 6];
  if (number % 6 == 3) t.grid[1] = 2;
  t.special = number % 4 == 3;
  // Sizes without a relation may make rows overlap: then the order of blocks would show.
  const bool unrelated = number % 3 == 2;
  if (unrelated) t.grid = {1, 1, 1};
  const uint32_t base = sizes[number % sizes.size()];
  // Around a size, and sizes without a relation to it.
  const uint32_t around[] = {base,     base - 1, base + 1, 1,  base / 2 + 3, 2 * base,
                             base - 5, 97,       33,       7,  100,          3 * base / 2,
                             16,       0,        64,       257};
  const uint32_t common = around[number % std::size(around)];
  t.description = t.grid[1] > 1 ? fmt::format("grid {}x{}", t.grid[0], t.grid[1])
                                : fmt::format("grid {}", t.grid[0]);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    uint64_t v = 0;
    if (p.kind == ParameterKind::kInteger) {
      // Mostly one size for all, so that strides fit; sometimes each its own.
      v = unrelated ? around[random(i) % std::size(around)] : common;
      if (number % 8 == 5) v = (v + 15) / 16 * 16;
      t.description += fmt::format(", {} = {}", p.name, v);
    } else if (p.kind == ParameterKind::kFloat) {
      const double values[] = {0.5, 1.0, 1e-5, 2.25, -0.75, 0.0, 3.0};
      const double x = values[random(i) % std::size(values)];
      v = device::encode(x, p.type);
      t.description += fmt::format(", {} = {}", p.name, x);
    }
    t.scalars.push_back(v);
  }
  return t;
}

emulator::PageFill filling(const Parameter& p, const Trial& trial, size_t number) {
  const uint64_t seed = device::random_bits(trial.seed, number);
  Type type = p.element == Type::kNone ? Type::kB32 : p.element;
  unsigned bytes = ptx::bytes_of(type);
  if (bytes == 0 || bytes > 8) {
    type = Type::kB32;
    bytes = 4;
  }
  const bool special = trial.special;
  const ContentKind content = p.content;
  const bool is_float = ptx::kind_of(type) == TypeKind::kFloat;
  return [=](uint64_t offset, std::span<std::byte, emulator::kPageBytes> page) {
    for (uint64_t at = 0; at < page.size(); at += bytes) {
      const uint64_t r = device::random_bits(seed, (offset + at) / bytes);
      uint64_t v = 0;
      if (is_float) {
        // Around 0 with a few large ones; all exactly representable in few bits of precision.
        double x = (static_cast<double>(r & 0xffff) - 32768.0) / 16384.0;
        if (special && (r >> 16) % 64 == 0) {
          const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 1e30, -1e-30, 65504, 1e-40};
          x = values[(r >> 24) % std::size(values)];
        }
        v = device::encode(x, type);
      } else if (content == ContentKind::kIndex) {
        v = r % 32;
      } else {
        v = special && (r >> 16) % 64 == 0 ? r : r % 100;
      }
      std::memcpy(page.data() + at, &v, bytes);
    }
  };
}

}  // namespace pitot::check
