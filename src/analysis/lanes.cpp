// Evaluation of forms lane by lane.
#include "analysis/lanes.h"

#include <algorithm>

namespace pitot::analysis {

Bits LaneAddresses::address(unsigned lane) const {
  return bits_add(base_of(lane), Bits::constant(static_cast<uint64_t>(offset[lane])), 64);
}

void LaneEvaluator::set_warp(const BlockShape& shape, uint32_t warp) {
  shape_ = shape;
  warp_ = warp;
  lanes_ = lanes_of(shape, warp);
  cached_.assign(forms_.atom_count(), 0);
  cache_.clear();
}

bool LaneEvaluator::atom_values(AtomId id, LaneValues& out) {
  if (id >= cached_.size()) cached_.resize(forms_.atom_count(), 0);
  if (cached_[id] == kNone) return false;
  if (cached_[id] != 0) {
    out = cache_[cached_[id] - 1];
    return true;
  }
  const Atom& a = forms_.atom(id);
  bool ok = a.pure;
  if (ok && a.kind == AtomKind::kSpecial) {
    std::string_view name = forms_.special_names()[a.id];
    for (uint32_t lane = 0; lane < 32; ++lane) {
      auto tid = shape_.tid(std::min(warp_ * 32 + lane, shape_.threads() - 1));
      out[lane] = name == "%laneid" ? lane : tid[static_cast<size_t>(name[5] - 'x')];
      out[lane] &= Bits::mask(a.width);
    }
  } else if (ok && a.kind == AtomKind::kExpression) {
    std::array<LaneValues, 4> arguments;
    for (size_t k = 0; ok && k < a.argument_count; ++k)
      ok = values(a.arguments[k], 64, arguments[k]);
    for (uint32_t lane = 0; ok && lane < 32; ++lane) {
      std::array<uint64_t, 4> s{};
      for (size_t k = 0; k < a.argument_count; ++k) s[k] = arguments[k][lane];
      std::span<const uint64_t> sources(s.data(), a.argument_count);
      IntInstruction op = a.operation;
      if (a.has_second) {  // q of setp: the comparison negated, then combined
        constexpr Order kOpposite[] = {Order::kNe, Order::kEq, Order::kGe,
                                       Order::kGt, Order::kLe, Order::kLt};
        op.order = kOpposite[static_cast<size_t>(op.order)];
      }
      out[lane] = 0;
      if (!evaluate(op, sources, out[lane]) && (lanes_ >> lane & 1) != 0) ok = false;
    }
  } else {
    ok = false;
  }
  if (!ok) {
    cached_[id] = kNone;
    return false;
  }
  cache_.push_back(out);
  cached_[id] = static_cast<uint32_t>(cache_.size());
  return true;
}

bool LaneEvaluator::values(FormId f, unsigned width, LaneValues& out) {
  if (f == kNone || !forms_.form(f).pure) return false;
  out.fill(static_cast<uint64_t>(forms_.form(f).constant));
  for (const Term& t : forms_.terms(f)) {
    LaneValues product, factor;
    product.fill(static_cast<uint64_t>(t.coefficient));
    for (AtomId a : forms_.monomial(t.monomial).span()) {
      if (!atom_values(a, factor)) return false;
      for (size_t lane = 0; lane < 32; ++lane) product[lane] *= factor[lane];
    }
    for (size_t lane = 0; lane < 32; ++lane) out[lane] += product[lane];
  }
  for (uint64_t& v : out) v &= Bits::mask(width);
  return true;
}

std::optional<LaneMask> LaneEvaluator::predicate(FormId f) {
  LaneValues v;
  if (!values(f, 1, v)) return std::nullopt;
  LaneMask out = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) out |= static_cast<LaneMask>(v[lane] & 1) << lane;
  return out & lanes_;
}

bool LaneEvaluator::atom_uniform(AtomId id, BlockId at) const {
  const Atom& a = forms_.atom(id);
  if (a.kind == AtomKind::kExpression) {
    for (size_t k = 0; k < a.argument_count; ++k)
      if (!uniform(a.arguments[k], at)) return false;
    return true;
  }
  if (a.level == Scope::kVarying) return false;
  for (LoopId l = a.loop; l != kNone; l = flow_.loops.loops[l].parent) {
    if (uniformity_.loop_step[l] == Scope::kVarying) return false;
    if (!flow_.loops.contains(l, at) && uniformity_.loop_exit[l] == Scope::kVarying) return false;
  }
  return true;
}

bool LaneEvaluator::uniform(FormId f, BlockId at) const {
  for (const Term& t : forms_.terms(f))
    for (AtomId a : forms_.monomial(t.monomial).span())
      if (!atom_uniform(a, at)) return false;
  return true;
}

LaneAddresses LaneEvaluator::addresses(FormId f, unsigned width, BlockId at) {
  LaneAddresses out;
  out.lanes = lanes_;
  if (f == kNone) return out;
  out.assumes_no_wrap = forms_.form(f).assumes_no_wrap;
  LaneValues offset;
  offset.fill(static_cast<uint64_t>(forms_.form(f).constant));
  bool rows_known = false;
  for (const Term& t : forms_.terms(f)) {
    LaneValues coefficient, factor;
    coefficient.fill(static_cast<uint64_t>(t.coefficient));
    Bits unknown = Bits::constant(1);
    bool has_unknown = false, per_lane = false;
    for (AtomId a : forms_.monomial(t.monomial).span()) {
      if (forms_.atom(a).pure) {
        if (!atom_values(a, factor)) return out;
        for (size_t lane = 0; lane < 32; ++lane) coefficient[lane] *= factor[lane];
        per_lane = true;
      } else {
        if (!atom_uniform(a, at)) return out;
        unknown = bits_mul(unknown, forms_.atom(a).bits, 64);
        has_unknown = true;
      }
    }
    if (!has_unknown) {
      for (size_t lane = 0; lane < 32; ++lane) offset[lane] += coefficient[lane];
      continue;
    }
    if (!per_lane) {
      out.base = bits_add(out.base, bits_mul(unknown, Bits::constant(coefficient[0]), 64), 64);
      continue;
    }
    // Lanes with the same coefficient of the unknown stay in one row.
    if (!rows_known) out.row_base.fill(Bits::constant(0));
    rows_known = true;
    std::array<uint8_t, 32> row{};
    uint8_t rows = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      size_t k = 0;
      while (k < lane && (out.row[k] != out.row[lane] || coefficient[k] != coefficient[lane])) ++k;
      row[lane] = k < lane ? row[k] : rows++;
      out.row_base[lane] = bits_add(out.row_base[lane],
                                    bits_mul(unknown, Bits::constant(coefficient[lane]), 64), 64);
    }
    out.row = row;
  }
  for (size_t lane = 0; lane < 32; ++lane) {
    if ((lanes_ >> lane & 1) != 0 && out.row[lane] != out.row[0]) out.one_row = false;
    out.offset[lane] = sign_extended(offset[lane], width);
  }
  // One row after all: its base is that of any existing lane.
  if (out.one_row && rows_known) out.base = bits_add(out.base, out.row_base[0], 64);
  out.known = true;
  return out;
}

}  // namespace pitot::analysis
