#include "check/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/launch.h"
#include "ptx/special_register.h"

namespace pitot::check {

using device::SamplePattern;
using ptx::Type;
using ptx::TypeKind;

namespace {

void join(Parameter& p, const Parameter& q) {
  if (q.kind == ParameterKind::kPointer) p.kind = ParameterKind::kPointer;
  if (q.kind == ParameterKind::kImage && p.kind != ParameterKind::kImage) {
    p.kind = ParameterKind::kImage;
    p.image = q.image;
  }
  if (q.content != ContentKind::kUnknown &&
      (p.content == ContentKind::kUnknown || q.content == ContentKind::kIndex)) {
    p.content = q.content;
    p.element = q.element;
  }
  if (p.element == Type::kNone) p.element = q.element;
  if (p.stored == Type::kNone) p.stored = q.stored;
  p.read |= q.read;
  p.written |= q.written;
}

// What of the launch a kernel can tell apart.
void read_shape(const Side& side, Plan& plan) {
  const ptx::Module& m = *side.module;
  const auto special = ptx::special_registers();
  const bool llvm = ptx::producer_of(m).name.starts_with("LLVM");  // as Triton's PTX says
  for (const ptx::Instruction& i : m.body(side.function())) {
    const ptx::Opcode& op = *i.opcode;
    const bool wide = op.has(ptx::kLoad) && ptx::base_space(op.space) == ptx::Space::kGlobal &&
                      op.vector * ptx::bytes_of(op.type) >= 16;
    plan.promises |= llvm && (wide || op.mnemonic == ptx::Mnemonic::kCp);
    for (const ptx::Operand& o : m.operands_of(i)) {
      if (o.kind != ptx::OperandKind::kSpecialRegister) continue;
      const std::string name = ptx::special_register_name(o);
      plan.block_y |= name == "%tid.y";
      plan.grid_x |= name == "%ctaid.x";
      plan.grid_y |= name == "%ctaid.y";
      // %smid and its kin may change too, but not here.
      if (o.id < special.size() && plan.clock_line == 0 &&
          (name.starts_with("%clock") || name.starts_with("%globaltimer")))
        plan.clock_line = m.source->position(i.range.begin).line;
    }
  }
  const auto& bounds = side.function().bounds;
  if (const auto& b = bounds.reqntid ? bounds.reqntid : bounds.maxntid)
    for (size_t d = 0; d < 3; ++d) plan.block[d] = std::max((*b)[d], 1u);
  for (const ptx::Symbol& s : m.symbols)
    plan.dynamic_shared |= s.unsized && ptx::base_space(s.space) == ptx::Space::kShared;
}

// Numbers of a kernel that sizes should lie around: its block, and round constants that it compares
// with or adds.
std::vector<uint32_t> interesting_sizes(const Side& side) {
  const ptx::Module& m = *side.module;
  const ptx::Function& kernel = side.function();
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

}  // namespace

Plan make_plan(const Side& a, const std::vector<Parameter>& pa, const Side& b,
               const std::vector<Parameter>& pb) {
  Plan plan;
  plan.parameters = pa;
  plan.sizes = interesting_sizes(a);
  read_shape(a, plan);
  plan.promises_a = plan.promises;
  read_shape(b, plan);
  plan.most_shared = std::min(emulator::most_shared(*a.program), emulator::most_shared(*b.program));
  // Compilers name a parameter after its kernel: "gelu_param_2".
  const std::string prefix = std::string(a.function().name) + "_";
  for (Parameter& p : plan.parameters)
    if (p.name.starts_with(prefix)) p.name.erase(0, prefix.size());
  for (size_t i = 0; i < pa.size() && i < pb.size(); ++i) join(plan.parameters[i], pb[i]);
  for (uint32_t s : interesting_sizes(b))
    if (std::find(plan.sizes.begin(), plan.sizes.end(), s) == plan.sizes.end())
      plan.sizes.push_back(s);
  return plan;
}

Trial make_trial(const Plan& plan, unsigned number, uint64_t seed, bool edge) {
  Trial t;
  t.seed = device::random_bits(seed, number) >> 32;
  auto random = [&](uint64_t k) { return device::random_bits(t.seed, 1000 + k); };
  constexpr uint32_t kGrids[] = {1, 1, 2, 3, 1, 5};
  if (plan.grid_x) t.grid[0] = kGrids[number % 6];
  if (plan.grid_y && number % 6 == 3) t.grid[1] = 2;
  if (plan.block[0] != 0) {
    t.block = plan.block;
  } else if (plan.block_y) {
    constexpr std::array<uint32_t, 3> kBlocks[] = {{16, 16, 1}, {32, 8, 1}, {32, 4, 1}};
    t.block = kBlocks[number % std::size(kBlocks)];
  } else {
    constexpr uint32_t kBlocks[] = {128, 256, 32, 128, 256, 512, 64};
    constexpr uint32_t kOdd[] = {96, 32, 1024, 160, 64};
    t.block = {edge ? kOdd[number % std::size(kOdd)] : kBlocks[number % std::size(kBlocks)], 1, 1};
  }
  if (number % 4 == 3) t.special = device::kAllSpecial;
  using enum SamplePattern;
  constexpr SamplePattern kPatterns[] = {kMixed, kMixed, kNegative, kMixed, kPositive, kMixed,
                                         kMixed, kMixed, kEqual,    kMixed, kWide,     kMixed,
                                         kLarge, kMixed, kMixed,    kMixed, kNegative, kMixed};
  t.pattern = kPatterns[number % std::size(kPatterns)];
  // Sizes without a relation may make rows overlap: then the order of blocks would show.
  const bool unrelated = edge || number % 3 == 2;
  if (unrelated) t.grid = {1, 1, 1};
  const uint32_t base = plan.sizes[number % plan.sizes.size()];
  // Around a size, and sizes without a relation to it.
  const std::vector<uint64_t> around{base,     base - 1, base + 1, 1,  base / 2 + 3, 2 * base,
                                     base - 5, 97,       33,       7,  100,          3 * base / 2,
                                     16,       0,        64,       257};
  const std::vector<uint64_t> small{0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 31, 33, base, base + 1};
  const auto& values = edge ? small : around;
  const uint64_t common = around[number % around.size()];
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& p = plan.parameters[i];
    uint64_t v = 0;
    if (p.kind == ParameterKind::kInteger) {
      // Mostly one size for all, so that strides fit; sometimes each its own.
      v = unrelated ? values[random(i) % values.size()] : common;
      if (number % 8 == 5 || (plan.promises && number % 2 == 0)) v = (v + 15) / 16 * 16;
      v = (v + plan.multiple_of - 1) / plan.multiple_of * plan.multiple_of;
    } else if (p.kind == ParameterKind::kFloat) {
      constexpr double kValues[] = {0.5, 1.0, 1e-5, 2.25, -0.75, 0.0, 3.0};
      v = device::encode(kValues[random(i) % std::size(kValues)], p.type);
    }
    t.scalars.push_back(v);
  }
  return t;
}

bool all_round(const Plan& plan, const Trial& trial) {
  for (size_t i = 0; i < plan.parameters.size(); ++i)
    if (plan.parameters[i].kind == ParameterKind::kInteger && trial.scalars[i] % 16 != 0)
      return false;
  return true;
}

bool make_smaller(const Plan& plan, Trial& trial) {
  bool changed = false;
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    uint64_t& v = trial.scalars[i];
    if (plan.parameters[i].kind != ParameterKind::kInteger) continue;
    const uint64_t least = std::max<uint64_t>(1, plan.multiple_of);
    const uint64_t less = std::max(least, v / 4 / least * least);
    changed |= less < v;
    v = std::min(v, less);
  }
  for (uint32_t& g : trial.grid) {
    changed |= g > 1;
    g = std::max(1u, g / 4);
  }
  return changed;
}

