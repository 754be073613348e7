// --set: sizes of one's own over those of a spec.
#pragma once

#include <string>
#include <vector>

#include "device/spec.h"

namespace pitot::cli {

// Puts one size a text in place of the spec's: its first with the values of "n=4096 k=64" or
// "n=4096,k=64". Errors (kInput): not of that form, or a name that the first size does not have.
// Without texts the spec stays as it is.
Status set_sizes(const std::vector<std::string>& texts, device::KernelSpec& spec);

}  // namespace pitot::cli
