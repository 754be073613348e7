// posix_spawn, pipes and poll behind run_process.
#include "toolchain/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace pitot::toolchain {
namespace {

using Clock = std::chrono::steady_clock;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

Error start_error(const std::string& program, int code) {
  return missing_error("cannot start " + program + ": " + std::strerror(code));
}

// A descriptor the child can read `input` from; no writer is needed, so nothing can block on it.
bool fill_input(std::string_view input, Descriptor& fd) {
  if (input.empty()) {
    fd.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return fd.open();
  }
  fd.reset(::memfd_create("input", MFD_CLOEXEC));
  while (fd.open() && !input.empty()) {
    ssize_t n = ::write(fd.get(), input.data(), input.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    input.remove_prefix(static_cast<size_t>(n));
  }
  return fd.open() && ::lseek(fd.get(), 0, SEEK_SET) == 0;
}

std::vector<std::string> child_environment(const ProcessOptions& options) {
  auto overrides = options.environment;
  overrides.emplace_back("LC_ALL", "C");  // tools' messages are parsed
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('='));
    bool replaced = std::any_of(overrides.begin(), overrides.end(),
                                [&](const auto& pair) { return pair.first == name; });
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : overrides) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

// Reads what is there. False at the end of the stream.
bool drain(int fd, std::string& into, size_t limit, bool& truncated) {
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    size_t kept = std::min(limit - into.size(), static_cast<size_t>(n));
    into.append(buffer, kept);
    if (kept < static_cast<size_t>(n)) truncated = true;
  }
}

struct Spawned {
  pid_t pid = 0;
  int error = 0;
};

Spawned spawn(const std::vector<std::string>& argv, const ProcessOptions& options, int in, int out,
              int err) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> environment = child_environment(options);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  if (!options.directory.empty())
    posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  Spawned result;
  result.error = posix_spawnp(&result.pid, argv[0].c_str(), &actions, &attributes,
                              pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

// Collects output until the child has ended or the deadline passes.
void collect(pid_t pid, Descriptor& out, Descriptor& err, const ProcessOptions& options,
             Clock::time_point start, ProcessResult& result, int& status) {
  bool ended = false;
  while (!ended) {
    double left = options.time_limit - std::chrono::duration<double>(Clock::now() - start).count();
    if (options.time_limit > 0 && left <= 0) {
      result.timed_out = true;
      break;
    }
    // The child may close its streams and live on, or end while a grandchild keeps them open; so
    // both are looked at in turn, at least every 20 ms.
    int wait = options.time_limit > 0 ? static_cast<int>(std::min(20.0, left * 1000 + 1)) : 20;
    pollfd streams[2] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}};
    ::poll(streams, 2, wait);
    if (out.open() && !drain(out.get(), result.out, options.output_limit, result.truncated))
      out.reset();
    if (err.open() && !drain(err.get(), result.err, options.output_limit, result.truncated))
      err.reset();
    pid_t done = ::waitpid(pid, &status, WNOHANG);
    ended = done == pid || (done < 0 && errno != EINTR);
    if (!ended && !out.open() && !err.open()) ::poll(nullptr, 0, 1);
  }
  if (out.open()) drain(out.get(), result.out, options.output_limit, result.truncated);
  if (err.open()) drain(err.get(), result.err, options.output_limit, result.truncated);
  ::kill(-pid, SIGKILL);  // what the program left running goes with it
  while (!ended && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  const ProcessOptions& options) {
  if (argv.empty() || argv[0].empty()) return input_error("no program to run");
  Descriptor in, out, out_write, err, err_write;
  if (!fill_input(options.input, in)) return start_error(argv[0], errno);
  for (auto [read_end, write_end] : {std::pair(&out, &out_write), std::pair(&err, &err_write)}) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return start_error(argv[0], errno);
    read_end->reset(ends[0]);
    write_end->reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  Clock::time_point start = Clock::now();
  Spawned child = spawn(argv, options, in.get(), out_write.get(), err_write.get());
  if (child.error != 0) return start_error(argv[0], child.error);
  out_write.reset();
  err_write.reset();
  ProcessResult result;
  int status = 0;
  collect(child.pid, out, err, options, start, result, status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    size_t colon = std::min(rest.find(':'), rest.size());
    std::string candidate(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    candidate += "/" + name;
    if (candidate[0] == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace pitot::toolchain
