#include "predict/bare_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "analysis/affine.h"
#include "analysis/flow_facts.h"
#include "analysis/trip_counts.h"
#include "check/kernel_run.h"
#include "check/trial.h"
#include "device/values.h"
#include "predict/launch_columns.h"

namespace pitot::predict {
namespace {

using analysis::AtomKind;
using analysis::FormId;
using analysis::kNone;

constexpr uint64_t kSampleMemory = uint64_t{1} << 30;  // bytes of pages that a sample may touch
constexpr uint64_t kRepeatedValues = 512;              // of random floats
constexpr uint64_t kOffsetStep = 16;                   // between neighbours of what bounds loops

// What a comparison says that an integer bounds: places of threads along one dimension.
struct Extent {
  unsigned dimension = 0;
  double cover = 0, tile = 0;  // of the grid, and of one block
  bool in_loop = false;        // threads go on to further places
};

class ArgumentGuess {
 public:
  ArgumentGuess(const ptx::Module& m, uint32_t kernel, const BareLaunch& launch)
      : m_(m), f_(m.functions[kernel]), launch_(launch) {}

  GuessedArguments run() {
    GuessedArguments out;
    out.known.block = launch_.block;
    out.known.grid = launch_.grid;
    for (check::Parameter& p : check::infer_parameters(m_, f_))
      out.arguments.push_back({std::move(p), 0, "", false});
    look();
    for (GuessedArgument& a : out.arguments) {
      value_of(a);
      if (a.parameter.kind == check::ParameterKind::kInteger)
        out.known.parameters.emplace_back(a.parameter.symbol, a.bits);
    }
    for (check::Parameter& p : check::infer_references(m_))
      out.arguments.push_back({std::move(p), 0, "", false});
    return out;
  }

 private:
  void look() {
    analysis::Workspace ws;
    flow_.build(m_, f_, ws);
    if (flow_.too_complex) return;
    const auto shape = analysis::block_shape_of(f_, launch_.block);
    uniformity_.build(flow_, shape, ws);
    forms_.build(flow_, uniformity_);
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i)
      if (flow_.instruction(i).opcode->mnemonic == ptx::Mnemonic::kSetp) compare(i);
    for (const analysis::TripCount& t : analysis::trip_counts(flow_)) {
      if (t.counter.test == kNone) continue;
      for (analysis::ValueId v : {t.counter.start, t.counter.bound}) offsets(v);
    }
  }

  void compare(uint32_t i) {
    if (ptx::kind_of(flow_.instruction(i).opcode->type) == ptx::TypeKind::kFloat) return;
    const auto operands = m_.operands_of(flow_.instruction(i));
    if (operands.size() < 3) return;
    const FormId a = forms_.of_operand(i, 1), b = forms_.of_operand(i, 2);
    if (a == kNone || b == kNone) return;
    const FormId d = forms_.add(a, b, 64, -1);
    if (d != kNone) difference(d, flow_.loops.loop_of[flow_.cfg.block_of[i]] != kNone);
  }

  // place − bound, or the other way round.
  void difference(FormId d, bool in_loop) {
    std::optional<ptx::SymbolId> bound;
    double scale = 1;
    std::array<double, 3> per_block{}, per_thread{};
    for (const analysis::Term& t : forms_.terms(d)) {
      double factor = static_cast<double>(t.coefficient);
      int block_dimension = -1, thread_dimension = -1;
      bool plain = true;
      std::optional<std::pair<ptx::SymbolId, double>> parameter;
      for (analysis::AtomId id : forms_.monomial(t.monomial).span()) {
        const analysis::Atom& atom = forms_.atom(id);
        if (atom.kind == AtomKind::kSpecial) {
          const std::string& name = forms_.special_names()[atom.id];
          const int dim = name.ends_with(".x") ? 0 : name.ends_with(".y") ? 1 : 2;
          if (name.starts_with("%ctaid"))
            block_dimension = dim;
          else if (name.starts_with("%tid"))
            thread_dimension = dim;
          else if (name.starts_with("%ntid"))
            factor *= launch_.block[static_cast<size_t>(dim)];
          else if (name.starts_with("%nctaid"))
            factor *= launch_.grid[static_cast<size_t>(dim)];
          else
            plain = false;
        } else if (auto p = parameter_of(id)) {
          parameter = p;
        } else {
          in_loop |= atom.kind == AtomKind::kLoopCounter;
          plain = false;
        }
      }
      if (!plain) continue;
      if (block_dimension >= 0) {
        if (!parameter) per_block[static_cast<size_t>(block_dimension)] += factor;
      } else if (thread_dimension >= 0) {
        per_thread[static_cast<size_t>(thread_dimension)] += factor;
      } else if (parameter) {
        if (bound && *bound != parameter->first) return;  // of two parameters: no plain bound
        bound = parameter->first;
        scale = std::abs(factor) * parameter->second;
      }
    }
    if (!bound || scale == 0) return;
    int dim = -1;
    for (int k = 0; k < 3; ++k)
      if (per_block[static_cast<size_t>(k)] != 0) {
        if (dim >= 0) return;  // a place made of several dimensions
        dim = k;
      }
    if (dim < 0) return;
    Extent e;
    e.dimension = static_cast<unsigned>(dim);
    e.tile = std::abs(per_block[e.dimension]) / scale;
    e.cover = e.tile * launch_.grid[e.dimension];
    e.in_loop = in_loop;
    extents_.emplace_back(*bound, e);
  }

