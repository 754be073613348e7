// suld, sust and sured: loads, stores and reductions by coordinates (PTX ISA, "Surface
// Instructions"). They reach memory as the other accesses do, so that all checks see them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/access.h"
#include "emulator/atomic_arithmetic.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/opaque_access.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

enum class Outside : uint8_t { kTrap, kClamp, kZero };

// Packed into Op::variant.
struct SurfaceForm {
  ImageShape shape = ImageShape::k2d;
  Outside outside = Outside::kTrap;
  bool formatted = false;  // .p: coordinates count texels
  uint8_t bytes = 4;       // of an element
  uint8_t elements = 1;

  uint16_t packed() const {
    return static_cast<uint16_t>(static_cast<unsigned>(shape) |
                                 static_cast<unsigned>(outside) << 4 | formatted << 6 | bytes << 7 |
                                 elements << 11);
  }
  static SurfaceForm of(uint16_t v) {
    SurfaceForm f;
    f.shape = static_cast<ImageShape>(v & 15);
    f.outside = static_cast<Outside>(v >> 4 & 3);
    f.formatted = (v >> 6 & 1) != 0;
    f.bytes = static_cast<uint8_t>(v >> 7 & 15);
    f.elements = static_cast<uint8_t>(v >> 11);
    return f;
  }
};

// The lanes' places in surfaces as an access to global memory.
class SurfaceAccess {
 public:
  SurfaceAccess(Warp& w, const Op& op, size_t operand)
      : w_(w), op_(op), form_(SurfaceForm::of(op.variant)) {
    const auto slots = w.program().operand(op, operand);
    slots_ = slots;
  }

  SurfaceForm form() const { return form_; }
  const TexelFormat& format() const { return format_; }

  // The lanes that reach memory, into `access`; those outside that read zero or do nothing are left
  // out. False after a fault.
  bool place(LaneMask mask, Access& access, LaneMask& inside) {
    if (!defined_coordinates(w_, op_, mask, slots_)) return false;
    access.space = ptx::Space::kGlobal;
    inside = 0;
    for_each_lane(mask, [&](unsigned l) {
      if (!w_.stop) lane(l, access, inside);
    });
    return !w_.stop;
  }

 private:
  void lane(unsigned l, Access& access, LaneMask& inside) {
    const OpaqueObject* s = opaque_object(w_, op_, l, w_.get(slots_[0], l), OpaqueKind::kSurface);
    if (s == nullptr || !shape_fits(w_, op_, l, form_.shape, *s)) return;
    const Image& m = s->image;
    if (inside != 0 && !(m.format == format_)) {
      not_covered(w_, op_, l, "surfaces of several formats in one access");
      return;
    }
    format_ = m.format;
    access.bytes = form_.formatted ? m.format.bytes() : uint32_t{form_.bytes} * form_.elements;
    // x in bytes, y, z, layer, and how many of each there are.
    std::array<int64_t, 4> at{};
    const std::array<int64_t, 4> size{static_cast<int64_t>(m.row_bytes(0)), m.height, m.depth,
                                      m.layers};
    size_t k = 1;
    const bool layered = m.shape == ImageShape::k1dLayered || m.shape == ImageShape::k2dLayered;
    if (layered) at[3] = static_cast<uint32_t>(w_.get(slots_[k++], l));
    const unsigned n = m.shape == ImageShape::k3d                                        ? 3
                       : m.shape == ImageShape::k1d || m.shape == ImageShape::k1dLayered ? 1
                                                                                         : 2;
    for (unsigned d = 0; d < n; ++d) at[d] = static_cast<int32_t>(w_.get(slots_[k++], l));
    if (form_.formatted) at[0] *= m.format.bytes();
    if (!settle(l, *s, access.bytes, size, at)) return;
    access.address[l] = m.region->base() +
                        m.offset(0, static_cast<uint32_t>(at[3]), 0, static_cast<uint32_t>(at[1]),
                                 static_cast<uint32_t>(at[2])) +
                        static_cast<uint64_t>(at[0]);
    inside |= LaneMask{1} << l;
  }

