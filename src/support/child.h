// Work in a child process that may crash or never end: the parent waits with a time limit and goes
// on. The child is a fork: it sees everything that the parent had made before, so a request can be
// as small as an index.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot {

class ChildProcess {
 public:
  // Runs in the child, once a request.
  using Job = std::function<std::string(std::string_view request)>;

  explicit ChildProcess(Job job) : job_(std::move(job)) {}
  ~ChildProcess() { stop(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a request and waits for the answer; starts the child if none runs. Fork before threads
  // are started and before a GPU's driver is loaded. Errors (kFailed), after which the child is
  // gone and the next call starts another: no answer within `seconds`; the child died, by which
  // signal or exit status.
  Result<std::string> call(std::string_view request, double seconds);
  // Whether the last call failed for its time limit.
  bool timed_out() const { return timed_out_; }
  // Whether there is a child that a call would reach; it may have died since.
  bool running() const { return pid_ > 0; }
  void stop();

 private:
  Status start();
  Error lost(const std::string& what);

  Job job_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  bool timed_out_ = false;
};

}  // namespace pitot