  // The parameter behind an atom, and what it is divided by there.
  std::optional<std::pair<ptx::SymbolId, double>> parameter_of(analysis::AtomId id) {
    const analysis::Atom& atom = forms_.atom(id);
    if (atom.kind == AtomKind::kParameter) return std::pair{ptx::SymbolId{atom.id}, 1.0};
    if (atom.kind != AtomKind::kExpression || atom.argument_count < 2) return std::nullopt;
    const auto op = atom.operation.op;
    if (op != analysis::IntOp::kShr && op != analysis::IntOp::kDiv) return std::nullopt;
    const FormId what = atom.arguments[0], by = atom.arguments[1];
    if (what == kNone || by == kNone || !forms_.is_constant(by)) return std::nullopt;
    const auto terms = forms_.terms(what);
    if (terms.size() != 1 || terms[0].coefficient != 1) return std::nullopt;
    const auto atoms = forms_.monomial(terms[0].monomial).span();
    if (atoms.size() != 1 || forms_.atom(atoms[0]).kind != AtomKind::kParameter)
      return std::nullopt;
    const int64_t c = forms_.form(by).constant;
    if (c <= 0 || (op == analysis::IntOp::kShr && c > 30)) return std::nullopt;
    const double divisor =
        op == analysis::IntOp::kShr ? static_cast<double>(int64_t{1} << c) : static_cast<double>(c);
    return std::pair{ptx::SymbolId{forms_.atom(atoms[0]).id}, 1 / divisor};
  }

  // A value that starts or ends a loop: if it was loaded, its pointer has offsets behind it.
  void offsets(analysis::ValueId v) {
    for (unsigned depth = 0; depth < 4 && v != kNone; ++depth) {
      const uint32_t writer = analysis::only_writer(flow_, v);
      if (writer == kNone) return;
      const ptx::Opcode& op = *flow_.instruction(writer).opcode;
      if (op.mnemonic == ptx::Mnemonic::kCvt || op.mnemonic == ptx::Mnemonic::kMov) {
        v = flow_.read(writer, 1);
        continue;
      }
      if (op.mnemonic != ptx::Mnemonic::kLd) return;
      const FormId address = forms_.of_operand(writer, 1);
      if (address == kNone) return;
      const analysis::AtomId base = forms_.base(address);
      if (base != kNone && forms_.atom(base).kind == AtomKind::kParameter)
        offsets_.push_back(forms_.atom(base).id);
      return;
    }
  }

  void value_of(GuessedArgument& a) const {
    const check::Parameter& p = a.parameter;
    if (p.kind == check::ParameterKind::kPointer)
      a.offsets = std::find(offsets_.begin(), offsets_.end(), p.symbol) != offsets_.end();
    if (p.kind == check::ParameterKind::kFloat) {
      a.bits = device::encode(1, p.type);
      a.from = "1";
    }
    if (p.kind != check::ParameterKind::kInteger) return;
    const auto size = static_cast<double>(launch_.size);
    double largest = 0, own = 0;
    bool size_fits = extents_.empty(), own_fits = false, own_in_loop = false;
    unsigned dimension = 0;
    for (const auto& [symbol, e] : extents_) {
      largest = std::max(largest, e.cover);
      const bool fits = size > e.cover - e.tile && size <= e.cover;
      size_fits |= fits || (e.in_loop && size > e.cover);
      if (symbol != p.symbol) continue;
      own_fits |= fits;
      own_in_loop |= e.in_loop && size > e.cover;
      if (e.cover > own) {
        own = e.cover;
        dimension = e.dimension;
      }
    }
    double v = 0;
    if (size > 0 && (own > 0 ? own_fits || own_in_loop : size_fits)) {
      v = size;
      a.from = "the size";
    } else if (own > 0) {
      v = own;
      a.from = fmt::format("covers the grid in {}", "xyz"[dimension]);
    } else if (largest > 0) {
      v = largest;
      a.from = "the largest extent of the grid";
    } else {
      v = size > 0 ? size
                   : static_cast<double>(emulator::volume_of(launch_.grid) *
                                         emulator::volume_of(launch_.block));
      a.from = size > 0 ? "the size" : "the threads of the grid";
    }
    const unsigned bits = std::min(63u, std::max(8u, ptx::bits_of(p.type)) - 1);
    v = std::min(v, static_cast<double>((uint64_t{1} << bits) - 1));
    a.bits = static_cast<uint64_t>(std::max(1.0, v));
  }

