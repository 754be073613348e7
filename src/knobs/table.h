// A sweep as a table that can be asked: what a configuration took, case by case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knobs/space.h"
#include "knobs/sweep_result.h"
#include "support/result.h"

namespace pitot::knobs {

// A kernel at a size.
struct Case {
  std::string kernel;
  int64_t matrix_size = 0;
  bool operator==(const Case&) const = default;
};

class Table {
 public:
  // The space has every value that a knob takes anywhere in the sweep; cases are in the order of
  // the rows. Errors (kInput): no rows, a case without a single time.
  static Result<Table> of(SweepResult sweep);

  const Space& space() const { return space_; }
  const std::vector<Case>& cases() const { return cases_; }
  std::vector<std::string> kernels() const;  // in the order of the cases
  // Null: nobody swept it.
  const SweepRow* row(size_t number, size_t configuration) const;
  // Those that ran, ascending.
  std::vector<size_t> ran(size_t number) const;
  // The one that took least.
  size_t best(size_t number) const;

 private:
  SweepResult sweep_;
  Space space_;
  std::vector<Case> cases_;
  std::vector<std::vector<std::optional<size_t>>> places_;  // case × configuration: a row
};

}  // namespace pitot::knobs
