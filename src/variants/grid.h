// The variants of a template: every combination of the parameters' values, and which of them the
// constraints refuse.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/result.h"
#include "variants/template.h"

namespace pitot::variants {

struct Configuration {
  std::vector<Value> values;  // one a parameter of the template
  std::string name;           // "BM32_BN64": fit for a file name, unique in its list
  std::string refused;        // the first constraint that does not hold; empty: none
};

// What expressions see of a configuration.
device::Sizes numbers_of(const Template& t, const Configuration& c);
device::Words texts_of(const Template& t, const Configuration& c);
// "BM=32 BN=64"
std::string values_text(const Template& t, const Configuration& c);

// In the order of the parameters, the last one varying fastest. Errors, located at the constraint
// that does not evaluate or at the start for more than a million combinations, leave the list
// empty.
std::vector<Configuration> enumerate(const Template& t, Diagnostics& out);

// Names the configurations and applies the constraints to them: for lists that are no whole grid.
void complete(const Template& t, std::vector<Configuration>& list, Diagnostics& out);

// Which of them a person means: "20" the first twenty that no constraint refuses, a name or a
// pattern of names ("BM32_*"), or an expression over the parameters.
Result<std::vector<bool>> select(const Template& t, const std::vector<Configuration>& list,
                                 const std::string& only);

}  // namespace pitot::variants
