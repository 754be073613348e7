#include "append_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "arch/gpu.h"
#include "candidates.h"
#include "data_files.h"
#include "kernel_files.h"
#include "predict/data_append.h"
#include "report/diagnostic_text.h"
#include "store/store.h"
#include "support/file.h"
#include "variants/manifest.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;
using measure::MeasureRecord;

// Where a spec belongs.
struct Place {
  std::string family, variant;
};
Place place_of(const std::string& spec) {
  const fs::path path(spec);
  const auto list = (path.parent_path() / variants::kManifestName).string();
  std::error_code error;
  if (fs::exists(list, error))
    if (const auto m = variants::read_manifest(list))
      for (const variants::VariantResult& v : m->variants)
        if (v.spec == path.filename()) return {m->family, v.name};
  std::string name = path.filename().string();
  if (const size_t end = name.find(".kernel.toml"); end != name.npos) name.resize(end);
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  return {folder.filename().string(), name};
}

// The candidate that was measured; the size is found by its text.
Result<Candidate> measured_candidate(const MeasureRecord& r, Options& options) {
  auto text = read_file(r.spec);
  if (!text) return text.error();
  CandidateOptions how;
  for (Candidate& c : read_candidates({r.spec}, how, options))
    if (c.size_text == r.size_text) {
      if (hash_bytes(c.module->text()).hex() != r.ptx_hash)
        return input_error(r.spec + ": its PTX is not what was measured");
      return c;
    }
  return input_error(fmt::format("{}: no size {} any more", r.spec, r.size_text));
}

std::map<std::string, std::string> fields_of(const MeasureRecord& r) {
  const Place place = place_of(r.spec);
  const auto number = [](double v) { return std::isfinite(v) ? fmt::format("{}", v) : ""; };
  std::map<std::string, std::string> f{{"family", place.family},
                                       {"variant", place.variant},
                                       {"size", r.size_kind.empty() ? r.size_text : r.size_kind},
                                       {"ptx_hash", r.ptx_hash},
                                       {"target", r.target},
                                       {"compiler", r.producer},
                                       {"dynamic_shared", fmt::format("{}", r.dynamic_shared)},
                                       {"status", r.ok ? "ok" : "launch_failed"},
                                       {"gpu", r.gpu},
                                       {"driver", r.driver},
                                       {"protocol", r.protocol},
                                       {"tool", r.tool}};
  for (size_t i = 0; i < 3; ++i) {
    f[std::string("grid_") + "xyz"[i]] = fmt::format("{}", r.grid[i]);
    f[std::string("block_") + "xyz"[i]] = fmt::format("{}", r.block[i]);
  }
  if (r.ok) {
    f["median_us"] = number(r.median.value * 1e3);
    f["ci_lo_us"] = number(r.median.lo * 1e3);
    f["ci_hi_us"] = number(r.median.hi * 1e3);
    f["samples"] = fmt::format("{}", r.samples.size());
    f["noise"] = number((r.median.hi - r.median.lo) / 2 / r.median.value);
  }
  if (r.after.sm_clock_mhz) f["sm_mhz"] = number(*r.after.sm_clock_mhz);
  return f;
}

std::string text_or_nothing(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "";
  auto text = read_file(path);
  return text ? std::move(*text) : std::string();
}

Status write_family(const std::string& path, const std::vector<predict::NewRow>& rows,
                    Options& options) {
  const SourceText before(path, text_or_nothing(path)),
      features(features_path(path), text_or_nothing(features_path(path)));
  Diagnostics row_problems(20), feature_problems(20);
  const auto after = append_rows(before, features, rows, row_problems, feature_problems);
  const auto style = options.style(STDERR_FILENO);
  const std::string shown = report::format_diagnostics(before, row_problems, style) +
                            report::format_diagnostics(features, feature_problems, style);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  if (row_problems.errors() + feature_problems.errors() > 0)
    return input_error(path + ": nothing was added to it");
  if (after.added > 0) {
    // Features first: rows without features would be wrong, features without rows are not.
    if (Status s = write_file(features_path(path), after.features); !s) return s;
    if (Status s = write_file(path, after.rows); !s) return s;
  }
  std::fprintf(stderr, "%s: %zu rows added, %zu were there\n", path.c_str(), after.added,
               after.known);
  return Ok{};
}

}  // namespace

Status append_store(const std::string& path, const std::vector<std::string>& data,
                    Options& options) {
  std::error_code error;
  if (!fs::exists(path, error)) return input_error(path + ": there is no such store");
  auto store = store::Store::open(path);
  if (!store) return store.error();
  const auto records = store->measurements();
  if (!records) return records.error();
  std::vector<Candidate> candidates;
  std::vector<const MeasureRecord*> of;
  for (const MeasureRecord& r : *records) {
    auto candidate = measured_candidate(r, options);
    if (!candidate) return candidate.error();
    candidates.push_back(std::move(*candidate));
    of.push_back(&r);
  }
  std::map<std::string, std::vector<predict::NewRow>> families;
  for (size_t i = 0; i < candidates.size(); ++i) {
    // Features are those of the GPU that measured.
    const auto gpu = arch::find_gpu(of[i]->gpu);
    auto rows = rows_of({candidates[i]}, gpu ? *gpu : nullptr, {}, options);
    if (!rows[0].row) return input_error(candidates[i].path + ": " + rows[0].error);
    auto fields = fields_of(*of[i]);
    const std::string family = fields["family"];
    families[family].push_back({std::move(fields), std::move(*rows[0].row)});
  }
  const fs::path first(data.front());
  const fs::path folder = fs::is_directory(first, error) ? first : first.parent_path();
  for (const auto& [family, rows] : families)
    if (Status s = write_family((folder / (family + ".csv")).string(), rows, options); !s) return s;
  return Ok{};
}

}  // namespace pitot::cli