  const ptx::Module& m_;
  const ptx::Function& f_;
  const BareLaunch& launch_;
  analysis::FlowFacts flow_;
  analysis::Uniformity uniformity_;
  analysis::AffineForms forms_;
  std::vector<std::pair<ptx::SymbolId, Extent>> extents_;
  std::vector<ptx::SymbolId> offsets_;
};

emulator::PageFill values_behind(const GuessedArgument& a, uint64_t size, IndexData indices,
                                 uint64_t seed) {
  const ptx::Type type = check::element_of(a.parameter);
  const unsigned bytes = ptx::bytes_of(type);
  device::Sample sample{seed >> 32, device::SamplePattern::kMixed, 0};
  const bool index = a.parameter.content == check::ContentKind::kIndex;
  if (index) sample.pattern = device::SamplePattern::kIndex;
  const bool sized = index && indices == IndexData::kSized && size > 0;
  const bool offsets = a.offsets;
  if (!index && !offsets && ptx::kind_of(type) == ptx::TypeKind::kFloat) {
    // The same again and again: making them would take longer than running the kernel.
    std::vector<std::byte> some(kRepeatedValues * bytes);
    for (uint64_t n = 0; n < kRepeatedValues; ++n) {
      const uint64_t v = device::sample_bits(sample, static_cast<int64_t>(n), type);
      std::memcpy(some.data() + n * bytes, &v, bytes);
    }
    return [some = std::move(some)](uint64_t, std::span<std::byte, emulator::kPageBytes> page) {
      for (size_t at = 0; at + some.size() <= page.size(); at += some.size())
        std::memcpy(page.data() + at, some.data(), some.size());
    };
  }
  return [=](uint64_t offset, std::span<std::byte, emulator::kPageBytes> page) {
    const int64_t first = (static_cast<int64_t>(offset) - static_cast<int64_t>(check::kMiddle)) /
                          static_cast<int64_t>(bytes);
    for (uint64_t at = 0; at < page.size(); at += bytes) {
      const int64_t n = first + static_cast<int64_t>(at / bytes);
      const uint64_t v = offsets ? static_cast<uint64_t>(std::max<int64_t>(0, n)) * kOffsetStep
                         : sized ? device::random_bits(seed, static_cast<uint64_t>(n)) % size
                                 : device::sample_bits(sample, n, type);
      std::memcpy(page.data() + at, &v, bytes);
    }
  };
}

}  // namespace

GuessedArguments guess_arguments(const ptx::Module& module, uint32_t kernel,
                                 const BareLaunch& launch) {
  return ArgumentGuess(module, kernel, launch).run();
}

Result<device::PreparedRun> prepare_bare(const emulator::Program& program, uint32_t kernel,
                                         const BareLaunch& launch, const GuessedArguments& guessed,
                                         IndexData indices, uint64_t seed) {
  const ptx::Function& f = program.module->functions[kernel];
  device::PreparedRun out;
  out.launch.grid = launch.grid;
  out.launch.block = launch.block;
  out.launch.cluster = launch.cluster;
  if (f.bounds.reqnctapercluster && emulator::volume_of(launch.cluster) == 1)
    for (size_t i = 0; i < 3; ++i)
      out.launch.cluster[i] = std::max((*f.bounds.reqnctapercluster)[i], 1u);
  out.launch.dynamic_shared = launch.dynamic_shared;
  if (auto problem = emulator::launch_problem(program, kernel, out.launch))
    return input_error(problem->message);
  out.memory = std::make_unique<emulator::GlobalMemory>(kSampleMemory);
  if (Status s = emulator::place_globals(program, *out.memory); !s) return s.error();
  out.launch.parameters.resize(program.functions[kernel].parameter_bytes);
  for (size_t i = 0; i < guessed.arguments.size(); ++i) {
    const GuessedArgument& a = guessed.arguments[i];
    const check::Parameter& p = a.parameter;
    uint64_t bits = a.bits;
    const uint64_t own_seed = device::random_bits(seed, i);
    if (p.kind == check::ParameterKind::kPointer) {
      emulator::Region& region = out.memory->allocate_lazy(
          p.name, check::kRegionBytes, values_behind(a, launch.size, indices, own_seed));
      region.origin = check::kMiddle;
      bits = region.base() + check::kMiddle;
    } else if (p.kind == check::ParameterKind::kImage) {
      const device::ImageSpec spec = check::image_spec(p);
      emulator::OpaqueObject object;
      object.kind = spec.kind;
      object.name = p.name;
      spec.apply(object.sampler);
      if (spec.has_texels()) {
        auto image = device::evaluate_image(spec, p.name, {});
        if (!image) return image.error();
        object.image = *image;
        object.image.region = &out.memory->allocate_filled(
            p.name, object.image.bytes(), 256, values_behind(a, 0, IndexData::kSmall, own_seed));
      }
      if (p.reference) {
        if (emulator::OpaqueObject* o = out.memory->objects().declared(p.name); o != nullptr)
          o->image = object.image;
      } else {
        bits = out.memory->objects().add(std::move(object));
      }
    }
    if (p.reference || p.kind == check::ParameterKind::kBytes) continue;
    const ptx::SymbolId symbol = f.parameters[i];
    std::memcpy(out.launch.parameters.data() + program.symbols[symbol].address, &bits,
                std::min<uint64_t>(program.module->symbols[symbol].size, 8));
  }
  return out;
}

}  // namespace pitot::predict
