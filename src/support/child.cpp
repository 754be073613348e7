#include "support/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace pitot {
namespace {

using Clock = std::chrono::steady_clock;

// All of it, or false at the end of the file, on an error, or when the time is up.
bool read_all(int fd, char* to, size_t n, Clock::time_point until, bool forever, bool& timed_out) {
  while (n > 0) {
    if (!forever) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd p{fd, POLLIN, 0};
      const int ready =
          left < 0 ? 0 : poll(&p, 1, static_cast<int>(std::min<int64_t>(left, 1 << 30)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) {
        timed_out = true;
        return false;
      }
    }
    const ssize_t got = read(fd, to, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    n -= static_cast<size_t>(got);
  }
  return true;
}

bool write_all(int fd, const char* from, size_t n) {
  while (n > 0) {
    const ssize_t put = write(fd, from, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    n -= static_cast<size_t>(put);
  }
  return true;
}

bool send(int fd, std::string_view text) {
  const uint64_t n = text.size();
  return write_all(fd, reinterpret_cast<const char*>(&n), sizeof n) &&
         write_all(fd, text.data(), text.size());
}

[[noreturn]] void serve(const ChildProcess::Job& job, pid_t parent, int in, int out) {
  // Not to outlive a parent that is killed, even before this line.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  signal(SIGINT, SIG_IGN);  // of the terminal; the parent decides
  bool unused = false;
  uint64_t n = 0;
  std::string request;
  while (read_all(in, reinterpret_cast<char*>(&n), sizeof n, {}, true, unused)) {
    request.resize(n);
    if (!read_all(in, request.data(), n, {}, true, unused)) break;
    if (!send(out, job(request))) break;
  }
  _exit(0);
}

}  // namespace

Status ChildProcess::start() {
  int request[2], answer[2];
  if (pipe2(request, O_CLOEXEC) != 0)
    return failed_error(fmt::format("no pipe: {}", std::strerror(errno)));
  if (pipe2(answer, O_CLOEXEC) != 0) {
    close(request[0]);
    close(request[1]);
    return failed_error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(request[1]);
    close(answer[0]);
    serve(job_, parent, request[0], answer[1]);
  }
  close(request[0]);
  close(answer[1]);
  to_ = request[1];
  from_ = answer[0];
  if (pid_ < 0) {
    const Error error = failed_error(fmt::format("no process: {}", std::strerror(errno)));
    stop();
    return error;
  }
  return Ok{};
}

void ChildProcess::stop() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  to_ = from_ = -1;
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  pid_ = -1;
}

Error ChildProcess::lost(const std::string& what) {
  int status = 0;
  // It closed its pipe: it is ending, or has ended.
  pid_t ended = -1;
  if (!timed_out_)
    while ((ended = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) continue;
  if (ended == pid_) pid_ = -1;
  stop();
  if (ended > 0 && WIFSIGNALED(status))
    return failed_error(fmt::format("{}: killed by signal {} ({})", what, WTERMSIG(status),
                                    strsignal(WTERMSIG(status))));
  if (ended > 0)
    return failed_error(fmt::format("{}: ended with status {}", what, WEXITSTATUS(status)));
  return failed_error(what);
}

Result<std::string> ChildProcess::call(std::string_view request, double seconds) {
  timed_out_ = false;
  if (pid_ < 0)
    if (Status s = start(); !s) return s.error();
  // A child that died is noticed by the answer that does not come, not by SIGPIPE.
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool sent = send(to_, request);
  sigaction(SIGPIPE, &before, nullptr);
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  uint64_t n = 0;
  std::string answer;
  if (sent && read_all(from_, reinterpret_cast<char*>(&n), sizeof n, until, false, timed_out_)) {
    answer.resize(n);
    if (read_all(from_, answer.data(), n, until, false, timed_out_)) return answer;
  }
  return lost(timed_out_ ? fmt::format("no answer within {:g} s", seconds)
                         : std::string("the process that did the work died"));
}

}  // namespace pitot
