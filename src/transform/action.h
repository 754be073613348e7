// The catalogue of transforms: their names as users and tables spell them, and which of them cannot
// stand together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pitot::transform {

// The first 20 are the published actions, in the published order: policies and recorded tables
// number them so. Those beyond are appended, never inserted.
enum class Action : uint8_t {
  kVecLd,
  kVecSt,
  kSplitLd,
  kCacheCs,
  kCacheCg,
  kCacheCa,
  kCacheCv,
  kStCacheCs,
  kStCacheWt,
  kStCacheWb,
  kMaxnreg32,
  kMaxnreg64,
  kMaxnreg128,
  kMaxnreg255,
  kReorderCp,
  kReorderIl,
  kReorderLf,
  kReorderSl,
  kPrefetchL1,
  kPrefetchL2,
  kVecWide,
  kLdNc,
  kReuseLoads,
  kNarrowAddress,
  kUnroll2,
  kUnroll4,
  kFmaContract,
};
inline constexpr size_t kPublishedActions = 20;
inline constexpr size_t kActions = static_cast<size_t>(Action::kFmaContract) + 1;

enum class Group : uint8_t {
  kVectorise,
  kSplit,
  kLoadCache,
  kStoreCache,
  kRegisters,
  kOrder,
  kPrefetch,
  kLoads,
  kArithmetic,
  kLoop,
};

struct ActionInfo {
  Action action = Action::kVecLd;
  std::string_view name;
  Group group = Group::kVectorise;
  bool exclusive = false;  // at most one of its group in a sequence
  std::string_view what;   // one sentence for --list
};

std::span<const ActionInfo> actions();  // by Action
const ActionInfo& info(Action action);
const ActionInfo* find_action(std::string_view name);  // null: no such name
// Whether `next` may follow a sequence that has `earlier`: no action twice, one of an exclusive
// group.
bool can_follow(Action earlier, Action next);

}  // namespace pitot::transform
