// What the PTX ISA allows approximate instructions to be off, where the emulator computes them more
// exactly than a GPU may.
#pragma once

#include <string>

#include "bench/candidate.h"

namespace pitot::bench {

// The first instruction of the candidate that approximates what the start kernel computes rounded
// once (div, rcp, sqrt), or a hyperbolic tangent that it has not, and that may be off by more than
// `most` roundings of f32 by itself; in words, empty where there is none. PTX ISA, "Floating-Point
// Instructions": div.approx and div.full 2 ulp, rcp.approx and sqrt.approx 1 ulp, tanh.approx 2^-11
// relative.
std::string beyond_documented(const Candidate& candidate, const Candidate& start, double most,
                              uint32_t& line);

}  // namespace pitot::bench
