#include "knob_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "kernel_files.h"
#include "support/file.h"
#include "variant_files.h"
#include "variants/manifest.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;

std::string knob_name(const std::string& parameter) {
  if (parameter == "BLOCK") return "block_size";
  if (parameter == "CAP") return "reg_cap";
  std::string out = parameter;
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
  return v;
}

// Which parameters are knobs, block_size and reg_cap first.
Result<std::vector<size_t>> knobs_of(const variants::ManifestResult& m) {
  std::vector<size_t> out;
  for (const char* required : {"BLOCK", "CAP"}) {
    const auto at = std::find_if(m.parameters.begin(), m.parameters.end(),
                                 [&](const auto& p) { return p.name == required; });
    if (at == m.parameters.end())
      return input_error(fmt::format(
          "{}: knobs are swept over BLOCK (threads a block) and CAP (registers a thread, 0: none), "
          "and there is no parameter {}",
          m.family, required));
    out.push_back(static_cast<size_t>(at - m.parameters.begin()));
  }
  for (size_t i = 0; i < m.parameters.size(); ++i) {
    if (m.parameters[i].values.size() < 2 || i == out[0] || i == out[1]) continue;
    if (!m.parameters[i].numeric)
      return input_error(fmt::format("{}: {} has values that are no whole numbers", m.family,
                                     m.parameters[i].name));
    out.push_back(i);
  }
  return out;
}

Status add_manifest(const variants::ManifestResult& m, const std::string& directory,
                    KnobVariants& out) {
  const auto places = knobs_of(m);
  if (!places) return places.error();
  std::vector<std::string> knobs;
  for (const size_t p : *places) knobs.push_back(knob_name(m.parameters[p].name));
  if (out.knobs.empty()) out.knobs = knobs;
  if (knobs != out.knobs)
    return input_error(fmt::format("{} has other knobs ({}) than the one before it ({})", m.family,
                                   fmt::join(knobs, ", "), fmt::join(out.knobs, ", ")));
  // All are of one kernel; those that do not compile do not say its name.
  std::string kernel = m.family;
  for (const variants::VariantResult& v : m.variants)
    if (v.status == "ok") kernel = v.kernel.substr(0, v.kernel.find('('));
  for (const variants::VariantResult& v : m.variants) {
    if (v.status != "ok" && v.status != "failed") continue;
    KnobVariant k;
    k.kernel = kernel;
    if (v.status == "ok") {
      k.spec = (fs::path(directory) / v.spec).string();
      k.registers = v.registers;
    } else {
      k.failure = v.message.empty() ? "it does not compile" : v.message;
    }
    for (const size_t p : *places) {
      const auto value = whole_number(v.values[p]);
      if (!value)
        return input_error(fmt::format("{}: {} = {} is no whole number", m.family,
                                       m.parameters[p].name, v.values[p]));
      k.settings.push_back(*value);
    }
    out.list.push_back(std::move(k));
  }
  out.manifests.push_back(m);
  return Ok{};
}

std::optional<variants::ManifestResult> make_one(const std::string& path,
                                                 const std::string& directory, Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  Diagnostics found;
  ChosenGrid grid;
  grid.from = variants::read_template(SourceText(path, std::move(*text)), found);
  if (found.errors() == 0) grid.list = variants::enumerate(grid.from, found);
  if (found.errors() > 0) {
    complain(grid.from.text, found, options);
    options.exit_code = kUsage;
    return std::nullopt;
  }
  grid.chosen.assign(grid.list.size(), true);
  variants::BuildOptions how;
  how.directory = (fs::path(directory) / grid.from.family).string();
  auto made = make_variants(grid, how, false, options);
  if (made) return std::move(*made);
  fail(options, made.error());
  return std::nullopt;
}

}  // namespace

std::optional<KnobVariants> make_knob_variants(const std::vector<std::string>& templates,
                                               const std::string& directory, Options& options) {
  KnobVariants out;
  for (const std::string& path : templates) {
    std::error_code error;
    const bool there = fs::is_directory(path, error);
    std::optional<variants::ManifestResult> made;
    if (there) {
      auto read = variants::read_manifest((fs::path(path) / variants::kManifestName).string());
      if (read)
        made = std::move(*read);
      else
        fail(options, read.error());
    } else {
      made = make_one(path, directory, options);
    }
    if (!made) return std::nullopt;
    const std::string folder = there ? path : (fs::path(directory) / made->family).string();
    if (Status s = add_manifest(*made, folder, out); !s) {
      fail(options, s.error());
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace pitot::cli
