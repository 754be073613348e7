#include "check/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/emulated.h"

namespace pitot::check {
namespace {

using device::ArgumentSpec;
using ptx::Type;

constexpr uint64_t kMostElements = 4u << 20;           // of all buffers
constexpr uint64_t kCuttingInstructions = 40'000'000;  // warp instructions of all runs

// Bytes that runs may have touched before and behind a pointer, by whole pages.
struct Extent {
  uint64_t before = 0, behind = 0;
};

Extent extent_of(const Run& run, size_t parameter) {
  Extent e;
  for (uint64_t page : run.regions[parameter]->touched()) {
    const uint64_t at = page * emulator::kPageBytes;
    if (at < kMiddle) {
      e.before = std::max(e.before, kMiddle - at);
    } else {
      e.behind = std::max(e.behind, at + emulator::kPageBytes - kMiddle);
    }
  }
  return e;
}

class Cutter {
 public:
  Cutter(const Side& a, const Side& b, device::KernelSpec& spec, const Options& options,
         uint64_t instructions, bool b_faults)
      : a_(a),
        b_(b),
        spec_(spec),
        options_(options),
        cost_(instructions + 1),
        b_faults_(b_faults) {}

  // Whether both run as they did on unlimited buffers.
  bool runs() {
    spent_ += cost_;
    return ok(a_, true) && (b_faults_ || ok(b_, true));
  }

  void cut(ArgumentSpec& argument) {
    const uint64_t origin = number(argument.origin);
    uint64_t most = number(argument.count) - origin;
    least(most, [&](uint64_t v) { argument.count = std::to_string(origin + v); });
    argument.count = std::to_string(origin + most);
    uint64_t before = origin;
    const uint64_t behind = most;
    auto set = [&](uint64_t v) {
      argument.origin = std::to_string(v);
      argument.count = std::to_string(v + behind);
    };
    least(before, set);
    set(before);
  }

 private:
  static uint64_t number(const std::string& s) { return std::stoull(s); }

  bool ok(const Side& side, bool) const {
    device::EmulatedOptions o;
    o.emulator.workers = options_.workers;
    o.emulator.instruction_budget = options_.most_instructions();
    auto r = device::run_emulated(*side.program, side.kernel, spec_, spec_.sizes[0], o);
    return r && r->ok();
  }

  template <class Set>
  void least(uint64_t& most, Set&& set) {
    uint64_t low = 0;
    while (low < most && spent_ < kCuttingInstructions) {
      const uint64_t middle = low + (most - low) / 2;
      set(middle);
      if (runs()) {
        most = middle;
      } else {
        low = middle + 1;
      }
    }
  }

