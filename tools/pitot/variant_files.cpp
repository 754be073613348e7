#include "variant_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "inspect_kernel.h"
#include "kernel_files.h"
#include "progress.h"
#include "report/variants_report.h"
#include "support/file.h"
#include "variants/manifest.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

std::string manifest_path(const std::string& directory) {
  return (fs::path(directory) / variants::kManifestName).string();
}

// What the directory has from before; nothing if there is no manifest.
Result<std::optional<variants::ManifestResult>> manifest_of(const std::string& directory) {
  std::error_code ec;
  const std::string path = manifest_path(directory);
  if (!fs::exists(path, ec)) return std::optional<variants::ManifestResult>{};
  auto before = variants::read_manifest(path);
  if (!before) return before.error();
  return std::optional(std::move(*before));
}

// Joins the manifest with what was there, and writes it.
Status settle(const std::string& directory, const std::optional<variants::ManifestResult>& before,
              variants::ManifestResult m) {
  std::vector<std::string> stale;
  if (before) {
    variants::keep_made(*before, m);
    stale = variants::stale_files(*before, m);
  }
  std::erase_if(m.variants, [](const auto& v) { return v.status == "listed"; });
  if (Status s = write_file(manifest_path(directory), report::variants_json(m)); !s) return s;
  std::error_code ec;
  for (const std::string& file : stale) fs::remove(fs::path(directory) / file, ec);
  return Ok{};
}

}  // namespace

Result<variants::ManifestResult> make_variants(const ChosenGrid& grid, variants::BuildOptions how,
                                               bool ptxas, Options& options) {
  std::error_code ec;
  fs::create_directories(how.directory, ec);
  if (ec) return input_error(fmt::format("{}: cannot be made: {}", how.directory, ec.message()));
  const auto before = manifest_of(how.directory);
  if (!before) return before.error();
  if (*before && (**before).family != grid.from.family)
    return input_error(fmt::format("{} has the variants of {}: {} needs a directory of its own",
                                   how.directory, (**before).family, grid.from.family));
  how.workers = options.jobs;
  const bool needs_nvcc = grid.from.kind == variants::SourceKind::kCuda && how.compiled.empty();
  Ptxas tools;
  if (needs_nvcc || ptxas) {
    if (auto found = open_ptxas()) {
      tools = std::move(*found);
      if (!ptxas) tools.toolkit.ptxas = {};
      how.toolkit = &tools.toolkit;
      how.cache = tools.cache.get();
    }
  }
  size_t total = 0;
  for (size_t i = 0; i < grid.list.size(); ++i)
    if (grid.chosen[i] && grid.list[i].refused.empty())
      total += variants::targets_of(grid.from, how).size();
  Progress progress("variants", total);
  how.step = [&] { progress.step(); };
  Diagnostics found;
  auto made = variants::build(grid.from, grid.list, grid.chosen, how, found);
  progress.finish();
  if (found.errors() > 0) {
    complain(grid.from.text, found, options);
    return input_error(grid.from.text.path() + " has errors");
  }
  if (!made) return made.error();
  if (Status s = settle(how.directory, *before, *made); !s) return s.error();
  return made;
}

}  // namespace pitot::cli