std::string describe(const Plan& plan, const Trial& trial) {
  std::string out = trial.grid[1] > 1 ? fmt::format("grid {}x{}", trial.grid[0], trial.grid[1])
                                      : fmt::format("grid {}", trial.grid[0]);
  // A block that the kernel does not ask for has been guessed.
  if (plan.block[0] == 0)
    out += trial.block[1] > 1 ? fmt::format(", block {}x{}", trial.block[0], trial.block[1])
                              : fmt::format(", block {}", trial.block[0]);
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& p = plan.parameters[i];
    if (p.kind == ParameterKind::kInteger)
      out += fmt::format(", {} = {}", p.name, trial.scalars[i]);
    else if (p.kind == ParameterKind::kFloat)
      out += fmt::format(", {} = {}", p.name, device::decode(trial.scalars[i], p.type));
  }
  return out;
}

ptx::Type element_of(const Parameter& p) {
  if (p.kind == ParameterKind::kImage) return image_spec(p).channel_type();
  const unsigned bytes = ptx::bytes_of(p.element);
  return bytes == 0 || bytes > 8 ? Type::kB32 : p.element;
}

ptx::Type result_of(const Parameter& p) {
  if (p.kind == ParameterKind::kImage) return element_of(p);
  const Type type = p.stored != Type::kNone ? p.stored : p.element;
  return ptx::bytes_of(type) == 0 || ptx::bytes_of(type) > 8 ? Type::kB32 : type;
}

