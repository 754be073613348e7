// The log of a search's evaluations: a JSON object a line, so that a search that was ended goes on
// where it was.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/cost.h"
#include "support/hash.h"
#include "transform/action.h"

namespace pitot::search {

struct Evaluation {
  Hash128 program;  // of its canonical form
  std::vector<transform::Action> sequence;
  CostValue value;
};

// What a log is of: values of another cost or another kernel are not taken for this one's.
struct LogHead {
  Hash128 original;
  std::string cost;  // name of the cost with all that its values depend on
};

// With the line's end.
std::string log_head(const LogHead& head);
std::string log_line(const Evaluation& evaluation);

struct History {
  std::map<Hash128, CostValue> values;
  std::string cost;  // the head's
  // How much of the text is whole lines. What a killed program left behind them is to be cut off
  // before the log is written on.
  size_t whole_bytes = 0;
};
// With no cost in `expected`, of any cost. Empty text: nothing is known. Errors (kInput): a line
// that is none of a log, by number; a log of something else than `expected`.
Result<History> read_log(std::string_view text, const LogHead& expected);
// What a log is of. Errors (kInput): its first line is no head.
Result<LogHead> read_log_head(std::string_view text);

using LogSink = std::function<void(const Evaluation&)>;

}  // namespace pitot::search
