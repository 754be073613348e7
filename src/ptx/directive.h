// Directives (.maxntid, .pragma, .section, …): where they may stand and what they need.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/isa.h"

namespace pitot::ptx {

// Places in a module; a directive has the bits of all places where ptxas takes it.
enum DirectivePlace : uint16_t {
  kAtModule = 1u << 0,        // between functions and variables, and before the first
  kAtEntry = 1u << 1,         // between the parameters and the body of an .entry
  kAtFunc = 1u << 2,          // after the parameters of a .func, with a body or without
  kAtBody = 1u << 3,          // among the statements of a function
  kAtPrototype = 1u << 4,     // after the parameters of a .callprototype
  kAtVariable = 1u << 5,      // in the declaration of a variable, after its state space
  kAtParameter = 1u << 6,     // in the declaration of a parameter of an .entry
  kBeforeVariable = 1u << 7,  // before a variable's state space: linkage
  kBeforeFunction = 1u << 8,  // before .entry or .func: linkage
  kInAttribute = 1u << 9,     // inside .attribute( )
  kInTarget = 1u << 10,       // after .target, with the architectures
};

enum class DirectiveKind : uint8_t {
  kHeader,    // what every module starts with
  kSpace,     // declares in a state space
  kFunction,  // .entry, .func
  kLinkage,
  kPerformance,  // bounds of the launch and hints on resources
  kControlFlow,  // tables of targets and prototypes for indirect jumps and calls
  kDebug,
  kAttribute,  // refines a declaration
  kOther,
};

struct DirectiveInfo {
  std::string_view name;  // "maxntid", no dot
  DirectiveKind kind = DirectiveKind::kOther;
  uint16_t places = 0;  // DirectivePlace bits
  Need need;
  uint16_t removed = 0;                      // .version ×10 from which ptxas rejects it; 0: never
  uint8_t min_numbers = 0, max_numbers = 0;  // integers that follow; of performance directives only

  bool may_stand(DirectivePlace place) const { return (places & place) != 0; }
};

// With or without the leading dot; null if there is none. One hash and one comparison.
const DirectiveInfo* find_directive(std::string_view name);
std::span<const DirectiveInfo> directives();

// The keyword of a `.pragma "keyword arguments"`.
struct PragmaInfo {
  std::string_view keyword;
  uint16_t places = 0;  // where ptxas takes it; it warns of unknown keywords in functions, rejects
                        // them at kAtModule
  Need need;
  bool takes_argument = false;
};

// `text` is the string without its quotes. Null for an unknown keyword, or one with an argument
// that it may not have; ptxas ignores those in functions, with a warning.
const PragmaInfo* find_pragma(std::string_view text);

}  // namespace pitot::ptx
