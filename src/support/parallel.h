// parallel_for: independent work items over threads; results go by index, so order is
// deterministic.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace pitot {

// Number of workers for `-j N`; 0 means every core.
inline unsigned worker_count(unsigned requested) {
  if (requested != 0) return requested;
  unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : n;
}

// Calls body(i) for i in [0, count) on up to `workers` threads. `body` must not throw.
inline void parallel_for(size_t count, unsigned workers, const std::function<void(size_t)>& body) {
  workers = worker_count(workers);
  if (workers > count) workers = static_cast<unsigned>(count);
  if (workers <= 1) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<size_t> next{0};
  auto loop = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < workers; ++t) threads.emplace_back(loop);
  loop();
}

}  // namespace pitot
