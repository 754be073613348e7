#include "kernel_specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "device/cuda_run.h"
#include "device/emulated.h"
#include "device/values.h"
#include "ptx/isa.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::conformance {
namespace {

constexpr uint64_t kBufferSeed = 1;

Result<device::KernelSpec> read_kernel_spec(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  Diagnostics problems;
  auto spec = device::read_spec(SourceText(path, *text), problems);
  if (problems.errors() != 0) return input_error(path + " is no kernel spec");
  return spec;
}

// Triton says in a file beside the PTX how much shared memory that target needs.
void adjust(device::KernelSpec& spec, const std::string& ptx, const ptx::Function& kernel) {
  const std::string key = "\"shared\": ";
  if (auto facts = read_file(ptx.substr(0, ptx.size() - 4) + ".json"))
    if (const size_t at = facts->find(key); at != std::string::npos)
      spec.shared = std::to_string(std::atoi(facts->c_str() + at + key.size()));
  if (kernel.bounds.reqntid)
    for (size_t i = 0; i < 3; ++i)
      spec.block[i] = std::to_string(std::max(1u, (*kernel.bounds.reqntid)[i]));
}

bool runs_here(const std::string& ptx) {
  const size_t at = ptx.rfind(".sm");
  if (at == std::string::npos) return false;
  const ptx::Target t = ptx::target_from_name("sm_" + ptx.substr(at + 3, ptx.size() - at - 7));
  return t.suffix == 0 ? t.sm != 0 && t.sm <= 90 : t.sm == 90;
}

double spacing(ptx::Type t, double v) {
  const int mantissa = t == ptx::Type::kF16    ? 10
                       : t == ptx::Type::kBf16 ? 7
                       : t == ptx::Type::kF64  ? 52
                                               : 23;
  int e = 0;
  std::frexp(v, &e);
  return std::ldexp(1.0, e - 1 - mantissa);
}

void compare_output(const device::KernelSpec& spec, const device::RunOutput& ours,
                    const device::RunOutput& theirs, const std::string& where, Tally& t) {
  const ptx::Type type = ptx::type_from_name(ours.type);
  const bool real = ptx::kind_of(type) == ptx::TypeKind::kFloat;
  for (uint64_t i = 0; i < ours.elements(); ++i) {
    ++t.results;
    const uint64_t a = ours.bits(i), b = theirs.bits(i);
    if (a == b) continue;
    ++t.different;
    const double x = device::decode(a, type), y = device::decode(b, type);
    if (real && std::isnan(x) && std::isnan(y)) {
      ++t.nan_bits;
      continue;
    }
    if (real && std::isfinite(x) && std::isfinite(y))
      t.apart =
          std::max(t.apart, std::fabs(x - y) / spacing(type, std::max(std::fabs(x), std::fabs(y))));
    const bool within = real && std::fabs(x - y) <= spec.atol + spec.rtol * std::fabs(y);
    if (!within) ++t.beyond;
    if (t.example.empty() || (!within && t.beyond == 1))
      t.example = fmt::format("{}, {}[{}]: emulator {:.9g} ({:#x}), GPU {:.9g} ({:#x})", where,
                              ours.name, i, x, a, y, b);
  }
}

}  // namespace

Result<std::vector<SpecFile>> spec_files(const std::string& directory) {
  auto all = list_files(directory, {".kernel.toml"});
  if (!all) return all.error();
  std::vector<SpecFile> out;
  for (const std::string& path : *all) {
    auto spec = read_kernel_spec(path);
    if (!spec) return spec.error();
    // Of a pair the spec runs the wrong kernel, the oracle is the right one: both.
    std::vector<std::pair<std::string, std::string>> kernels{{spec->ptx, spec->entry}};
    if (spec->oracle) kernels.emplace_back(spec->oracle->ptx, spec->oracle->entry);
    for (const auto& [name, entry] : kernels) {
      const std::string file = spec->beside(name);
      auto beside = list_files(std::filesystem::path(file).parent_path().string(), {".ptx"});
      if (!beside) return beside.error();
      const std::string stem = file.substr(0, file.rfind(".sm")) + ".sm";
      for (const std::string& f : *beside) {
        if (!f.starts_with(stem) || f.find('.', stem.size()) != f.size() - 4 || !runs_here(f))
          continue;
        const std::string shown = std::filesystem::path(f).lexically_relative(directory).string();
        out.push_back({path, f, entry, shown});
      }
    }
  }
  return out;
}

Comparison compare_spec(const SpecFile& file) {
  Comparison out;
  auto spec = read_kernel_spec(file.spec);
  auto module = ptx::parse_file(file.ptx);
  if (!spec || !module) {
    out.problem = !spec ? spec.error().message : module.error().message;
    return out;
  }
  auto shared = std::make_shared<ptx::Module>(std::move(*module));
  auto program = emulator::load(shared);
  if (!program) {
    out.problem = program.error().message;
    return out;
  }
  auto kernel = program->find_kernel(file.entry);
  if (!kernel) {
    out.problem = kernel.error().message;
    return out;
  }
  adjust(*spec, file.ptx, shared->functions[*kernel]);
  device::CudaOptions on_gpu;
  on_gpu.seed = kBufferSeed;
  device::CudaRunner gpu(*shared, *kernel, *spec, on_gpu);
  for (const device::SizeSpec& size : spec->sizes) {
    auto theirs = gpu.run(size);
    device::EmulatedOptions options;
    options.seed = kBufferSeed;
    auto ours = device::run_emulated(*program, *kernel, *spec, size, options);
    const auto fault = [](const device::RunResult& r) {
      return r.ok() ? std::string() : r.faults[0].kind + ": " + r.faults[0].message;
    };
    std::string ours_said = ours ? fault(*ours) : ours.error().message;
    std::string theirs_said = theirs ? fault(*theirs) : theirs.error().message;
    if (!ours_said.empty() || !theirs_said.empty()) {
      out.problem += fmt::format("emulator: {}; GPU: {} ", ours_said.empty() ? "ran" : ours_said,
                                 theirs_said.empty() ? "ran" : theirs_said);
      continue;
    }
    for (size_t k = 0; k < ours->outputs.size(); ++k) {
      Tally t;
      t.rule = Rule::kApproximate;
      t.programs = 1;
      compare_output(*spec, ours->outputs[k], theirs->outputs.at(k),
                     file.name + " at " + ours->size_text, t);
      out.differs = out.differs || t.different != 0;
      out.spellings[file.entry + ":" + ours->outputs[k].name].add(t);
    }
  }
  return out;
}

}  // namespace pitot::conformance
