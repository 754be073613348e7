// txq, suq and istypep: what a texture, sampler or surface is (PTX ISA, "Texture Instructions",
// "Surface Instructions").
#include <fmt/format.h>

#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/opaque_access.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;

enum class Query : uint8_t {
  kWidth,
  kHeight,
  kDepth,
  kDataType,
  kOrder,
  kNormalized,
  kUnnormalized,
  kArraySize,
  kLevels,
  kSamples,
};

// The rest (filter and address modes, memory layout) have values that no document gives.
constexpr std::pair<Mod, Query> kQueries[] = {{Mod::kWidth, Query::kWidth},
                                              {Mod::kHeight, Query::kHeight},
                                              {Mod::kDepth, Query::kDepth},
                                              {Mod::kChannelDataType, Query::kDataType},
                                              {Mod::kChannelOrder, Query::kOrder},
                                              {Mod::kNormalizedCoords, Query::kNormalized},
                                              {Mod::kForceUnnormalizedCoords, Query::kUnnormalized},
                                              {Mod::kArraySize, Query::kArraySize},
                                              {Mod::kNumMipmapLevels, Query::kLevels},
                                              {Mod::kNumSamples, Query::kSamples}};

unsigned extents_of(ImageShape s) {
  using enum ImageShape;
  if (s == kLinear || s == k1d || s == k1dLayered) return 1;
  return s == k3d ? 3 : 2;
}

// Nothing where the ISA does not say what comes.
std::optional<uint32_t> answer(Query query, const OpaqueObject& o, uint32_t level) {
  using enum ImageShape;
  const Image& m = o.image;
  const bool layered = m.shape == k1dLayered || m.shape == k2dLayered;
  switch (query) {
    case Query::kWidth:
      return m.width_at(level);
    case Query::kHeight:
      return extents_of(m.shape) < 2 ? std::nullopt : std::optional(m.height_at(level));
    case Query::kDepth:
      return extents_of(m.shape) < 3 ? std::nullopt : std::optional(m.depth_at(level));
    case Query::kDataType:
      return channel_data_type(m.format);
    case Query::kOrder:
      return channel_order(m.format);
    case Query::kNormalized:
      return o.sampler.normalized ? 1 : 0;
    case Query::kUnnormalized:
      return o.sampler.force_unnormalized ? 1 : 0;
    case Query::kArraySize:
      return layered ? std::optional(m.layers) : std::nullopt;
    case Query::kLevels:
      return m.levels;
    case Query::kSamples:
      return m.samples;
  }
  return std::nullopt;
}

// Op::variant: the query; 0x100 with a level. Op::target: the kind of object.
void query_object(Warp& w, const Op& op, LaneMask mask) {
  const auto query = static_cast<Query>(op.variant & 0xff);
  const bool levelled = (op.variant & 0x100) != 0;
  const Slot& d = w.program().operand(op, 0)[0];
  const Slot& handle = w.program().operand(op, 1)[0];
  if (!defined_coordinates(w, op, mask, {&handle, 1})) return;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    const OpaqueObject* o =
        opaque_object(w, op, l, w.get(handle, l), static_cast<OpaqueKind>(op.target));
    if (o == nullptr) return;
    uint32_t level = 0;
    if (levelled) level = static_cast<uint32_t>(w.get(w.program().operand(op, 2)[0], l));
    const auto v = level < o->image.levels ? answer(query, *o, level) : std::nullopt;
    if (!v) {
      not_covered(
          w, op, l,
          fmt::format("of the {} '{}' ({})", name_of(o->kind), o->name, name_of(o->image.shape)));
      return;
    }
    if (!d.sink) w.set(d, l, *v);
  });
}

// Op::variant: the kind asked for.
void is_type(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  for_each_lane(mask, [&](unsigned l) {
    const OpaqueObject* o = find_opaque(w, w.get(slots[1], l));
    w.set(slots[0], l, o != nullptr && o->kind == static_cast<OpaqueKind>(op.variant) ? 1 : 0);
  });
}

}  // namespace

bool select_texture_query(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kTxq:
    case Mnemonic::kSuq:
      if (s.operands.size() < 2) return false;
      for (const auto& [mod, query] : kQueries) {
        if (!s.has(mod)) continue;
        s.op.variant =
            static_cast<uint16_t>(static_cast<unsigned>(query) | (s.has(Mod::kLevel) ? 0x100 : 0));
        const bool sampler = query == Query::kUnnormalized;
        s.op.target =
            static_cast<uint32_t>(s.opcode.mnemonic == Mnemonic::kSuq ? OpaqueKind::kSurface
                                  : sampler                           ? OpaqueKind::kSampler
                                                                      : OpaqueKind::kTexture);
        s.op.run = query_object;
        return !s.has(Mod::kLevel) || s.operands.size() == 3;
      }
      return false;
    case Mnemonic::kIstypep:
      if (s.slots.size() != 2) return false;
      s.op.variant = static_cast<uint16_t>(s.has(Mod::kTexref)    ? OpaqueKind::kTexture
                                           : s.has(Mod::kSurfref) ? OpaqueKind::kSurface
                                                                  : OpaqueKind::kSampler);
      s.op.run = is_type;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
