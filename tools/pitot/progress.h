// A progress line on standard error, on a terminal only.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace pitot::cli {

// Safe to step from several threads. Draws at most ten times a second, and nothing for work that
// ends within half a second.
class Progress {
 public:
  Progress(std::string what, size_t total);
  void step();
  void finish();

 private:
  void draw(size_t done);

  std::string what_;
  size_t total_;
  bool terminal_;
  std::atomic<size_t> done_{0};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_, last_;
  bool drawn_ = false;
};

}  // namespace pitot::cli
