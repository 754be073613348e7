// tex and tld4: lookups in textures (PTX ISA, "Texture Instructions").
#include <bit>

#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/member_mask.h"
#include "emulator/opaque_access.h"
#include "emulator/texture_sample.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Type;

// What an instruction says, packed into Op::variant.
struct TextureForm {
  ImageShape shape = ImageShape::k2d;
  bool whole = false;    // integer coordinates
  bool sampler = false;  // has one of its own
  bool level = false, gradient = false, offset = false;
  enum class Result : uint8_t { kWords, kHalves, kPairs } result = Result::kWords;
  uint8_t component = 0;  // tld4

  uint16_t packed() const {
    return static_cast<uint16_t>(static_cast<unsigned>(shape) | whole << 4 | sampler << 5 |
                                 level << 6 | gradient << 7 | offset << 8 |
                                 static_cast<unsigned>(result) << 9 | component << 11);
  }
  static TextureForm of(uint16_t v) {
    TextureForm f;
    f.shape = static_cast<ImageShape>(v & 15);
    f.whole = (v >> 4 & 1) != 0;
    f.sampler = (v >> 5 & 1) != 0;
    f.level = (v >> 6 & 1) != 0;
    f.gradient = (v >> 7 & 1) != 0;
    f.offset = (v >> 8 & 1) != 0;
    f.result = static_cast<Result>(v >> 9 & 3);
    f.component = static_cast<uint8_t>(v >> 11 & 3);
    return f;
  }
};

unsigned dimensions_of(ImageShape s) {
  using enum ImageShape;
  if (s == k1d || s == k1dLayered) return 1;
  return s == k3d || s == kCube || s == kCubeLayered ? 3 : 2;
}

bool has_index(ImageShape s) {  // before the coordinates
  using enum ImageShape;
  return s == k1dLayered || s == k2dLayered || s == kCubeLayered || s == k2dSamples;
}

class TextureRun {
 public:
  TextureRun(Warp& w, const Op& op, bool gathers)
      : w_(w), op_(op), form_(TextureForm::of(op.variant)), gathers_(gathers) {
    const auto address = w.program().operand(op, 1);
    handle_ = &address[0];
    sampler_ = form_.sampler ? &address[1] : nullptr;
    coordinates_ = address.subspan(form_.sampler ? 2 : 1);
  }

  void run(LaneMask mask) {
    if (!defined_coordinates(w_, op_, mask, {handle_, 1})) return;
    for_each_lane(mask, [&](unsigned l) {
      if (!w_.stop) lane(l);
    });
  }

 private:
  void lane(unsigned l) {
    const uint64_t handle = w_.get(*handle_, l);
    if (texture_ == nullptr || handle != last_) {
      texture_ = opaque_object(w_, op_, l, handle, OpaqueKind::kTexture);
      if (texture_ == nullptr || !shape_fits(w_, op_, l, form_.shape, *texture_)) return;
      last_ = handle;
    }
    const Sampler* sampler = &texture_->sampler;
    Sampler separate;
    if (sampler_ != nullptr) {
      const OpaqueObject* s = opaque_object(w_, op_, l, w_.get(*sampler_, l), OpaqueKind::kSampler);
      if (s == nullptr) return;
      separate = s->sampler;
      separate.normalized = sampler->normalized && !separate.force_unnormalized;
      sampler = &separate;
    }
    Lookup lookup;
    if (!read(l, lookup)) return;
    const Image& image = texture_->image;
    if (const std::string_view why = unknown(image, *sampler, lookup); !why.empty()) {
      not_covered(w_, op_, l, why);
      return;
    }
    const Taps taps =
        gathers_ ? gather_taps(image, *sampler, lookup) : sample_taps(image, *sampler, lookup);
    if (!taps.uncovered.empty()) {
      not_covered(w_, op_, l, taps.uncovered);
      return;
    }
    Texel out{};
    if (!taps.zero && !fetch(l, image, *sampler, taps, lookup, out)) return;
    write(l, out);
  }

