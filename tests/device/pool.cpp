#include "pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

namespace pitot::conformance {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

json as_json(const Comparison& c) {
  json spellings = json::object();
  for (const auto& [name, t] : c.spellings)
    spellings[name] = {static_cast<int>(t.rule),
                       t.programs,
                       t.results,
                       t.different,
                       t.nan_bits,
                       t.beyond,
                       t.gpu_error,
                       t.emulator_error,
                       t.apart,
                       t.example};
  return {{"problem", c.problem}, {"differs", c.differs}, {"spellings", spellings}};
}

Comparison from_json(const json& j) {
  Comparison c;
  c.problem = j["problem"];
  c.differs = j["differs"];
  const auto number = [](const json& v) { return v.is_null() ? 1e300 : v.get<double>(); };
  for (const auto& [name, v] : j["spellings"].items()) {
    Tally t;
    t.rule = static_cast<Rule>(v[0].get<int>());
    t.programs = v[1];
    t.results = v[2];
    t.different = v[3];
    t.nan_bits = v[4];
    t.beyond = v[5];
    t.gpu_error = number(v[6]);
    t.emulator_error = number(v[7]);
    t.apart = number(v[8]);
    t.example = v[9];
    c.spellings[name] = t;
  }
  return c;
}

void write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n <= 0) _exit(3);
    at += static_cast<size_t>(n);
  }
}

struct Worker {
  pid_t pid = -1;
  int fd = -1;
  std::string buffer;
  std::optional<size_t> current;
  bool first = true;
  Clock::time_point since;
};

class Pool {
 public:
  Pool(size_t programs, const PoolSettings& settings, const MakeCompare& make)
      : programs_(programs), settings_(settings), make_(make), results_(programs), done_(programs) {
    void* shared = ::mmap(nullptr, sizeof(std::atomic<size_t>), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    next_ = new (shared) std::atomic<size_t>(0);
  }

  std::vector<Comparison> run(const std::function<void(size_t)>& progress) {
    const auto start = Clock::now();
    workers_.resize(std::max(1u, settings_.processes));
    for (unsigned k = 0; k < workers_.size(); ++k) begin(k);
    size_t alive = workers_.size();
    while (alive != 0) {
      std::vector<pollfd> fds;
      for (const Worker& w : workers_) fds.push_back({w.fd, POLLIN, 0});
      ::poll(fds.data(), fds.size(), 500);
      const auto now = Clock::now();
      if (std::chrono::duration<double>(now - start).count() > settings_.budget_seconds)
        next_->store(programs_);
      for (unsigned k = 0; k < workers_.size(); ++k) {
        Worker& w = workers_[k];
        if (w.fd < 0) continue;
        bool over = false;
        if ((fds[k].revents & (POLLIN | POLLHUP)) != 0) over = !read_some(w);
        const double limit = settings_.seconds * (w.first ? 2.0 : 1.0);
        if (!over && w.current && std::chrono::duration<double>(now - w.since).count() > limit) {
          ::kill(w.pid, SIGKILL);
          fail(w, fmt::format("no answer within {} s", limit));
          over = true;
        }
        if (over && !end(k)) --alive;
      }
      size_t done = 0;
      for (const bool d : done_) done += d ? 1 : 0;
      progress(done);
    }
    for (size_t k = 0; k < programs_; ++k)
      if (!done_[k]) results_[k].problem = "not run: the time was up";
    return std::move(results_);
  }

 private:
  void begin(unsigned k) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      child(k, ends[1]);
      _exit(0);
    }
    ::close(ends[1]);
    workers_[k] = {};
    workers_[k].pid = pid;
    workers_[k].fd = ends[0];
    workers_[k].since = Clock::now();
  }

  [[noreturn]] void child(unsigned k, int fd) {
    ::signal(SIGINT, SIG_DFL);
    CompareOne one;
    for (;;) {
      const size_t n = next_->fetch_add(1);
      if (n >= programs_) _exit(0);
      write_all(fd, fmt::format("{}\n", n));
      if (!one) one = make_(k);
      bool last = false;
      const Comparison c = one(n, last);
      write_all(fd, as_json(c).dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
      if (last) _exit(0);
    }
  }

  // False at the end of what the process writes.
  bool read_some(Worker& w) {
    char bytes[65536];
    const ssize_t n = ::read(w.fd, bytes, sizeof bytes);
    if (n <= 0) {
      if (w.current) fail(w, "the process died");
      return false;
    }
    w.buffer.append(bytes, static_cast<size_t>(n));
    size_t from = 0;
    for (size_t at; (at = w.buffer.find('\n', from)) != std::string::npos; from = at + 1) {
      const std::string line = w.buffer.substr(from, at - from);
      if (line[0] != '{') {
        w.current = std::stoul(line);
        w.since = Clock::now();
        continue;
      }
      results_[*w.current] = from_json(json::parse(line));
      done_[*w.current] = true;
      w.current.reset();
      w.first = false;
    }
    w.buffer.erase(0, from);
    return true;
  }

  void fail(Worker& w, const std::string& why) {
    results_[*w.current].problem = why;
    done_[*w.current] = true;
    w.current.reset();
  }

  // True when another process goes on in its place.
  bool end(unsigned k) {
    ::close(workers_[k].fd);
    ::waitpid(workers_[k].pid, nullptr, 0);
    workers_[k].fd = -1;
    if (next_->load() >= programs_) return false;
    begin(k);
    return true;
  }

  const size_t programs_;
  const PoolSettings& settings_;
  const MakeCompare& make_;
  std::vector<Comparison> results_;
  std::vector<bool> done_;
  std::vector<Worker> workers_;
  std::atomic<size_t>* next_ = nullptr;
};

}  // namespace

std::vector<Comparison> compare_all(size_t programs, const PoolSettings& settings,
                                    const MakeCompare& make,
                                    const std::function<void(size_t)>& progress) {
  return Pool(programs, settings, make).run(progress);
}

}  // namespace pitot::conformance
