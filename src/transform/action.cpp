// The catalogue.
#include "transform/action.h"

#include <algorithm>
#include <array>

namespace pitot::transform {
namespace {

constexpr std::array<ActionInfo, kActions> kTable = {{
    {Action::kVecLd, "vec_ld", Group::kVectorise, false,
     "neighbouring scalar loads become one load of 2 or 4 elements, where alignment is proved"},
    {Action::kVecSt, "vec_st", Group::kVectorise, false,
     "neighbouring scalar stores become one store of 2 or 4 elements, where alignment is proved"},
    {Action::kSplitLd, "split_ld", Group::kSplit, false, "vector loads become scalar loads"},
    {Action::kCacheCs, "cache_cs", Group::kLoadCache, true,
     "global loads are marked as streaming (.cs)"},
    {Action::kCacheCg, "cache_cg", Group::kLoadCache, true,
     "global loads are kept in L2 only (.cg)"},
    {Action::kCacheCa, "cache_ca", Group::kLoadCache, true,
     "global loads are kept at all levels (.ca)"},
    {Action::kCacheCv, "cache_cv", Group::kLoadCache, true,
     "global loads fetch again what may have changed (.cv)"},
    {Action::kStCacheCs, "st_cache_cs", Group::kStoreCache, true,
     "global stores are marked as streaming (.cs)"},
    {Action::kStCacheWt, "st_cache_wt", Group::kStoreCache, true,
     "global stores write through to memory (.wt)"},
    {Action::kStCacheWb, "st_cache_wb", Group::kStoreCache, true,
     "global stores stay in the caches (.wb)"},
    {Action::kMaxnreg32, "maxnreg_32", Group::kRegisters, true, "at most 32 registers a thread"},
    {Action::kMaxnreg64, "maxnreg_64", Group::kRegisters, true, "at most 64 registers a thread"},
    {Action::kMaxnreg128, "maxnreg_128", Group::kRegisters, true, "at most 128 registers a thread"},
    {Action::kMaxnreg255, "maxnreg_255", Group::kRegisters, true, "at most 255 registers a thread"},
    {Action::kReorderCp, "reorder_cp", Group::kOrder, true,
     "instructions of a block in the order of their distance to its end"},
    {Action::kReorderIl, "reorder_il", Group::kOrder, true,
     "loads and arithmetic of a block take turns"},
    {Action::kReorderLf, "reorder_lf", Group::kOrder, true, "loads of a block come first"},
    {Action::kReorderSl, "reorder_sl", Group::kOrder, true, "stores of a block come last"},
    {Action::kPrefetchL1, "prefetch_L1", Group::kPrefetch, true,
     "what loops load next is prefetched to L1, and what a block loads at its beginning"},
    {Action::kPrefetchL2, "prefetch_L2", Group::kPrefetch, true,
     "what loops load next is prefetched to L2, and what a block loads at its beginning"},
    {Action::kVecWide, "vec_wide", Group::kVectorise, false,
     "neighbouring accesses become accesses of 32 bytes (.v4.b64, .v8.b32), where the target has "
     "them"},
    {Action::kLdNc, "ld_nc", Group::kLoads, false,
     "global loads of what the kernel only reads go through the read-only path (.nc)"},
    {Action::kReuseLoads, "reuse_loads", Group::kLoads, false,
     "a load of what a register holds already becomes a move"},
    {Action::kNarrowAddress, "narrow_address", Group::kArithmetic, false,
     "64-bit index arithmetic is done in 32 bits, where it is proved to fit"},
    {Action::kUnroll2, "unroll_2", Group::kLoop, true, "innermost counted loops twice a turn"},
    {Action::kUnroll4, "unroll_4", Group::kLoop, true, "innermost counted loops four times a turn"},
    {Action::kFmaContract, "fma_contract", Group::kArithmetic, false,
     "a product that is added becomes fma; changes rounding, so it wants consent"},
}};

}  // namespace

std::span<const ActionInfo> actions() { return kTable; }

const ActionInfo& info(Action action) { return kTable[static_cast<size_t>(action)]; }

const ActionInfo* find_action(std::string_view name) {
  auto it = std::find_if(kTable.begin(), kTable.end(),
                         [&](const ActionInfo& a) { return a.name == name; });
  return it == kTable.end() ? nullptr : &*it;
}

bool can_follow(Action earlier, Action next) {
  if (earlier == next) return false;
  return info(earlier).group != info(next).group || !info(next).exclusive;
}

}  // namespace pitot::transform
