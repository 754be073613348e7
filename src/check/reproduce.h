// A counterexample as a kernel spec: buffers just as large as both kernels need, filled with the
// same values, so that `check --spec` and `run` make it again.
#pragma once

#include <string>

#include "check/judge.h"

namespace pitot::check {

struct Reproduction {
  device::KernelSpec spec;  // without ptx and entry
  std::string none;         // why there is no spec; empty when there is one
};

// Buffers are cut to what is used by running both kernels on ever smaller ones.
Reproduction reproduce(const Side& a, const Side& b, const Plan& plan, const Trial& trial,
                       const Judged& judged, const Options& options);

// The spec as text, but for `ptx`, `entry` and the oracle.
std::string spec_text(const device::KernelSpec& spec);

// Which elements of the inputs the differing element of the first kernel depends on: those that,
// changed one at a time, change it. Looks at the first hundred or so of each buffer of the spec.
Status find_feeds(const Side& a, const Plan& plan, const Trial& trial, const Judged& judged,
                  const device::KernelSpec& spec, const Options& options, Counterexample& out);

}  // namespace pitot::check
