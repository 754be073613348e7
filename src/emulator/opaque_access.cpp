#include "emulator/opaque_access.h"

#include <fmt/format.h>

#include <bit>

#include "emulator/block.h"
#include "emulator/member_mask.h"

namespace pitot::emulator {
namespace {

// The name of a kernel's parameter stands for the handle that lies there.
uint64_t through_parameter(const Warp& w, uint64_t handle) {
  const auto& bytes = w.block.launch().parameters;
  const uint64_t offset = handle - kParamWindow;
  if (handle < kParamWindow || offset >= bytes.size() || bytes.size() - offset < 8) return handle;
  uint64_t v = 0;
  std::memcpy(&v, bytes.data() + offset, 8);
  return v;
}

}  // namespace

const OpaqueObject* find_opaque(Warp& w, uint64_t handle) {
  return w.block.memory().objects().find(through_parameter(w, handle));
}

const OpaqueObject* opaque_object(Warp& w, const Op& op, unsigned lane, uint64_t given,
                                  OpaqueKind kind) {
  const uint64_t handle = through_parameter(w, given);
  const OpaqueObject* object = w.block.memory().objects().find(handle);
  auto fail = [&](std::string text) {
    w.fault(FaultKind::kIllegal, op, LaneMask{1} << lane, handle, std::move(text));
    return nullptr;
  };
  if (object == nullptr) {
    std::string text = fmt::format("no {} has the handle {:#x}", name_of(kind), handle);
    if (const Region* r = w.block.memory().find(handle); r != nullptr)
      text += fmt::format(", which is an address in '{}'", r->name());
    return fail(std::move(text));
  }
  if (object->kind != kind)
    return fail(fmt::format("the handle {:#x} is of the {} '{}', not of a {}", handle,
                            name_of(object->kind), object->name, name_of(kind)));
  if (!object->uncovered.empty()) {
    not_covered(w, op, lane,
                fmt::format("'{}' in the initial value of '{}'", object->uncovered, object->name));
    return nullptr;
  }
  if (kind != OpaqueKind::kSampler && object->image.region == nullptr)
    return fail(fmt::format("nothing is bound to the {} '{}'", name_of(kind), object->name));
  return object;
}

bool defined_coordinates(Warp& w, const Op& op, LaneMask mask, std::span<const Slot> slots) {
  if (!w.block.checks().uninitialised) return true;
  LaneMask bad = 0;
  for (const Slot& s : slots) bad |= undefined_in(w, s) & mask;
  if (bad == 0) return true;
  w.fault(FaultKind::kUninitialised, op, bad,
          w.get(slots[0], static_cast<unsigned>(std::countr_zero(bad))),
          "the handle or the coordinates come from a value that nothing wrote");
  return false;
}

void not_covered(Warp& w, const Op& op, unsigned lane, std::string_view what) {
  w.fault(FaultKind::kUncovered, op, LaneMask{1} << lane, 0,
          fmt::format("{}: not covered: {}", w.program().instruction(op).opcode->text, what));
}

bool shape_of(const ptx::Opcode& o, ImageShape& out) {
  using ptx::Mod;
  constexpr std::pair<Mod, ImageShape> kShapes[] = {{Mod::k1d, ImageShape::k1d},
                                                    {Mod::k2d, ImageShape::k2d},
                                                    {Mod::k3d, ImageShape::k3d},
                                                    {Mod::kA1d, ImageShape::k1dLayered},
                                                    {Mod::kA2d, ImageShape::k2dLayered},
                                                    {Mod::kCube, ImageShape::kCube},
                                                    {Mod::kAcube, ImageShape::kCubeLayered},
                                                    {Mod::k2dms, ImageShape::k2dSamples},
                                                    {Mod::kA2dms, ImageShape::k2dSamplesLayered}};
  for (const auto& [mod, shape] : kShapes)
    if (o.has_mod(mod)) {
      out = shape;
      return true;
    }
  return false;
}

bool shape_fits(Warp& w, const Op& op, unsigned lane, ImageShape shape, const OpaqueObject& o) {
  const bool linear = shape == ImageShape::k1d && o.image.shape == ImageShape::kLinear;
  if (o.image.shape == shape || linear) return true;
  w.fault(
      FaultKind::kIllegal, op, LaneMask{1} << lane, 0,
      fmt::format("{} of the {} '{}', whose shape is {}", w.program().instruction(op).opcode->text,
                  name_of(o.kind), o.name, name_of(o.image.shape)));
  return false;
}

}  // namespace pitot::emulator
