// Table of directives and pragmas (PTX ISA, "Directives", "Performance-Tuning Directives"). Places
// and versions are what ptxas accepts; where it no longer knows a version, what the ISA's release
// notes say.
#include "ptx/directive.h"

#include <array>
#include <iterator>

#include "ptx/name_hash.h"

namespace pitot::ptx {
namespace {

using enum DirectiveKind;

constexpr uint16_t kAtFunctions = kAtEntry | kAtFunc;

// clang-format off
constexpr DirectiveInfo kDirectiveTable[] = {
    {"version", kHeader, kAtModule, {10}, 0, 0, 0},
    {"target", kHeader, kAtModule, {10}, 0, 0, 0},
    {"address_size", kHeader, kAtModule, {23}, 0, 0, 0},
    {"texmode_unified", kHeader, kInTarget, {15}, 0, 0, 0},
    {"texmode_independent", kHeader, kInTarget, {15}, 0, 0, 0},
    {"map_f64_to_f32", kHeader, kInTarget, {10}, 0, 0, 0},
    {"debug", kHeader, kInTarget, {30}, 0, 0, 0},

    {"reg", kSpace, kAtBody | kAtModule, {10}, 0, 0, 0},
    {"sreg", kSpace, 0, {10}, 0, 0, 0},
    {"const", kSpace, kAtModule | kAtBody, {10}, 0, 0, 0},
    {"global", kSpace, kAtModule | kAtBody, {10}, 0, 0, 0},
    {"local", kSpace, kAtBody | kAtModule, {10}, 0, 0, 0},
    {"param", kSpace, kAtBody, {20}, 0, 0, 0},
    {"shared", kSpace, kAtModule | kAtBody, {10}, 0, 0, 0},
    {"tex", kSpace, kAtModule, {10}, 15, 0, 0},
    {"texref", kSpace, kAtVariable | kAtParameter, {15}, 0, 0, 0},
    {"samplerref", kSpace, kAtVariable | kAtParameter, {15}, 0, 0, 0},
    {"surfref", kSpace, kAtVariable | kAtParameter, {15}, 0, 0, 0},

    {"entry", kFunction, kAtModule, {10}, 0, 0, 0},
    {"func", kFunction, kAtModule, {10}, 0, 0, 0},
    {"alias", kFunction, kAtModule, {63, 30}, 0, 0, 0},

    {"extern", kLinkage, kBeforeVariable | kBeforeFunction, {10}, 0, 0, 0},
    {"visible", kLinkage, kBeforeVariable | kBeforeFunction, {10}, 0, 0, 0},
    {"weak", kLinkage, kBeforeVariable | kBeforeFunction, {31}, 0, 0, 0},
    {"common", kLinkage, kBeforeVariable, {50}, 0, 0, 0},

    {"maxnreg", kPerformance, kAtEntry, {13}, 0, 1, 1},
    {"maxntid", kPerformance, kAtEntry, {13}, 0, 1, 3},
    {"reqntid", kPerformance, kAtEntry, {21}, 0, 1, 3},
    {"minnctapersm", kPerformance, kAtEntry, {20}, 0, 1, 1},
    {"maxnctapersm", kPerformance, kAtEntry, {13}, 21, 1, 1},
    {"local_maxnreg", kPerformance, kAtFunctions, {88}, 0, 1, 1},
    {"explicitcluster", kPerformance, kAtEntry, {78, 90}, 0, 0, 0},
    {"reqnctapercluster", kPerformance, kAtEntry, {78, 90}, 0, 1, 3},
    {"maxclusterrank", kPerformance, kAtEntry, {78, 90}, 0, 1, 1},
    {"blocksareclusters", kPerformance, kAtEntry, {90, 90}, 0, 0, 0},
    {"noreturn", kPerformance, kAtFunc | kAtPrototype, {64, 30}, 0, 0, 0},
    {"abi_preserve", kPerformance, kAtFunc | kAtPrototype, {90, 80}, 0, 1, 1},
    {"abi_preserve_control", kPerformance, kAtFunc | kAtPrototype, {90, 80}, 0, 1, 1},
    {"pragma", kPerformance, kAtModule | kAtEntry | kAtBody, {20}, 0, 0, 0},

    {"branchtargets", kControlFlow, kAtBody, {21, 20}, 0, 0, 0},
    {"calltargets", kControlFlow, kAtBody, {21, 20}, 0, 0, 0},
    {"callprototype", kControlFlow, kAtBody, {21, 20}, 0, 0, 0},

    {"file", kDebug, kAtModule, {10}, 0, 0, 0},
    {"section", kDebug, kAtModule, {20}, 0, 0, 0},
    {"loc", kDebug, kAtBody, {10}, 0, 0, 0},

    {"align", kAttribute, kAtVariable | kAtParameter, {10}, 0, 1, 1},
    {"ptr", kAttribute, kAtParameter, {22}, 0, 0, 0},
    {"attribute", kAttribute, kAtVariable | kBeforeFunction, {40}, 0, 0, 0},
    {"managed", kAttribute, kInAttribute, {40, 30}, 0, 0, 0},
    {"unified", kAttribute, kInAttribute, {80, 90}, 0, 2, 2},
};

constexpr PragmaInfo kPragmas[] = {
    {"nounroll", kAtModule | kAtEntry | kAtBody, {20}, false},
    {"used_bytes_mask", kAtBody, {83}, true},
    {"enable_smem_spilling", kAtBody, {90}, false},
    {"frequency", kAtBody, {90}, true},
};
// clang-format on

constexpr NameHash<128> kDirectives(kDirectiveTable);

}  // namespace

const DirectiveInfo* find_directive(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  return kDirectives.find(kDirectiveTable, name);
}

std::span<const DirectiveInfo> directives() { return kDirectiveTable; }

const PragmaInfo* find_pragma(std::string_view text) {
  size_t end = text.find(' ');
  bool argument = end != std::string_view::npos;
  for (const PragmaInfo& pragma : kPragmas)
    if (pragma.keyword == text.substr(0, end))
      return argument && !pragma.takes_argument ? nullptr : &pragma;
  return nullptr;
}

}  // namespace pitot::ptx
