#include "optimize_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "assumptions.h"
#include "bench/assumptions.h"
#include "device/prepare.h"
#include "kernel_files.h"
#include "sizes.h"
#include "subjects.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/toml_table.h"

namespace pitot::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSpecEnding = ".kernel.toml";

// "n=4096 k=64" of a table of numbers.
std::string set_text(TomlContext& context, const toml::table& table) {
  std::string out;
  for (const auto& [key, node] : table) {
    const auto value = node.value<int64_t>();
    if (!value)
      context.error(node, "launch-set", fmt::format("'{}' is no whole number", key.str()));
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", key.str(), value.value_or(0));
  }
  return out;
}

std::vector<LaunchSource> read_list(const std::string& path, const std::string& text,
                                    const LaunchSource& like, Options& options) {
  const SourceText source(path, text);
  Diagnostics found;
  TomlContext context(source, found);
  const toml::table document = context.parse();
  std::vector<LaunchSource> out;
  TomlTable top(context, document, "the list");
  const fs::path folder = fs::path(path).parent_path();
  for (const toml::table* t : top.tables("kernel")) {
    TomlTable table(context, *t, "[[kernel]]");
    LaunchSource& launch = out.emplace_back(like);
    launch.name = table.text("name").value_or("");
    launch.group = table.text("class").value_or("");
    const std::string spec = table.text("spec").value_or("");
    launch.spec = (folder / (spec + std::string(kSpecEnding))).string();
    if (const auto ptx = table.text("ptx"))
      launch.ptx = (fs::path(launch.spec).parent_path() / *ptx).string();
    launch.entry = table.text("entry").value_or("");
    if (const toml::table* set = table.table("set")) launch.set = set_text(context, *set);
    // For people: what the launch takes and may last.
    table.take("bytes");
    table.take("about_us");
    if (launch.name.empty() || spec.empty())
      context.error(*t, "launch-incomplete", "a launch wants a name and a spec");
    table.done();
  }
  top.done();
  if (!found.items().empty()) complain(source, found, options);
  if (found.errors() != 0) {
    options.exit_code = std::max<int>(options.exit_code, kUsage);
    return {};
  }
  if (out.empty()) fail(options, input_error(path + ": no [[kernel]] in it"));
  return out;
}

std::string stem_of(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(kSpecEnding)) name.resize(name.size() - kSpecEnding.size());
  return name;
}

}  // namespace

std::vector<LaunchSource> read_launch_sources(const std::vector<std::string>& paths,
                                              const LaunchSource& like, Options& options) {
  std::vector<LaunchSource> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!path.ends_with(kSpecEnding) && path.ends_with(".toml") && !fs::is_directory(path, error)) {
      auto text = read_file(path);
      if (!text) {
        fail(options, text.error());
        continue;
      }
      auto listed = read_list(path, *text, like, options);
      std::move(listed.begin(), listed.end(), std::back_inserter(out));
      continue;
    }
    for (const std::string& spec : expand_specs({path}, options)) {
      LaunchSource& launch = out.emplace_back(like);
      launch.spec = spec;
      launch.name = stem_of(spec);
    }
  }
  std::set<std::string> names;
  for (LaunchSource& launch : out) {
    const std::string name = launch.name;
    for (unsigned n = 2; !names.insert(launch.name).second; ++n)
      launch.name = fmt::format("{}.{}", name, n);
  }
  return out;
}

std::optional<OptimizeKernel> read_optimize_kernel(const LaunchSource& source, bool round_otherwise,
                                                   Options& options) {
  auto failed = [&](const Error& e) {
    fail(options, e);
    return std::nullopt;
  };
  auto text = read_file(source.spec);
  if (!text) return failed(text.error());
  auto spec = read_spec_file(source.spec, options);
  if (!spec) return std::nullopt;
  if (spec->sizes.empty()) return failed(input_error(source.spec + ": it has no sizes"));
  OptimizeKernel out;
  out.source = source;
  out.spec_hash = hash_bytes(*text).hex();
  out.checked = std::make_shared<const device::KernelSpec>(*spec);
  if (!source.set.empty())
    if (Status s = set_sizes({source.set}, *spec); !s) return failed(s.error());
  Candidate& c = out.candidate;
  c.path = source.spec;
  c.spec = std::make_shared<const device::KernelSpec>(std::move(*spec));
  const WantedKernel wanted = wanted_kernel(source.entry, source.ptx, *c.spec);
  c.module = read_sound_module(source.ptx.empty() ? c.spec->beside(c.spec->ptx) : source.ptx,
                               options, wanted);
  if (!c.module) return std::nullopt;
  const auto kernel = find_kernel(*c.module, wanted);
  if (!kernel) return failed(kernel.error());
  c.kernel = *kernel;
  const auto& sizes = c.spec->sizes;
  c.size = static_cast<size_t>(
      std::find_if(sizes.begin(), sizes.end(),
                   [&](const device::SizeSpec& s) { return s.kind == source.size; }) -
      sizes.begin());
  if (c.size == sizes.size()) {
    if (source.size != "full" && source.set.empty())
      return failed(
          input_error(fmt::format("{}: no size of the kind '{}'", source.spec, source.size)));
    c.size = 0;
  }
  c.size_text = device::size_text(sizes[c.size]);

  AssumptionArguments assumed;
  assumed.round_otherwise = round_otherwise;
  auto assumptions = assumptions_of(assumed, *c.module, c.kernel);
  if (!assumptions) return failed(assumptions.error());
  // What holds at all sizes: the one that is judged and those that are checked.
  device::KernelSpec all = *out.checked;
  if (!source.set.empty()) all.sizes.push_back(sizes[c.size]);
  bench::add_spec(all, *c.module, c.kernel, *assumptions);
  out.kernel = {c.module->source->path(), std::string(c.module->text()),
                std::string(c.module->functions[c.kernel].name), std::move(*assumptions)};
  return out;
}

}  // namespace pitot::cli
