// Searches for the sequence of transforms that makes a kernel best by some cost.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "search/cost.h"
#include "search/log.h"
#include "search/search_result.h"
#include "transform/subject.h"

namespace pitot::search {

enum class Method : uint8_t {
  kRandom,      // sequences drawn at random
  kGreedy,      // the best next action, until none is better beyond noise
  kBeam,        // of each length the best `width` programs are continued
  kExhaustive,  // every program, in the order of sequences' length
};
const char* to_string(Method method);  // "random", …

struct Kernel {
  std::string path, text;  // PTX without errors
  std::string name;        // of the entry
  transform::Assumptions assumptions;
};

struct SearchOptions {
  Method method = Method::kGreedy;
  uint64_t budget = 200;  // distinct programs, the original among them; at least 1
  uint32_t max_steps = 6;
  uint32_t width = 4;                      // of the beam; at least 1
  uint32_t batch = 32;                     // programs a call of the cost at most; at least 1
  uint64_t seed = 1;                       // of the random method
  size_t keep_bytes = size_t{256} << 20;   // of texts that are kept; only speed depends on it
  std::vector<transform::Action> allowed;  // empty: all
  unsigned workers = 1;                    // threads that apply transforms; 0: every core
  // Asked before each call of the cost: true ends the search with what it has. Null: never.
  std::function<bool()> stop = {};
};

// The canonical hash of a kernel's module: what a LogHead wants.
Hash128 program_hash(const Kernel& kernel);

// The same arguments and values give the same result, whatever the batch. Programs that `history`
// has are not asked for again, but count. `sink` gets each new value as soon as its batch is there.
// Errors: options out of range, PTX with errors, an original without a cost, errors of the cost.
Result<SearchResult> search(const Kernel& kernel, const SearchOptions& options, Cost& cost,
                            const History& history = {}, const LogSink& sink = {});

// The result with the next best program where those of these numbers (of result.programs, and all
// of their images) are not to be taken; the original where no other is better beyond noise.
Status take_next_best(const Kernel& kernel, const std::set<size_t>& rejected, SearchResult& result);

}  // namespace pitot::search