  // False after a fault.
  bool read(unsigned l, Lookup& out) {
    out.whole = form_.whole;
    size_t at = 0;
    if (has_index(form_.shape)) {
      const auto n = static_cast<uint32_t>(w_.get(coordinates_[at++], l));
      (form_.shape == ImageShape::k2dSamples ? out.sample : out.layer) = n;
    }
    for (unsigned d = 0; d < dimensions_of(form_.shape); ++d, ++at) {
      const auto bits = static_cast<uint32_t>(w_.get(coordinates_[at], l));
      out.at[d] = std::bit_cast<float>(bits);
      out.whole_at[d] = static_cast<int32_t>(bits);
    }
    size_t operand = 2;
    if (form_.level) {
      const auto bits = static_cast<uint32_t>(w_.get(w_.program().operand(op_, operand++)[0], l));
      out.has_level = true;
      out.level = std::bit_cast<float>(bits);
      out.whole_level = static_cast<int32_t>(bits);
    }
    if (form_.gradient) operand += 2;
    if (!form_.offset) return true;
    const auto slots = w_.program().operand(op_, operand);
    for (unsigned d = 0; d < dimensions_of(form_.shape); ++d) {
      out.offset[d] = static_cast<int32_t>(w_.get(slots[d], l));
      if (out.offset[d] >= -8 && out.offset[d] <= 7) continue;
      w_.fault(FaultKind::kIllegal, op_, LaneMask{1} << l, 0,
               "an offset of " + std::to_string(out.offset[d]) + " texels; −8 to 7 are allowed");
      return false;
    }
    return true;
  }

  // Uses that neither the ISA nor the CUDA guides pin down.
  std::string_view unknown(const Image& m, const Sampler& s, const Lookup& l) const {
    const bool linear = s.filter == FilterMode::kLinear && !form_.whole && !gathers_;
    const bool cube = form_.shape == ImageShape::kCube || form_.shape == ImageShape::kCubeLayered;
    if (m.shape == ImageShape::kLinear && !form_.whole)
      return "linear memory at coordinates that are no integers";
    if (m.shape == ImageShape::k1d && form_.whole) return "integer coordinates into a 1d array";
    if (linear && !m.format.filters()) return "linear filtering of integers";
    if (linear && m.format == TexelFormat{ChannelKind::kSnorm, 8, m.format.channels})
      return "linear filtering of 8-bit snorm";
    if (cube && s.address[0] != AddressMode::kClamp) return "cubes that are not clamped";
    if (form_.gradient && m.levels > 1) return "levels chosen by gradients";
    if (m.levels > 1 && !s.normalized && !form_.whole)
      return "levels with coordinates that are not normalized";
    if (m.levels > 1 && !l.has_level && (s.level_bias != 0 || s.least_level > 0))
      return "a bias or a least level where the instruction has no level";
    if (form_.result != TextureForm::Result::kWords && !m.format.filters())
      return "integers as .f16";
    return {};
  }

  bool fetch(unsigned l, const Image& m, const Sampler& s, const Taps& taps, const Lookup& lookup,
             Texel& out) {
    std::array<Texel, 16> raw;
    const Texel border = border_texel(m.format, s.border);
    for (unsigned t = 0; t < taps.count; ++t) {
      const Tap& tap = taps.taps[t];
      if (tap.border) {
        raw[t] = border;
        continue;
      }
      const uint64_t at = m.offset(tap.level, tap.layer, tap.x, tap.y, tap.z) +
                          uint64_t{lookup.sample} * m.format.bytes();
      Page* page = m.region->page(at);
      if (page == nullptr) {
        w_.fault(FaultKind::kMemoryCap, op_, LaneMask{1} << l, 0,
                 "the emulator's memory cap is reached");
        return false;
      }
      const uint64_t offset = at % kPageBytes;
      raw[t] = raw_texel(m.format, page->bytes.data() + offset);
      if (w_.block.checks().uninitialised && !defined(*page, offset, m.format.bytes()))
        w_.taint |= LaneMask{1} << l;
    }
    for (unsigned c = 0; c < m.format.channels; ++c) {
      if (gathers_) {
        if (c == form_.component)
          for (unsigned k = 0; k < 4; ++k) out[k] = decode_channel(m.format, raw[k][c]);
      } else if (!taps.filtered) {
        out[c] = decode_channel(m.format, raw[0][c]);
      } else {
        std::array<uint32_t, 16> channel{};
        for (unsigned t = 0; t < taps.count; ++t) channel[t] = raw[t][c];
        out[c] = filter_channel(m.format, std::span(channel).first(taps.count), taps.all());
      }
    }
    return true;
  }

