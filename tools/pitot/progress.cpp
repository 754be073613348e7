// Progress line with the time left, from the rate so far.
#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace pitot::cli {

using std::chrono::duration;
using std::chrono::steady_clock;

Progress::Progress(std::string what, size_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) != 0),
      begin_(steady_clock::now()),
      last_(begin_) {}

void Progress::step() {
  size_t done = ++done_;
  if (!terminal_) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  auto now = steady_clock::now();
  if (duration<double>(now - begin_).count() < 0.5 || duration<double>(now - last_).count() < 0.1)
    return;
  last_ = now;
  draw(done);
}

void Progress::draw(size_t done) {
  double elapsed = duration<double>(steady_clock::now() - begin_).count();
  double left =
      done > 0 ? elapsed * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  constexpr size_t kWidth = 30;
  size_t filled = total_ > 0 ? kWidth * done / total_ : kWidth;
  std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r%s [%s] %zu/%zu, %.0f s left ", what_.c_str(), bar.c_str(), done, total_,
               left);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace pitot::cli
