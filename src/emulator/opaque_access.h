// From handles in registers to the textures, surfaces and samplers that they name.
#pragma once

#include "emulator/image.h"
#include "emulator/warp.h"

namespace pitot::emulator {

// The object of a lane's handle. Null after a fault: no such handle, one of another kind, or a
// reference that nothing is bound to.
const OpaqueObject* opaque_object(Warp& warp, const Op& op, unsigned lane, uint64_t handle,
                                  OpaqueKind kind);
// The same without faults; null when there is none.
const OpaqueObject* find_opaque(Warp& warp, uint64_t handle);

// False after a fault: some lane's coordinates or handle (these slots) are undefined.
bool defined_coordinates(Warp& warp, const Op& op, LaneMask mask, std::span<const Slot> slots);

// An instruction, or a use of it, whose result is not known: reported by name.
void not_covered(Warp& warp, const Op& op, unsigned lane, std::string_view what);

// "2d" of tex.2d.v4.f32.f32; nothing when the opcode names no shape.
bool shape_of(const ptx::Opcode& opcode, ImageShape& out);
// Whether an instruction of this shape may read the image; a fault if not.
bool shape_fits(Warp& warp, const Op& op, unsigned lane, ImageShape shape,
                const OpaqueObject& object);

}  // namespace pitot::emulator