  const Side& a_;
  const Side& b_;
  device::KernelSpec& spec_;
  const Options& options_;
  uint64_t cost_, spent_ = 0;
  bool b_faults_;
};

std::string quoted_three(const std::array<std::string, 3>& v) {
  return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
}

std::string image_text(const char* table, const ArgumentSpec& a) {
  const device::ImageSpec& s = *a.image;
  std::string out = fmt::format("\n[[{}]]\nname = \"{}\"\nkind = \"{}\"\n", table, a.name,
                                emulator::name_of(s.kind));
  if (s.has_texels()) {
    out += fmt::format("shape = \"{}\"\nformat = \"{}\"\nwidth = {}\n", emulator::name_of(s.shape),
                       emulator::name_of(s.format), s.width);
    const std::pair<const char*, const std::string*> extents[] = {
        {"height", &s.height}, {"depth", &s.depth}, {"layers", &s.layers}, {"samples", &s.samples}};
    for (const auto& [key, value] : extents)
      if (*value != "1") out += fmt::format("{} = {}\n", key, *value);
    out += fmt::format("init = \"{}\"\n", a.init);
  }
  if (s.filter) out += "filter = \"linear\"\n";
  if (s.normalized) out += fmt::format("normalized = {}\n", *s.normalized);
  if (s.address) out += "address = \"wrap\"\n";
  if (s.kind == emulator::OpaqueKind::kSurface) out += "role = \"inout\"\n";
  return out;
}

}  // namespace

Reproduction reproduce(const Side& a, const Side& b, const Plan& plan, const Trial& trial,
                       const Judged& judged, const Options& options) {
  Reproduction out;
  device::KernelSpec& spec = out.spec;
  emulator::Launch l;
  shape_of(a, plan, trial, l);
  for (size_t i = 0; i < 3; ++i) {
    spec.grid[i] = std::to_string(l.grid[i]);
    spec.block[i] = std::to_string(l.block[i]);
    spec.cluster[i] = std::to_string(l.cluster[i]);
  }
  spec.shared = std::to_string(l.dynamic_shared);
  spec.sizes.push_back({"full", {}});
  RunOptions ro;
  ro.workers = options.workers;
  ro.budget = options.most_instructions();
  auto x = run_kernel(a, plan, trial, ro), y = run_kernel(b, plan, trial, ro);
  if (!x || !y) {
    out.none = "the launch cannot be repeated";
    return out;
  }
  uint64_t elements = 0;
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& p = plan.parameters[i];
    ArgumentSpec argument;
    argument.name = p.name;
    if (p.kind == ParameterKind::kImage) {
      argument.image = image_spec(trial, p, i);
      argument.type = element_of(p);
      const device::Sample s = sample_of(plan, trial, i);
      argument.init =
          fmt::format("sample({}, {}, {})", s.seed, static_cast<int>(s.pattern), s.special);
      const bool surface = p.image.kind == emulator::OpaqueKind::kSurface;
      argument.role = surface ? device::Role::kInOut : device::Role::kIn;
      if (argument.image->has_texels())
        elements += x->regions[i]->size() / ptx::bytes_of(argument.type);
      (p.reference ? spec.references : spec.arguments).push_back(std::move(argument));
      continue;
    }
    if (p.kind == ParameterKind::kPointer) {
      argument.is_buffer = true;
      // What is written is compared by its own type; a buffer that is read too has the input's.
      argument.type = element_of(p);
      if (!p.read || ptx::bytes_of(result_of(p)) == ptx::bytes_of(argument.type))
        argument.type = p.read && p.content != ContentKind::kUnknown ? argument.type : result_of(p);
      const unsigned bytes = ptx::bytes_of(argument.type);
      const Extent e = extent_of(*x, i), f = extent_of(*y, i);
      const uint64_t before = std::max(e.before, f.before) / bytes;
      const uint64_t count = before + std::max(e.behind, f.behind) / bytes;
      elements += count;
      argument.origin = std::to_string(before);
      argument.count = std::to_string(count);
      const bool written = x->regions[i]->written || y->regions[i]->written;
      argument.role = !written ? device::Role::kIn : device::Role::kInOut;
      const device::Sample s = sample_of(plan, trial, i);
      argument.init =
          fmt::format("sample({}, {}, {})", s.seed, static_cast<int>(s.pattern), s.special);
    } else {
      const unsigned bytes = ptx::bytes_of(p.type);
      if (p.kind == ParameterKind::kBytes || bytes == 0 || bytes > 8) {
        out.none = fmt::format("parameter '{}' is a structure, which a spec cannot give", p.name);
        return out;
      }
      argument.type = p.type;
      if (p.kind == ParameterKind::kFloat) {
        argument.value = fmt::format("{:.17g}", device::decode(trial.scalars[i], p.type));
      } else {
        argument.value = std::to_string(static_cast<int64_t>(trial.scalars[i]));
      }
    }
    spec.arguments.push_back(std::move(argument));
  }
  if (elements > kMostElements) {
    out.none = fmt::format("its buffers span {} elements", elements);
    return out;
  }
  Cutter cutter(a, b, spec, options, judged.instructions, judged.end == TrialEnd::kFault);
  if (!cutter.runs()) {
    out.none = "the kernels do not run on buffers with an end";
    return out;
  }
  for (ArgumentSpec& argument : spec.arguments)
    if (argument.is_buffer) cutter.cut(argument);
  return out;
}

