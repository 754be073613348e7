// Names of opcode groups, pipes and targets, and which target satisfies which need.
#include <algorithm>
#include <array>
#include <string>

#include "ptx/isa.h"

namespace pitot::ptx {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Group::kCount)> kGroupNames = {
    "other",   "arith",    "logic",   "shift",  "compare", "select",   "move",   "convert",
    "fma",     "sfu",      "load",    "store",  "atomic",  "prefetch", "async",  "barrier",
    "fence",   "mbarrier", "warp",    "branch", "call",    "return",   "tensor", "texture",
    "surface", "video",    "address", "stack",  "control",
};

constexpr std::array<std::string_view, static_cast<size_t>(Pipe::kCount)> kPipeNames = {
    "none", "int",    "fp32",   "fp64",    "half",    "sfu",   "lsu",
    "tex",  "tensor", "branch", "uniform", "convert", "async",
};

// Members of the architecture families that have family-specific targets (PTX ISA, ".target").
bool same_family(unsigned a, unsigned b) {
  constexpr std::array<std::array<unsigned, 2>, 2> kFamilies = {{{100, 103}, {120, 121}}};
  if (a == b) return true;
  return std::any_of(kFamilies.begin(), kFamilies.end(), [a, b](const auto& family) {
    return std::find(family.begin(), family.end(), a) != family.end() &&
           std::find(family.begin(), family.end(), b) != family.end();
  });
}

}  // namespace

std::string_view name_of(Group g) {
  size_t index = static_cast<size_t>(g);
  return index < kGroupNames.size() ? kGroupNames[index] : "";
}

std::string_view name_of(Pipe p) {
  size_t index = static_cast<size_t>(p);
  return index < kPipeNames.size() ? kPipeNames[index] : "";
}

Target target_from_name(std::string_view name) {
  if (name.starts_with("sm_"))
    name.remove_prefix(3);
  else if (name.starts_with("compute_"))
    name.remove_prefix(8);
  else
    return {};
  Target target;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    target.suffix = name.back();
    name.remove_suffix(1);
  }
  if (name.empty() || name.size() > 4) return {};
  for (char c : name) {
    if (c < '0' || c > '9') return {};
    target.sm = static_cast<uint16_t>(target.sm * 10 + (c - '0'));
  }
  return target.sm ? target : Target{};
}

std::string name_of(Target t) {
  std::string name = "sm_" + std::to_string(t.sm);
  if (t.suffix) name += t.suffix;
  return name;
}

bool satisfies(const Need& need, uint16_t ptx, Target target) {
  if (ptx < need.ptx) return false;
  switch (need.suffix) {
    case Need::Suffix::kOrHigher:
      return target.sm >= need.sm;
    case Need::Suffix::kArchSpecific:
      return target.sm == need.sm && target.suffix == 'a';
    case Need::Suffix::kFamily:
      return target.suffix != 0 && target.sm >= need.sm && same_family(target.sm, need.sm);
  }
  return false;
}

bool satisfies(Needs needs, uint16_t ptx, Target target) {
  return needs.empty() || std::any_of(needs.begin(), needs.end(), [&](const Need& need) {
           return satisfies(need, ptx, target);
         });
}

}  // namespace pitot::ptx
