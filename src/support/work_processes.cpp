#include "support/work_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

namespace pitot {
namespace {

// In memory that all processes share.
struct Shared {
  std::atomic<size_t> next{0};
};
static_assert(std::atomic<size_t>::is_always_lock_free);

struct SharedMemory {
  void* at =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Shared* shared = at == MAP_FAILED ? nullptr : new (at) Shared;
  ~SharedMemory() {
    if (at != MAP_FAILED) munmap(at, sizeof(Shared));
  }
};

struct Worker {
  pid_t pid = -1;
  int from = -1;           // the numbers of items that it begins and ends
  size_t item = SIZE_MAX;  // that it is at
};

enum class State : uint8_t { kBegun, kDone, kFailed };
struct Message {
  size_t item;
  State state;
};

[[noreturn]] void run_worker(Shared& shared, size_t count, int to, pid_t parent,
                             const std::function<bool(size_t)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above
  for (size_t i = shared.next.fetch_add(1); i < count; i = shared.next.fetch_add(1)) {
    Message m{i, State::kBegun};
    if (write(to, &m, sizeof m) != sizeof m) _exit(1);
    m.state = work(i) ? State::kDone : State::kFailed;
    if (write(to, &m, sizeof m) != sizeof m) _exit(1);
  }
  _exit(0);
}

bool start(Worker& w, Shared& shared, size_t count, const std::function<bool(size_t)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (pid == 0) {
    close(ends[0]);
    run_worker(shared, count, ends[1], parent, work);
  }
  close(ends[1]);
  w.pid = pid;
  w.from = ends[0];
  w.item = SIZE_MAX;
  return true;
}

void stop(Worker& w) {
  close(w.from);
  int status = 0;
  while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  w.from = -1;
}

}  // namespace

Result<WorkDone> work_in_processes(size_t count, unsigned workers,
                                   const std::function<bool(size_t)>& work,
                                   const std::function<void(size_t done)>& progress) {
  WorkDone out;
  if (workers <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) {
      if (!work(i)) ++out.failed;
      if (progress) progress(i + 1);
    }
    return out;
  }
  SharedMemory memory;
  if (memory.shared == nullptr)
    return failed_error(fmt::format("no memory for workers: {}", std::strerror(errno)));
  std::vector<Worker> all(std::min<size_t>(workers, count));
  size_t done = 0, running = 0;
  for (Worker& w : all) running += start(w, *memory.shared, count, work) ? 1 : 0;
  if (running == 0) return failed_error("no process can be started");
  while (running > 0) {
    std::vector<pollfd> fds;
    for (const Worker& w : all) fds.push_back({w.from, POLLIN, 0});
    if (poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return failed_error(fmt::format("waiting for workers: {}", std::strerror(errno)));
    }
    for (size_t n = 0; n < all.size(); ++n) {
      if (fds[n].fd < 0 || fds[n].revents == 0) continue;
      Worker& w = all[n];
      Message m{};
      const ssize_t got = read(w.from, &m, sizeof m);
      if (got < 0 && errno == EINTR) continue;
      if (got == sizeof m) {
        w.item = m.state == State::kBegun ? m.item : SIZE_MAX;
        if (m.state == State::kFailed) ++out.failed;
        if (m.state != State::kBegun && progress) progress(++done);
        continue;
      }
      stop(w);
      --running;
      if (w.item == SIZE_MAX) continue;
      out.lost.push_back(w.item);
      if (memory.shared->next.load() < count && start(w, *memory.shared, count, work)) ++running;
    }
  }
  std::sort(out.lost.begin(), out.lost.end());
  return out;
}

}  // namespace pitot
