// Kernels of the repository with their specs, for tests of rows.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "device/spec.h"
#include "predict/row_features.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace pitot::predict {

struct SpecKernel {
  device::KernelSpec spec;
  std::shared_ptr<ptx::Module> module;
  emulator::Program program;
  uint32_t kernel = 0;

  // "cuda/saxpy/saxpy" under kernels/, and the PTX beside it.
  SpecKernel(const std::string& name, const std::string& ptx_name) {
    const std::string path = std::string(PITOT_SOURCE_DIR "/kernels/") + name + ".kernel.toml";
    auto text = read_file(path);
    if (!text) throw std::runtime_error(text.error().message);
    Diagnostics found;
    spec = device::read_spec(SourceText(path, *text), found);
    auto ptx = read_file(spec.beside(ptx_name));
    if (!ptx) throw std::runtime_error(ptx.error().message);
    module = std::make_shared<ptx::Module>(ptx::parse(ptx_name, *ptx));
    auto loaded = emulator::load(module);
    if (!loaded) throw std::runtime_error(loaded.error().message);
    program = std::move(*loaded);
    auto named = program.find_kernel(spec.entry);
    kernel = named ? *named : *program.find_kernel("");
  }

  // `size` must outlive the request.
  RowRequest request(const device::SizeSpec& size) const {
    RowRequest r;
    r.module = module;
    r.kernel = kernel;
    r.gpu = *arch::find_gpu("H200");
    r.spec = &spec;
    r.size = &size;
    return r;
  }
};

}  // namespace pitot::predict