  // Texels do not straddle words of the definedness bits.
  static bool defined(const Page& page, uint64_t at, unsigned bytes) {
    const uint64_t bits = ((uint64_t{1} << bytes) - 1) << (at % 64);
    return (page.defined[at / 64] & bits) == bits;
  }

  void write(unsigned l, const Texel& out) {
    const auto d = w_.program().operand(op_, 0);
    const bool pairs = form_.result == TextureForm::Result::kPairs;
    const unsigned count = pairs ? 2 : 4;
    for (unsigned k = 0; k < count; ++k) {
      uint32_t v = out[k];
      if (form_.result == TextureForm::Result::kHalves) v = half_of(v);
      if (pairs) v = half_of(out[2 * k]) | half_of(out[2 * k + 1]) << 16;
      if (!d[k].sink) w_.set(d[k], l, v);
    }
    // All of every texture is resident.
    if (d.size() > count && !d[count].sink) w_.set(d[count], l, 1);
  }

  Warp& w_;
  const Op& op_;
  TextureForm form_;
  bool gathers_;
  const Slot* handle_;
  const Slot* sampler_;
  std::span<const Slot> coordinates_;
  const OpaqueObject* texture_ = nullptr;
  uint64_t last_ = 0;
};

void texture_lookup(Warp& w, const Op& op, LaneMask mask) { TextureRun(w, op, false).run(mask); }
void texture_gather(Warp& w, const Op& op, LaneMask mask) { TextureRun(w, op, true).run(mask); }

bool select_form(const Selection& s, TextureForm& f) {
  if (!shape_of(s.opcode, f.shape) || s.operands.size() < 2) return false;
  // The ISA's text and its example disagree on which number comes first.
  if (f.shape == ImageShape::k2dSamplesLayered) return false;
  f.whole = s.opcode.type == Type::kS32;
  f.level = s.has(Mod::kLevel);
  f.gradient = s.has(Mod::kGrad);
  f.sampler = s.operands[1].count > 1 && s.slot_of(1, 1)->bits == 64;
  const size_t first = f.sampler ? 2 : 1;
  const size_t needed = (has_index(f.shape) ? 1 : 0) + dimensions_of(f.shape);
  if (s.operands[1].count < first + needed) return false;
  size_t next = 2 + (f.level ? 1 : 0) + (f.gradient ? 2 : 0);
  if (s.operands.size() > next && s.operands[next].count >= 1 &&
      s.operands[next].kind == ptx::OperandKind::kVector) {
    f.offset = true;
    if (s.operands[next].count < dimensions_of(f.shape)) return false;
    ++next;
  }
  // A depth to compare with: which comparison the ISA does not say.
  return s.operands.size() == next;
}

}  // namespace

bool select_texture(Selection& s) {
  TextureForm f;
  switch (s.opcode.mnemonic) {
    case Mnemonic::kTex:
      if (!select_form(s, f)) return false;
      if (s.types[0] == Type::kF16) f.result = TextureForm::Result::kHalves;
      if (s.types[0] == Type::kF16x2) f.result = TextureForm::Result::kPairs;
      if (s.operands[0].count < (f.result == TextureForm::Result::kPairs ? 2 : 4)) return false;
      s.op.run = texture_lookup;
      break;
    case Mnemonic::kTld4:
      if (!select_form(s, f) || s.operands[0].count < 4) return false;
      // How cubes are gathered at their edges is not documented.
      if (f.shape == ImageShape::kCube || f.shape == ImageShape::kCubeLayered) return false;
      f.component = s.has(Mod::kR) ? 0 : s.has(Mod::kG) ? 1 : s.has(Mod::kB) ? 2 : 3;
      s.op.run = texture_gather;
      break;
    default:
      return false;
  }
  s.op.variant = f.packed();
  return true;
}

}  // namespace pitot::emulator
