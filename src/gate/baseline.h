// The baseline file: the accepted state of every kernel, as readable TOML, one fact a line, sorted,
// so that a review sees what moved.
#pragma once

#include <string>
#include <vector>

#include "gate/state.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::gate {

inline constexpr int kBaselineSchema = 1;

// The text of a baseline of these kernels. The same states give the same bytes. Of the pitot counts
// only a chosen list is kept, zeros left out.
std::string write_baseline(std::vector<KernelState> kernels);

// Reads one. Problems go to `out`, entries that are whole are kept.
std::vector<KernelState> read_baseline(const SourceText& source, Diagnostics& out);

}  // namespace pitot::gate
