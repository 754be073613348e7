#include "features_rows.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "device/prepare.h"
#include "inspect_kernel.h"
#include "kernel_files.h"
#include "predict/row_features.h"
#include "progress.h"
#include "ptx/parser.h"
#include "support/file.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

// The folder that a spec lies in is its family; its file's name the variant.
std::vector<std::string> leading_fields(const std::string& path, const device::SizeSpec& size) {
  const std::filesystem::path p(path);
  std::string variant = p.filename().string();
  if (const size_t end = variant.find(".kernel.toml"); end != variant.npos) variant.erase(end);
  return {std::filesystem::absolute(p).parent_path().filename().string(), variant,
          size.kind.empty() ? device::size_text(size) : size.kind};
}

struct SpecRows {
  std::string lines, notes;
};

// What ptxas says of the kernel, assembled for the chip where the PTX is for an older one; nothing,
// after a note, where it makes no code of it.
struct Assembled {
  std::optional<toolchain::PtxasFunction> said;
  uint64_t code_bytes = 0;
};
Result<Assembled> assembled(const ptx::Module& m, std::string_view kernel, const arch::Gpu* gpu,
                            Ptxas& ptxas, std::string& notes) {
  ptx::Target target = m.target;
  if (target.sm == 0) target = {90, 0};
  if (gpu != nullptr && target.suffix == 0 && gpu->capability->sm() > target.sm)
    target = {static_cast<uint16_t>(gpu->capability->sm()), 0};
  auto assembly = toolchain::assemble(ptxas.toolkit, m.text(), target, {}, ptxas.cache.get());
  if (!assembly) return assembly.error();
  Assembled out;
  if (!assembly->accepted) {
    notes += fmt::format("{}: no ptxas columns: ptxas rejects it for {}\n", m.source->path(),
                         ptx::name_of(target));
    return out;
  }
  if (const auto* f = assembly->report.find(kernel)) out.said = *f;
  for (const toolchain::CodeSection& s : assembly->code)
    if (s.function == kernel) out.code_bytes = s.bytes;
  return out;
}

// The rows of one spec; nothing where it cannot be read.
Result<SpecRows> rows_of_spec(const std::string& path, const FeatureRowsArguments& args,
                              const arch::Gpu* gpu, const predict::RowOptions& how, Ptxas* ptxas) {
  auto text = read_file(path);
  if (!text) return text.error();
  Diagnostics found;
  const SourceText source(path, *text);
  const device::KernelSpec spec = device::read_spec(source, found);
  if (found.errors() > 0) return input_error(path + ": not a sound kernel spec");
  const std::string file = spec.beside(spec.ptx);
  auto ptx = read_file(file);
  if (!ptx) return ptx.error();
  auto module = std::make_shared<ptx::Module>(ptx::parse(file, std::move(*ptx)));
  if (module->diagnostics.errors() > 0) return input_error(file + ": PTX with errors");
  auto kernel = find_kernel(*module, {spec.entry, true});
  if (!kernel) return kernel.error();
  predict::RowExtractor extractor(how);
  SpecRows out;
  Assembled machine;
  if (ptxas != nullptr) {
    auto made = assembled(*module, module->functions[*kernel].name, gpu, *ptxas, out.notes);
    if (!made) return made.error();
    machine = std::move(*made);
  }
  for (const device::SizeSpec& size : spec.sizes) {
    predict::RowRequest request;
    request.module = module;
    request.kernel = *kernel;
    request.gpu = gpu;
    request.spec = &spec;
    request.size = &size;
    if (machine.said) request.ptxas = &*machine.said;
    request.code_bytes = machine.code_bytes;
    auto row = extractor.row(request);
    if (!row) return row.error();
    const auto leading = leading_fields(path, size);
    out.lines += predict::feature_csv_line(leading, *row);
    const auto why = row->reason(predict::index_of(predict::Column::kEmuCycles));
    if (args.emulate && !why.empty())
      out.notes += path + " " + leading[2] + ": no emulated columns: " + std::string(why) + "\n";
  }
  return out;
}

}  // namespace

void print_feature_rows(const FeatureRowsArguments& args, Options& options) {
  const arch::Gpu* gpu = nullptr;
  if (!args.gpu.empty()) {
    auto found = arch::find_gpu(args.gpu);
    if (!found) return fail(options, found.error());
    gpu = *found;
  }
  std::vector<std::string> specs;
  for (const std::string& path : args.paths) {
    auto files = list_files(path, {".kernel.toml"});
    if (!files) return fail(options, files.error());
    specs.insert(specs.end(), files->begin(), files->end());
  }
  std::optional<Ptxas> ptxas;
  if (args.ptxas) {
    auto found = open_ptxas();
    if (!found) return fail(options, found.error());
    ptxas.emplace(std::move(*found));
  }
  predict::RowOptions how;
  how.emulate = args.emulate;
  how.seed = options.seed;
  if (args.blocks != 0) how.blocks = args.blocks;
  std::vector<SpecRows> rows(specs.size());
  std::vector<std::string> errors(specs.size());
  Progress progress("features", specs.size());
  parallel_for(specs.size(), options.jobs, [&](size_t i) {
    auto made = rows_of_spec(specs[i], args, gpu, how, ptxas ? &*ptxas : nullptr);
    if (made)
      rows[i] = std::move(*made);
    else
      errors[i] = made.error().message;
    progress.step();
  });
  progress.finish();
  const std::vector<std::string> leading{"family", "variant", "size"};
  print(predict::feature_csv_header(leading));
  for (size_t i = 0; i < specs.size(); ++i) {
    print(rows[i].lines);
    std::fputs(rows[i].notes.c_str(), stderr);
    if (errors[i].empty()) continue;
    std::fprintf(stderr, "pitot: error: %s\n", errors[i].c_str());
    options.exit_code = kUsage;
  }
}

}  // namespace pitot::cli