  // Makes the place one that is there. False when there is none, or after a fault.
  bool settle(unsigned l, const OpaqueObject& s, uint32_t bytes, const std::array<int64_t, 4>& size,
              std::array<int64_t, 4>& at) {
    bool out = at[0] < 0 || at[0] + bytes > size[0];
    const bool cut =
        at[0] > -int64_t{bytes} && at[0] < size[0] && (at[0] < 0 || at[0] + bytes > size[0]);
    for (size_t d = 1; d < 4; ++d) out |= at[d] < 0 || at[d] >= size[d];
    if (!out) return true;
    if (form_.outside == Outside::kTrap) {
      trap(l, s, bytes, at);
      return false;
    }
    if (cut && at[0] % bytes == 0) {
      not_covered(w_, op_, l, "an access that lies partly outside of a row");
      return false;
    }
    if (form_.outside == Outside::kZero) return false;
    at[0] = std::clamp<int64_t>(at[0], 0, std::max<int64_t>(size[0] - bytes, 0));
    for (size_t d = 1; d < 4; ++d) at[d] = std::clamp<int64_t>(at[d], 0, size[d] - 1);
    return true;
  }

  void trap(unsigned l, const OpaqueObject& s, uint32_t bytes, const std::array<int64_t, 4>& at) {
    const Image& m = s.image;
    std::string place = form_.formatted ? fmt::format("x = {}", at[0] / int64_t{m.format.bytes()})
                                        : fmt::format("x = {} (bytes)", at[0]);
    std::string size =
        form_.formatted ? fmt::format("{}", m.width) : fmt::format("{} bytes", m.row_bytes(0));
    using enum ImageShape;
    if (m.shape != k1d && m.shape != k1dLayered) {
      place += fmt::format(", y = {}", at[1]);
      size += fmt::format(" × {}", m.height);
    }
    if (m.shape == k3d) {
      place += fmt::format(", z = {}", at[2]);
      size += fmt::format(" × {}", m.depth);
    }
    if (m.shape == k1dLayered || m.shape == k2dLayered) {
      place += fmt::format(", layer {}", at[3]);
      size += fmt::format(", {} layers", m.layers);
    }
    w_.fault(FaultKind::kOutOfBounds, op_, LaneMask{1} << l, 0,
             fmt::format("{} of {} bytes at {} of the surface '{}' ({})",
                         w_.program().instruction(op_).opcode->text, bytes, place, s.name, size));
  }

  Warp& w_;
  const Op& op_;
  SurfaceForm form_;
  TexelFormat format_;
  std::span<const Slot> slots_;
};

void surface_load(Warp& w, const Op& op, LaneMask mask) {
  SurfaceAccess surface(w, op, 1);
  const SurfaceForm f = surface.form();
  Access a;
  a.kind = AccessKind::kLoad;
  LaneMask inside = 0;
  if (!surface.place(mask, a, inside)) return;
  if (inside != 0 && !resolve(w, op, inside, a)) return;
  w.taint |= a.undefined & inside;
  const auto d = w.program().operand(op, 0);
  for (unsigned e = 0; e < f.elements; ++e) {
    if (d[e].sink) continue;
    for_each_lane(mask, [&](unsigned l) {
      uint64_t v = 0;
      if ((inside >> l & 1) != 0) std::memcpy(&v, a.at[l] + size_t{e} * f.bytes, f.bytes);
      w.set(d[e], l, v);
    });
  }
}

