#include "candidates.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "device/prepare.h"
#include "kernel_files.h"
#include "predict/launch_files.h"
#include "profile/profile.h"
#include "progress.h"
#include "report/diagnostic_text.h"
#include "support/file.h"
#include "support/parallel.h"
#include "variants/manifest.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

std::string bare_text(const predict::BareLaunch& l) {
  std::string out =
      fmt::format("grid {} block {}", fmt::join(l.grid, "x"), fmt::join(l.block, "x"));
  if (l.size > 0) out += fmt::format(" size {}", l.size);
  return out;
}

class CandidateReader {
 public:
  CandidateReader(const CandidateOptions& how, Options& options) : how_(how), options_(options) {}

  void read(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return file(path);
    if (!how_.launches.empty()) return listed(path);
    if (const auto list = (fs::path(path) / variants::kManifestName).string();
        fs::exists(list, error))
      return manifest(path, list);
    for (const char* ending : {".kernel.toml", ".ptx"}) {
      auto files = list_files(path, {ending});
      if (!files) return fail(options_, files.error());
      for (const std::string& f : *files) file(f);
      if (!files->empty()) return;
    }
    fail(options_, input_error(path + ": no *.kernel.toml and no .ptx below it"));
  }

  std::vector<Candidate> take() { return std::move(out_); }

 private:
  void file(const std::string& path) {
    if (path.ends_with(".toml")) return spec(path);
    predict::BareLaunch launch;
    if (!launch_of(path, launch)) return;
    bare(path, "", launch);
  }

  void spec(const std::string& path) {
    auto read = read_spec_file(path, options_);
    if (!read) return;
    auto shared = std::make_shared<const device::KernelSpec>(std::move(*read));
    const WantedKernel wanted{shared->entry, true};
    auto module = read_sound_module(shared->beside(shared->ptx), options_, wanted);
    if (!module) return;
    const auto kernel = find_kernel(*module, wanted);
    if (!kernel) return fail(options_, kernel.error());
    for (size_t s = 0; s < shared->sizes.size(); ++s) {
      if (!how_.sizes.empty() &&
          std::find(how_.sizes.begin(), how_.sizes.end(), s) == how_.sizes.end())
        continue;
      Candidate c;
      c.path = path;
      c.module = module;
      c.kernel = *kernel;
      c.spec = shared;
      c.size = s;
      c.size_text = device::size_text(shared->sizes[s]);
      out_.push_back(std::move(c));
    }
    for (uint32_t s : how_.sizes)
      if (s >= shared->sizes.size())
        fail(options_, input_error(fmt::format("no size {}: {} has sizes 0 to {}", s, path,
                                               shared->sizes.size() - 1)));
  }

  // The variants that were made; the others are counted.
  void manifest(const std::string& directory, const std::string& list) {
    const auto m = variants::read_manifest(list);
    if (!m) return fail(options_, m.error());
    size_t made = 0;
    for (const variants::VariantResult& v : m->variants) {
      if (v.status != "ok") continue;
      ++made;
      spec((fs::path(directory) / v.spec).string());
    }
    if (made < m->variants.size())
      std::fprintf(stderr, "pitot: note: %s: %zu of %zu variants were not made\n", list.c_str(),
                   m->variants.size() - made, m->variants.size());
  }

  // The launch of a PTX without a spec: of the command line, else Triton's with its grid.
  bool launch_of(const std::string& path, predict::BareLaunch& launch) {
    const std::string beside = fs::path(path).replace_extension(".json").string();
    std::error_code error;
    if (how_.block.empty() && fs::exists(beside, error)) {
      const auto text = read_file(beside);
      auto read = text ? predict::read_triton_launch(*text) : text.error();
      if (!read) {
        fail(options_, input_error(beside + ": " + read.error().message));
        return false;
      }
      launch = *read;
    }
    const bool has_block = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] > 1;
    if (how_.grid.empty() || (how_.block.empty() && !has_block)) {
      fail(options_,
           input_error(path + ": its launch is not known: give --grid and --block, --launches, or "
                              "a kernel spec"));
      return false;
    }
    const auto take = [](const std::vector<uint32_t>& from, emulator::Dim3& to) {
      std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    take(how_.grid, launch.grid);
    take(how_.block, launch.block);
    if (how_.dynamic_shared > 0) launch.dynamic_shared = how_.dynamic_shared;
    launch.size = how_.problem_size;
    return true;
  }

