// The PTX module and the kernel spec that a verb works on, with their complaints printed and kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "device/spec.h"
#include "ptx/module.h"

namespace pitot::cli {

// A kernel by name: one that must be there, or one that is taken if it is and else the only one.
struct WantedKernel {
  std::string name;  // empty: the only one
  bool required = true;
};
// --entry, else the spec's entry, which a file given in place of the spec's need not have.
WantedKernel wanted_kernel(const std::string& entry, const std::string& ptx,
                           const device::KernelSpec& spec);

// The PTX of a file. Of a binary with several images the one with the wanted kernel, for the newest
// target; a note on standard error says which. Null after errors, which are printed; exit code 1
// for errors in the PTX, 2 for unreadable files.
std::shared_ptr<const ptx::Module> read_sound_module(const std::string& path, Options& options,
                                                     const WantedKernel& wanted = {});
// The same of PTX that has been read already.
std::shared_ptr<const ptx::Module> sound_module(ptx::Module module, Options& options);

Result<uint32_t> find_kernel(const ptx::Module& module, const WantedKernel& wanted);

// Prints and keeps what was found in a text.
void complain(const SourceText& source, const Diagnostics& found, Options& options);

// Nothing after errors; exit code 2.
std::optional<device::KernelSpec> read_spec_file(const std::string& path, Options& options);

}  // namespace pitot::cli