void surface_store(Warp& w, const Op& op, LaneMask mask) {
  SurfaceAccess surface(w, op, 0);
  const SurfaceForm f = surface.form();
  auto values = w.program().operand(op, 1);
  Access a;
  a.kind = AccessKind::kStore;
  LaneMask inside = 0;
  if (!surface.place(mask, a, inside) || inside == 0) return;
  a.element = f.bytes;
  if (f.formatted) {
    const TexelFormat& format = surface.format();
    if (f.elements < format.channels) {
      not_covered(w, op, static_cast<unsigned>(std::countr_zero(inside)),
                  "fewer values than the surface has channels");
      return;
    }
    values = values.first(format.channels);
    a.element = format.bits / 8;
  }
  a.values = values;
  if (!resolve(w, op, inside, a)) return;
  if (w.block.checks().uninitialised) store_undefined(w, op, inside, a);
  for_each_lane(inside, [&](unsigned l) {
    if (f.formatted) {
      Texel t{};
      for (size_t c = 0; c < values.size(); ++c) t[c] = static_cast<uint32_t>(w.get(values[c], l));
      encode_texel(surface.format(), t, a.at[l]);
      return;
    }
    for (unsigned e = 0; e < f.elements; ++e) {
      const uint64_t v = w.get(values[e], l);
      std::memcpy(a.at[l] + size_t{e} * f.bytes, &v, f.bytes);
    }
  });
}

void surface_reduce(Warp& w, const Op& op, LaneMask mask) {
  SurfaceAccess surface(w, op, 0);
  const Slot& value = w.program().operand(op, 1)[0];
  Access a;
  a.kind = AccessKind::kAtomic;
  LaneMask inside = 0;
  if (!defined_coordinates(w, op, mask, {&value, 1}) || !surface.place(mask, a, inside) ||
      inside == 0)
    return;
  const ptx::Opcode& o = *w.program().instruction(op).opcode;
  Type type = o.type;
  if (surface.form().formatted) {
    const TexelFormat& format = surface.format();
    if (format.bits != 32 || format.channels != 1 || format.filters()) {
      not_covered(w, op, static_cast<unsigned>(std::countr_zero(inside)),
                  "of surfaces that are not u32 or s32");
      return;
    }
    type = format.kind == ChannelKind::kSigned ? Type::kS32 : Type::kU32;
  }
  if (!resolve(w, op, inside, a)) return;
  rmw::visit(o, type, [&]<class E>(E) {
    using W = typename E::Word;
    for_each_lane(inside, [&](unsigned l) {
      rmw::run<E>(a.at[l], static_cast<W>(w.get(value, l)), 0, true);
    });
  });
}

}  // namespace

bool select_surface(Selection& s) {
  const bool load = s.opcode.mnemonic == Mnemonic::kSuld,
             store = s.opcode.mnemonic == Mnemonic::kSust,
             reduce = s.opcode.mnemonic == Mnemonic::kSured;
  if (!load && !store && !reduce) return false;
  SurfaceForm f;
  if (!shape_of(s.opcode, f.shape) || s.operands.size() != 2) return false;
  f.outside = s.has(Mod::kTrap)    ? Outside::kTrap
              : s.has(Mod::kClamp) ? Outside::kClamp
                                   : Outside::kZero;
  f.formatted = s.has(Mod::kP);
  f.bytes = static_cast<uint8_t>(ptx::bytes_of(s.opcode.type));
  f.elements = s.opcode.vector;
  if (f.bytes == 0 || f.bytes > 8) return false;
  // No format has channels of 64 bits.
  if (reduce && f.formatted && f.bytes != 4) return false;
  const size_t values = load ? 0 : 1, address = load ? 1 : 0;
  if (s.operands[values].count < f.elements) return false;
  using enum ImageShape;
  const size_t needed = f.shape == k1d ? 2 : f.shape == k2d || f.shape == k1dLayered ? 3 : 4;
  if (s.operands[address].count < needed) return false;
  s.op.variant = f.packed();
  s.op.run = load ? surface_load : store ? surface_store : surface_reduce;
  return true;
}

}  // namespace pitot::emulator
