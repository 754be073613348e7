// The `.version` and `.target` lines of a PTX text, and the same text for another target. Works on
// the bytes, so that text which does not parse can be handed to ptxas all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa.h"

namespace pitot::toolchain {

struct PtxHeader {
  uint16_t version = 0;  // major × 10 + minor; 0: no .version
  ptx::Target target;    // sm = 0: no .target, or one that names no sm
  // Byte ranges [begin, end) of each sm_… name in the .target directives.
  std::vector<std::pair<size_t, size_t>> target_names;
  bool is_ptx() const { return version != 0; }
};

// "9.0" → 90: a major of one or two digits, a minor of one; 0 for anything else.
uint16_t parse_ptx_version(std::string_view text);

// Reads the directives before the first brace; comments and text before .version are skipped.
PtxHeader read_ptx_header(std::string_view text);

// How a text for target `from` gets assembled for `to`.
enum class Retarget : uint8_t {
  kDirect,     // ptxas takes it as it is with -arch=to
  kRewritten,  // only with its .target replaced: `to` is lower, or `from` is not "or higher"
};
// PTX ISA ".target": sm_XY for XY and all above; sm_XYf within its family from XY on; sm_XYa for
// itself.
Retarget retarget_kind(ptx::Target from, ptx::Target to);

// The text with every target name replaced; nothing else changes.
std::string with_target(std::string_view text, const PtxHeader& header, ptx::Target to);

}  // namespace pitot::toolchain