std::string spec_text(const device::KernelSpec& spec) {
  std::string out = fmt::format("\n[launch]\ngrid = {}\nblock = {}\n", quoted_three(spec.grid),
                                quoted_three(spec.block));
  if (spec.cluster != std::array<std::string, 3>{"1", "1", "1"})
    out += fmt::format("cluster = {}\n", quoted_three(spec.cluster));
  out += fmt::format("shared = {}  # dynamic shared memory, bytes\n", spec.shared);
  for (const ArgumentSpec& a : spec.references) out += image_text("references", a);
  for (const ArgumentSpec& a : spec.arguments) {
    if (a.image) {
      out += image_text("args", a);
      continue;
    }
    out += fmt::format("\n[[args]]\nname = \"{}\"\nkind = \"{}\"\ntype = \"{}\"\n", a.name,
                       a.is_buffer ? "buffer" : "scalar", ptx::name_of(a.type));
    if (!a.is_buffer) {
      out += fmt::format("value = \"{}\"\n", a.value);
      continue;
    }
    out += fmt::format("count = {}\n", a.count);
    if (a.origin != "0") out += fmt::format("origin = {}  # where the pointer points\n", a.origin);
    out += fmt::format("init = \"{}\"\nrole = \"{}\"\n", a.init,
                       a.role == device::Role::kIn ? "in" : "inout");
  }
  return out;
}

Status find_feeds(const Side& a, const Plan& plan, const Trial& trial, const Judged& judged,
                  const device::KernelSpec& spec, const Options& options, Counterexample& out) {
  constexpr uint64_t kElements = 64, kInstructions = 10'000'000;
  constexpr size_t kShown = 8;
  const unsigned bytes = ptx::bytes_of(result_of(plan.parameters[judged.compared.buffer]));
  RunOptions o;
  o.budget = options.most_instructions();
  o.workers = options.workers;
  auto plain = run_kernel(a, plan, trial, o);
  if (!plain) return plain.error();
  const uint64_t before =
      plain->element(plan, judged.compared.buffer, judged.compared.index, bytes);
  uint64_t spent = 0;
  for (size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& p = plan.parameters[i];
    if (p.kind != ParameterKind::kPointer || !p.read || i >= spec.arguments.size()) continue;
    const Type type = element_of(p);
    const int64_t first = -static_cast<int64_t>(std::stoull(spec.arguments[i].origin));
    const uint64_t count = std::min<uint64_t>(kElements, std::stoull(spec.arguments[i].count));
    const device::Sample sample = sample_of(plan, trial, i);
    for (uint64_t k = 0; k < count && spent < kInstructions; ++k) {
      Override change{i, first + static_cast<int64_t>(k), 0};
      const uint64_t bits = device::sample_bits(sample, change.index, type);
      // Indices stay in range; anything else changes visibly.
      if (ptx::kind_of(type) == ptx::TypeKind::kFloat) {
        const double v = device::decode(bits, type);
        change.bits = device::encode(std::isfinite(v) ? 1.25 - 2 * v : 1, type);
      } else {
        change.bits = bits ^ 1;
      }
      o.override_one = &change;
      auto r = run_kernel(a, plan, trial, o);
      if (!r) return r.error();
      spent += r->outcome.counters.warp_instructions + 1;
      if (!r->outcome.ok() ||
          r->element(plan, judged.compared.buffer, judged.compared.index, bytes) == before)
        continue;
      if (out.fed_by++ < kShown)
        out.feeds.push_back({p.name, change.index, element_text(bits, type)});
    }
  }
  return Ok{};
}

}  // namespace pitot::check
