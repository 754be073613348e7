// Runs that do not come to an end: when that counts as a hang, and where they were.
#pragma once

#include <cstdint>
#include <string>

#include "check/options.h"

namespace pitot::check {

// "in the loop of lines 20 to 25", "at line 20": the innermost loop around a line of the kernel.
std::string loop_text(const Side& side, uint32_t line);

// Of a second kernel that does not end: "no end after 250,000 warp instructions, … ".
std::string hang_text(const Side& side, uint32_t line, uint64_t after, uint64_t a);

// "1,048,576"
std::string grouped(uint64_t n);

}  // namespace pitot::check