// Large enough for what integers are tried, small enough to be written out.
device::ImageSpec image_spec(const Parameter& p) {
  using enum emulator::ImageShape;
  struct Extents {
    emulator::ImageShape shape;
    unsigned width, height, depth, layers;
  };
  constexpr Extents kExtents[] = {
      {kLinear, 65536, 1, 1, 1}, {k1d, 8192, 1, 1, 1},          {k2d, 1024, 256, 1, 1},
      {k3d, 128, 64, 32, 1},     {k1dLayered, 2048, 1, 1, 16},  {k2dLayered, 256, 128, 1, 8},
      {kCube, 64, 64, 1, 6},     {kCubeLayered, 64, 64, 1, 12}, {k2dSamples, 128, 128, 1, 1}};
  device::ImageSpec out;
  out.kind = p.image.kind;
  out.shape = p.image.shape;
  out.format = p.image.format;
  for (const Extents& e : kExtents) {
    if (e.shape != out.shape) continue;
    out.width = std::to_string(e.width);
    out.height = std::to_string(e.height);
    out.depth = std::to_string(e.depth);
    out.layers = std::to_string(e.layers);
  }
  if (out.shape == k2dSamples) out.samples = "4";
  return out;
}

device::ImageSpec image_spec(const Trial& trial, const Parameter& p, size_t i) {
  device::ImageSpec out = image_spec(p);
  // What the reference itself says stands.
  if (p.reference || out.kind == emulator::OpaqueKind::kSurface) return out;
  const uint64_t r = device::random_bits(trial.seed, 5000 + i);
  using enum emulator::ImageShape;
  const bool cube = out.shape == kCube || out.shape == kCubeLayered;
  if (out.shape != kLinear && out.format.filters() && (r & 1) != 0)
    out.filter = emulator::FilterMode::kLinear;
  if (out.shape != kLinear) out.normalized = (r & 2) != 0 || cube;
  if (!cube && (r & 6) == 6) {
    const auto wrap = emulator::AddressMode::kWrap;
    out.address = {wrap, wrap, wrap};
  }
  return out;
}

device::Sample sample_of(const Plan& plan, const Trial& trial, size_t i) {
  device::Sample s{device::random_bits(trial.seed, i) >> 32, trial.pattern, trial.special};
  if (plan.parameters[i].content == ContentKind::kIndex) {
    s.pattern = SamplePattern::kIndex;
    s.special = 0;
  }
  return s;
}

}  // namespace pitot::check
