#include "kernel_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "ptx/parser.h"
#include "support/file.h"
#include "toolchain/embedded_ptx.h"

namespace pitot::cli {
void complain(const SourceText& source, const Diagnostics& found, Options& options) {
  const std::string text = report::format_diagnostics(source, found, options.style(STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
  options.problems.push_back({source.path(), false, "", report::locate(source, found)});
}

namespace {

bool has_kernel(const ptx::Module& m, const std::string& name) {
  return std::any_of(m.functions.begin(), m.functions.end(), [&](const ptx::Function& f) {
    return f.is_entry && f.has_body && (name.empty() || f.name == name);
  });
}

// Which of a binary's images: those with the kernel, of them the newest target's.
Result<ptx::Module> choose_image(const std::string& path, const WantedKernel& wanted,
                                 std::vector<ptx::Module> images) {
  std::string entry = wanted.name;
  if (!wanted.required && std::none_of(images.begin(), images.end(),
                                       [&](const ptx::Module& m) { return has_kernel(m, entry); }))
    entry.clear();
  std::string targets;
  for (const ptx::Module& m : images) {
    const std::string name = ptx::name_of(m.target);
    if (targets.find(name) == targets.npos) targets += (targets.empty() ? "" : ", ") + name;
  }
  std::erase_if(images, [&](const ptx::Module& m) { return !has_kernel(m, entry); });
  if (images.empty())
    return input_error(entry.empty() ? path + ": no kernel"
                                     : fmt::format("{}: no kernel '{}'", path, entry));
  unsigned newest = 0;
  for (const ptx::Module& m : images) newest = std::max<unsigned>(newest, m.target.sm);
  std::erase_if(images, [&](const ptx::Module& m) { return m.target.sm != newest; });
  if (images.size() > 1) {
    std::string names;
    for (const ptx::Module& m : images)
      for (const ptx::Function& f : m.functions)
        if (f.is_entry && f.has_body && names.size() < 200)
          names += (names.empty() ? "" : ", ") + std::string(f.name);
    return input_error(entry.empty()
                           ? fmt::format("{}: several PTX images for sm_{} (kernels {}); name one "
                                         "with --entry",
                                         path, newest, names)
                           : fmt::format("{}: several PTX images for sm_{} have a kernel '{}'",
                                         path, newest, entry));
  }
  if (targets.find(',') != targets.npos)
    std::fprintf(stderr, "pitot: note: %s has PTX for %s; %s is used\n", path.c_str(),
                 targets.c_str(), ptx::name_of(images[0].target).c_str());
  return std::move(images[0]);
}

}  // namespace

std::shared_ptr<const ptx::Module> sound_module(ptx::Module module, Options& options) {
  if (module.diagnostics.errors() > 0) {
    complain(*module.source, module.diagnostics, options);
    if (options.exit_code == kFine) options.exit_code = kFindings;
    return nullptr;
  }
  return std::make_shared<ptx::Module>(std::move(module));
}

std::shared_ptr<const ptx::Module> read_sound_module(const std::string& path, Options& options,
                                                     const WantedKernel& wanted) {
  auto texts = toolchain::read_ptx_inputs(path);
  if (!texts) {
    fail(options, texts.error());
    return nullptr;
  }
  std::vector<ptx::Module> images;
  for (auto& t : *texts) images.push_back(ptx::parse(std::move(t.label), std::move(t.text)));
  if (images.size() == 1) return sound_module(std::move(images[0]), options);
  auto chosen = choose_image(path, wanted, std::move(images));
  if (!chosen) {
    fail(options, chosen.error());
    return nullptr;
  }
  return sound_module(std::move(chosen.value()), options);
}

WantedKernel wanted_kernel(const std::string& entry, const std::string& ptx,
                           const device::KernelSpec& spec) {
  if (!entry.empty()) return {entry, true};
  return {spec.entry, ptx.empty()};
}

Result<uint32_t> find_kernel(const ptx::Module& module, const WantedKernel& wanted) {
  const bool there = wanted.required || has_kernel(module, wanted.name);
  return ptx::find_kernel(module, there ? wanted.name : std::string());
}

std::optional<device::KernelSpec> read_spec_file(const std::string& path, Options& options) {
  auto text = read_file(path);
  if (!text) {
    fail(options, text.error());
    return std::nullopt;
  }
  if (toolchain::file_kind(*text) != toolchain::FileKind::kUnknown) {
    fail(options, input_error(path + " is " + toolchain::to_string(toolchain::file_kind(*text)) +
                              ", no kernel spec (*.kernel.toml), which says how to launch it"));
    return std::nullopt;
  }
  const SourceText source(path, *text);
  Diagnostics found;
  device::KernelSpec spec = device::read_spec(source, found);
  if (found.errors() == 0) return spec;
  complain(source, found, options);
  options.exit_code = kUsage;
  return std::nullopt;
}

}  // namespace pitot::cli