  void bare(const std::string& path, const std::string& entry, const predict::BareLaunch& launch) {
    const WantedKernel wanted{entry, true};
    auto module = read_sound_module(path, options_, wanted);
    if (!module) return;
    const auto kernel = find_kernel(*module, wanted);
    if (!kernel) return fail(options_, input_error(path + ": " + kernel.error().message));
    Candidate c;
    c.path = path;
    c.module = module;
    c.kernel = *kernel;
    c.launch = launch;
    c.size_text = bare_text(launch);
    out_.push_back(std::move(c));
  }

  // The launches of the table, whose paths are below the directory.
  void listed(const std::string& directory) {
    auto text = read_file(how_.launches);
    if (!text) return fail(options_, text.error());
    const SourceText source(how_.launches, std::move(*text));
    Diagnostics problems(20);
    const auto launches = predict::read_launches(source, problems);
    const std::string shown =
        report::format_diagnostics(source, problems, options_.style(STDERR_FILENO));
    std::fwrite(shown.data(), 1, shown.size(), stderr);
    if (problems.errors() > 0) {
      options_.exit_code = kUsage;
      return;
    }
    for (const predict::ListedLaunch& l : launches) {
      const fs::path path(l.kernel);
      bare(path.is_absolute() ? l.kernel : (fs::path(directory) / path).string(), l.entry,
           l.launch);
    }
  }

  const CandidateOptions& how_;
  Options& options_;
  std::vector<Candidate> out_;
};

predict::RowRequest request_of(const Candidate& c, const arch::Gpu* gpu) {
  predict::RowRequest r;
  r.module = c.module;
  r.kernel = c.kernel;
  r.gpu = gpu;
  if (c.spec) {
    r.spec = c.spec.get();
    r.size = &c.spec->sizes[c.size];
  } else {
    r.bare = &c.launch;
  }
  return r;
}

}  // namespace

std::vector<Candidate> read_candidates(const std::vector<std::string>& paths,
                                       const CandidateOptions& how, Options& options) {
  CandidateReader reader(how, options);
  for (const std::string& path : paths) reader.read(path);
  return reader.take();
}

const arch::Gpu* chip_of(const Candidate& candidate, const arch::Gpu* gpu) {
  if (gpu != nullptr) return gpu;
  const auto found = profile::default_gpu(candidate.module->target);
  return found ? *found : nullptr;
}

variants::LaunchAnswer launch_answer(const Candidate& candidate, const predict::FeatureRow& row,
                                     const arch::Gpu& gpu) {
  using predict::Column;
  const auto whole = [&](auto column) {
    const double v = row[column];
    return std::isnan(v) ? uint64_t{0} : static_cast<uint64_t>(v);
  };
  const ptx::Function& f = candidate.module->functions[candidate.kernel];
  variants::LaunchNeeds needs;
  const Column grid[] = {Column::kGridX, Column::kGridY, Column::kGridZ},
               block[] = {Column::kBlockX, Column::kBlockY, Column::kBlockZ};
  for (size_t i = 0; i < 3; ++i) {
    needs.shape.grid[i] = static_cast<uint32_t>(whole(grid[i]));
    needs.shape.block[i] = static_cast<uint32_t>(whole(block[i]));
  }
  needs.shape.shared = whole(Column::kLaunchShared);
  needs.static_shared = needs.shape.shared - whole(Column::kLaunchDynamicShared);
  needs.registers = static_cast<uint32_t>(whole(Column::kLaunchRegisters));
  needs.registers_estimated = std::isnan(row[Column::kPtxasRegisters]);
  if (f.bounds.maxntid)
    needs.most_threads =
        uint64_t{(*f.bounds.maxntid)[0]} * (*f.bounds.maxntid)[1] * (*f.bounds.maxntid)[2];
  needs.exact_block = f.bounds.reqntid;
  return variants::can_launch(*gpu.capability, needs);
}

std::vector<CandidateRow> rows_of(const std::vector<Candidate>& candidates, const arch::Gpu* gpu,
                                  const predict::RowOptions& how, const Options& options) {
  std::vector<CandidateRow> rows(candidates.size());
  Progress progress("features", candidates.size());
  const size_t workers = std::min<size_t>(worker_count(options.jobs), candidates.size());
  std::atomic<size_t> next{0};
  // An extractor keeps its memory from row to row: one a thread.
  parallel_for(workers, static_cast<unsigned>(workers), [&](size_t) {
    predict::RowExtractor extractor(how);
    for (size_t i = next.fetch_add(1); i < candidates.size(); i = next.fetch_add(1)) {
      auto row = extractor.row(request_of(candidates[i], gpu));
      if (row)
        rows[i].row = std::move(*row);
      else
        rows[i].error = row.error().message;
      progress.step();
    }
  });
  progress.finish();
  return rows;
}

}  // namespace pitot::cli
