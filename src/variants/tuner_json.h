// JSON as tuners leave it on disk: not closed when the tuner was stopped, with Python's NaN and
// Infinity.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot::variants {

using OrderedJson = nlohmann::ordered_json;

struct LooseJson {
  OrderedJson root;
  bool truncated = false;  // brackets were missing at the end
  size_t dropped_at = 0;   // line (from 1) of an entry that was cut off and left out; 0: none
  size_t not_numbers = 0;  // NaN, Infinity and -Infinity, which became null
};

// Whole entries are kept: what is cut off is left out from the last complete member of the second
// level on ({"cache": {"a": {…}, "b": {…) or, failing that, of the first. Errors: a place where it
// is no JSON at all, as "line:column".
Result<LooseJson> parse_loose(std::string_view text);

}  // namespace pitot::variants
