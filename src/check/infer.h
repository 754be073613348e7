// What the parameters of a kernel are, from how its code uses them: pointers, and what lies behind
// them; integers; floats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/image.h"
#include "ptx/module.h"

namespace pitot::check {

enum class ParameterKind : uint8_t {
  kPointer,
  kInteger,
  kFloat,
  kBytes,  // a structure or an array: filled with zeros
  kImage,  // the handle of a texture, a surface or a sampler
};

// What an image must look like for the instructions that use it.
struct ImageUse {
  emulator::OpaqueKind kind = emulator::OpaqueKind::kTexture;
  emulator::ImageShape shape = emulator::ImageShape::k2d;
  emulator::TexelFormat format;
};

// How a value that is loaded is used, which is what it must look like to be sensible.
enum class ContentKind : uint8_t { kUnknown, kFloat, kInteger, kIndex };

struct Parameter {
  ptx::SymbolId symbol = ptx::kNoId;
  std::string name;
  ParameterKind kind = ParameterKind::kInteger;
  ptx::Type type = ptx::Type::kNone;  // as declared
  // Of a pointer: what lies behind it. The type is that of the use (f16 for a .b16 that is
  // converted).
  ContentKind content = ContentKind::kUnknown;
  ptx::Type element = ptx::Type::kNone;
  ptx::Type stored = ptx::Type::kNone;  // of what is written there
  bool read = false, written = false;
  ImageUse image;          // of kImage
  bool reference = false;  // no parameter but a reference that the module declares
};

// By parameter of the kernel, in order.
std::vector<Parameter> infer_parameters(const ptx::Module& module, const ptx::Function& kernel);
// .texref, .surfref and .samplerref variables that the module's code names, in order of their first
// use.
std::vector<Parameter> infer_references(const ptx::Module& module);

}  // namespace pitot::check
