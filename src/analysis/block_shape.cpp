// Facts of special registers (PTX ISA, "Special Registers") for a block shape.
#include "analysis/block_shape.h"

#include <algorithm>

namespace pitot::analysis {

const char* to_string(Scope scope) {
  switch (scope) {
    case Scope::kGrid:
      return "grid";
    case Scope::kCta:
      return "block";
    case Scope::kWarp:
      return "warp";
    case Scope::kVarying:
      return "lane";
  }
  return "lane";
}

std::optional<BlockShape> block_shape_of(const ptx::Function& f,
                                         std::optional<std::array<uint32_t, 3>> given) {
  auto usable = [](const std::array<uint32_t, 3>& d) {
    if (d[0] == 0 || d[1] == 0 || d[2] == 0) return false;
    return d[0] <= 1024 && d[1] <= 1024 && d[2] <= 1024 && uint64_t{d[0]} * d[1] * d[2] <= 1024;
  };
  if (given && usable(*given)) return BlockShape{*given, true};
  if (f.bounds.reqntid && usable(*f.bounds.reqntid)) return BlockShape{*f.bounds.reqntid, true};
  if (f.bounds.maxntid && usable(*f.bounds.maxntid)) return BlockShape{*f.bounds.maxntid, false};
  return std::nullopt;
}

namespace {

struct Known {
  std::string_view name;
  uint8_t bits;  // that can be set
  Scope scope;
};

// Limits: blocks have at most 1024 threads (64 in z), grids 2^31-1 × 65535 × 65535 blocks.
constexpr Known kKnown[] = {
    {"%ntid.x", 11, Scope::kGrid},
    {"%ntid.y", 11, Scope::kGrid},
    {"%ntid.z", 7, Scope::kGrid},
    {"%ctaid.x", 31, Scope::kCta},
    {"%ctaid.y", 16, Scope::kCta},
    {"%ctaid.z", 16, Scope::kCta},
    {"%nctaid.x", 31, Scope::kGrid},
    {"%nctaid.y", 16, Scope::kGrid},
    {"%nctaid.z", 16, Scope::kGrid},
    {"%warpid", 32, Scope::kWarp},
    {"%nwarpid", 32, Scope::kGrid},
    {"%smid", 32, Scope::kWarp},
    {"%nsmid", 32, Scope::kGrid},
    {"%gridid", 64, Scope::kGrid},
    {"%is_explicit_cluster", 1, Scope::kGrid},
    {"%clusterid", 32, Scope::kCta},
    {"%nclusterid", 32, Scope::kGrid},
    {"%cluster_ctaid", 32, Scope::kCta},
    {"%cluster_nctaid", 32, Scope::kGrid},
    {"%cluster_ctarank", 32, Scope::kCta},
    {"%cluster_nctarank", 32, Scope::kGrid},
    {"%total_smem_size", 32, Scope::kGrid},
    {"%dynamic_smem_size", 32, Scope::kGrid},
    {"%aggr_smem_size", 32, Scope::kGrid},
};

SpecialFacts tid_facts(unsigned component, const std::optional<BlockShape>& shape) {
  SpecialFacts out;
  out.scope = Scope::kWarp;
  if (!shape || !shape->certain) {
    out.bits = Bits::varying(component == 2 ? 6 : 10);
    return out;
  }
  uint64_t ever_zero = 0, ever_one = 0, vary = 0;
  for (uint32_t first = 0; first < shape->threads(); first += 32) {
    uint64_t lead = shape->tid(first)[component];
    for (uint32_t t = first; t < std::min(first + 32, shape->threads()); ++t) {
      uint64_t v = shape->tid(t)[component];
      ever_zero |= ~v;
      ever_one |= v;
      vary |= v ^ lead;
    }
  }
  out.bits = {~ever_one, ~ever_zero, vary};
  return out;
}

}  // namespace

SpecialFacts special_facts(std::string_view name, unsigned width,
                           const std::optional<BlockShape>& shape) {
  auto narrowed = [width](SpecialFacts f) {
    f.bits = truncate(f.bits, width);
    if (f.bits.is_constant()) f.scope = Scope::kGrid;
    return f;
  };
  if (name.size() == 6 && name.starts_with("%tid.") && name[5] >= 'x' && name[5] <= 'z')
    return narrowed(tid_facts(static_cast<unsigned>(name[5] - 'x'), shape));
  if (name == "%laneid") {
    Bits lanes = Bits::varying(5);
    if (shape && shape->certain && shape->threads() < 32)
      lanes = Bits::varying(static_cast<unsigned>(std::bit_width(shape->threads() - 1)));
    return narrowed({lanes, Scope::kGrid});
  }
  if (shape && shape->certain && name.size() == 7 && name.starts_with("%ntid.") && name[6] >= 'x' &&
      name[6] <= 'z')
    return narrowed(
        {Bits::constant(shape->dims[static_cast<size_t>(name[6] - 'x')]), Scope::kGrid});
  std::string_view stem = name.substr(0, name.find('.'));
  // The fourth component is there and zero (PTX ISA, "%tid", "%ctaid").
  if (name.ends_with(".w") &&
      (stem.ends_with("tid") || stem.ends_with("ctaid") || stem.ends_with("clusterid")))
    return narrowed({Bits::constant(0), Scope::kGrid});
  for (const Known& k : kKnown)
    if (k.name == name || k.name == stem) return narrowed({Bits::uniform(k.bits), k.scope});
  if (name.starts_with("%envreg")) return narrowed({Bits::uniform(32), Scope::kGrid});
  return {Bits::varying(std::min(width, 64u)), Scope::kWarp};
}

}  // namespace pitot::analysis
