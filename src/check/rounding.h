// How far apart results may be and still be the same: by a shadow of the first kernel where there
// is one, by a tolerance else.
#pragma once

#include <string>

#include "check/check_result.h"
#include "check/compare.h"
#include "check/options.h"
#include "emulator/shadow.h"

namespace pitot::check {

// Warp instructions of a run above which no shadow is made of it: it takes some microseconds each.
inline constexpr uint64_t kShadowInstructions = 400'000;

// What a float result may be off when values on the way are rounded to a narrow type: the largest
// of the relative tolerances of the types that either kernel converts to.
double narrowest(const Side& a, const Side& b);

struct Rounding {
  double narrow = 0;                         // see narrowest()
  const emulator::Shadow* shadow = nullptr;  // of the first kernel's run
  const Tolerance* given = nullptr;          // a spec's: then it alone decides

  Tolerance tolerance(ptx::Type type) const;
};

// In place of a parameter's number: a variable of the module.
inline constexpr size_t kVariable = SIZE_MAX;

// What came of comparing elements.
struct Compared {
  uint64_t differing = 0;
  bool bits_equal = true;
  bool by_tolerance = false;  // of some elements nothing better was known
  Difference first;
  size_t buffer = 0;  // of the first: the parameter or output
  int64_t index = 0;
};

// Compares one element, which lay at `address` in the first kernel's run. True when it differs.
bool compare_element(const Rounding& rounding, uint64_t address, uint64_t a, uint64_t b,
                     ptx::Type type, Compared& out);
Difference difference_of(const Rounding& rounding, uint64_t address, uint64_t a, uint64_t b,
                         ptx::Type type);

}  // namespace pitot::check
