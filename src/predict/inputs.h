// What models see of feature rows: the classic columns as they are, columns without scale (shares,
// rates, logarithms), or how a variant differs from the others of its group.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/feature_set.h"
#include "predict/matrix.h"

namespace pitot::predict {

enum class InputView : uint8_t {
  kClassic,    // the nine classic columns
  kScaleFree,  // each column over what it scales with: counts over instructions, cycles over the
               // model's total; the rest as logarithms
  kRelative,   // logarithms less their mean over the group; columns that vary nowhere are 0
};
std::string_view name_of(InputView view);  // "classic"
std::optional<InputView> find_view(std::string_view name);

// By group, whether its columns are used.
using GroupMask = std::array<bool, kFeatureGroups>;
inline constexpr GroupMask kAllGroups{true, true, true, true, true};

// Turns feature rows (kColumnCount values, then the extra ones) into inputs of one view.
class Inputs {
 public:
  // `extra`: names of columns behind those of the schema; the classic view has none of them.
  Inputs(InputView view, GroupMask groups, std::span<const std::string> extra = {});

  const std::vector<std::string>& names() const { return names_; }
  // Of one row; for kRelative before the mean is taken off.
  void append(std::span<const double> row, std::vector<float>& out) const;
  // Of the rows of one group, in order. The views without a group treat each row alone.
  Matrix group(std::span<const std::span<const double>> rows) const;

 private:
  enum class Kind : uint8_t { kPlain, kLog, kOver, kAnalytic, kStatic };
  struct Source {
    Kind kind = Kind::kPlain;
    size_t column = 0, over = 0;
  };
  void add(std::string name, Source source);

  InputView view_;
  std::vector<Source> sources_;
  std::vector<std::string> names_;
};

}  // namespace pitot::predict
