// Who proposes candidates: built in, a command, or a model behind an endpoint.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench_result.h"
#include "bench/task.h"

namespace pitot::bench {

// What a generator is asked for: candidates of one task in one round.
struct Request {
  const Task* task = nullptr;
  std::string start;   // PTX of the start kernel
  std::string best;    // of the best verified one so far: the start kernel's at first
  std::string prompt;  // in words: see prompt.h; empty for generators that do not read
  uint32_t round = 0;
  uint32_t candidates = 1;  // wanted
  uint64_t seed = 0;
};

struct Proposal {
  std::string name;  // for people
  std::string text;  // PTX, or whatever the generator said
};

class Generator {
 public:
  virtual ~Generator() = default;
  virtual std::string name() const = 0;
  // At most as many as wanted. Errors: nothing can be asked any more (no such command, the endpoint
  // refuses); a single answer that is of no use is a proposal all the same, to be judged.
  virtual Result<std::vector<Proposal>> propose(const Request& request) = 0;
  // Whether it wants a prompt.
  virtual bool reads() const { return false; }
};

// The start kernel itself: what a judge must call right and as fast.
std::unique_ptr<Generator> identity_generator();
// Random legal sequences of transforms.
std::unique_ptr<Generator> random_generator();
// Each legal transform that changes the kernel, by itself and after unrolling by two: as many as
// there are, or as are wanted.
std::unique_ptr<Generator> each_generator();
// Mistakes that are made on purpose, of the start kernel, one kind after the other, and now and
// then the start kernel itself: for trying out the loop.
std::unique_ptr<Generator> faulty_generator();

}  // namespace pitot::bench
