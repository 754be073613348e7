// Table of special registers.
#include "ptx/special_register.h"

namespace pitot::ptx {
namespace {
constexpr SpecialRegister kTable[] = {
    {"%tid", 0, Type::kU32, 4, {}, 0},          {"%ntid", 1, Type::kU32, 4, {}, 0},
    {"%ctaid", 2, Type::kU32, 4, {}, 0},        {"%nctaid", 3, Type::kU32, 4, {}, 0},
    {"%laneid", 4, Type::kU32, 1, {}, 0},       {"%warpid", 5, Type::kU32, 1, {}, 0},
    {"%clock", 6, Type::kU32, 1, {}, 0},        {"%clock64", 7, Type::kU64, 1, {}, 0},
    {"%globaltimer", 8, Type::kU64, 1, {}, 0},  {"%smid", 9, Type::kU32, 1, {}, 0},
    {"%cluster_ctaid", 10, Type::kU32, 4, {}, 0}, {"%cluster_ctarank", 11, Type::kU32, 1, {}, 0},
    {"%clusterid", 12, Type::kU32, 4, {}, 0},   {"%lanemask_lt", 13, Type::kU32, 1, {}, 0},
};
}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  for (const auto& r : kTable)
    if (r.name == name) return &r;
  return nullptr;
}

}  // namespace pitot::ptx
