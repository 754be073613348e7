// File helpers over <filesystem> and POSIX.
#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace pitot {
namespace fs = std::filesystem;

namespace {

Error system_error(const std::string& path, const char* what) {
  return input_error(path + ": " + what + ": " + std::strerror(errno));
}

Result<std::string> read_descriptor(int fd, const std::string& path, size_t size_hint) {
  std::string out;
  out.resize(size_hint + 1);
  size_t used = 0;
  for (;;) {
    if (used == out.size()) out.resize(out.size() * 2 + 4096);
    ssize_t n = ::read(fd, out.data() + used, out.size() - used);
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error(path, "cannot read");
    }
    if (n == 0) break;
    used += static_cast<size_t>(n);
  }
  out.resize(used);
  return out;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_descriptor(STDIN_FILENO, "standard input", 0);
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "cannot open");
  struct stat st {};
  size_t hint = 0;
  if (::fstat(fd, &st) == 0) {
    if (S_ISDIR(st.st_mode)) {
      ::close(fd);
      return input_error(path + ": is a directory");
    }
    hint = static_cast<size_t>(st.st_size);
  }
  auto result = read_descriptor(fd, path, hint);
  ::close(fd);
  return result;
}

Status write_file(const std::string& path, std::string_view content) {
  // A device or a pipe is written to; renaming a file over it would replace it. Behind a link
  // stands the file that is meant.
  std::error_code ec;
  const fs::file_status status = fs::status(path, ec);
  const bool special = fs::exists(status) && !fs::is_regular_file(status);
  std::string target = path;
  if (!special && fs::is_symlink(path, ec))
    if (auto real = fs::weakly_canonical(path, ec); !ec) target = real.string();
  const std::string written = special ? target : target + ".tmp." + std::to_string(::getpid());
  const int fd =
      ::open(written.c_str(),
             special ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return system_error(path, "cannot write");
  auto give_up = [&] {
    Error error = system_error(path, "cannot write");
    if (!special) ::unlink(written.c_str());
    return error;
  };
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      Error error = give_up();
      ::close(fd);
      return error;
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  if (::close(fd) != 0 || (!special && ::rename(written.c_str(), target.c_str()) != 0))
    return give_up();
  return Ok{};
}

Result<std::vector<std::string>> list_files(const std::string& path,
                                            const std::vector<std::string>& endings) {
  std::error_code ec;
  if (!fs::is_directory(path, ec)) return std::vector<std::string>{path};
  std::vector<std::string> out;
  fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, ec);
  if (ec) return input_error(path + ": " + ec.message());
  for (; it != fs::recursive_directory_iterator(); it.increment(ec)) {
    if (ec) return input_error(path + ": " + ec.message());
    if (!it->is_regular_file(ec)) continue;
    std::string name = it->path().string();
    for (const auto& ending : endings) {
      if (name.size() >= ending.size() &&
          name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
        out.push_back(name);
        break;
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace pitot
