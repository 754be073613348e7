// The PTX module and the kernel spec that a verb works on, with their complaints printed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "device/spec.h"
#include "ptx/module.h"

namespace pitot::cli {

// Null after errors, which are printed; exit code 1 for errors in the PTX, 2 for unreadable files.
std::shared_ptr<const ptx::Module> read_sound_module(const std::string& path, Options& options);

// Nothing after errors; exit code 2.
std::optional<device::KernelSpec> read_spec_file(const std::string& path, Options& options);

}  // namespace pitot::cli
