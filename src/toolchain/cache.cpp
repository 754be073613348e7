// Layout: DIRECTORY/ab/cdef….entry, two levels by the key's digits.
#include "toolchain/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "support/file.h"

namespace pitot::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCacheMagic = "pitot-cache-1\n";
constexpr size_t kHeader = 14 + 32 + 1;  // magic, hash of the content, newline

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Cache::Cache(std::string directory, uint64_t max_bytes)
    : directory_(std::move(directory)), max_bytes_(max_bytes), written_(0) {}

Cache::Cache(Cache&& other) noexcept
    : directory_(std::move(other.directory_)),
      max_bytes_(other.max_bytes_),
      written_(other.written_.load()) {}

Result<Cache> Cache::open(std::string directory, uint64_t max_bytes) {
  if (directory.empty()) return input_error("no cache directory");
  std::error_code ec;
  fs::create_directories(directory, ec);
  if (ec) return input_error(directory + ": cannot create: " + ec.message());
  if (::access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
    return input_error(directory + ": cannot write: " + std::strerror(errno));
  return Cache(std::move(directory), max_bytes);
}

std::string Cache::path(Hash128 key) const {
  std::string digits = key.hex();
  return directory_ + "/" + digits.substr(0, 2) + "/" + digits.substr(2) + ".entry";
}

std::optional<std::string> Cache::get(Hash128 key) const {
  std::string file = path(key);
  auto content = read_file(file);
  if (!content.ok()) return std::nullopt;
  std::string_view view = *content;
  if (view.size() < kHeader || !view.starts_with(kCacheMagic)) return std::nullopt;
  std::string_view payload = view.substr(kHeader);
  if (view.substr(kCacheMagic.size(), 32) != hash_bytes(payload).hex()) return std::nullopt;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // used now
  return std::string(payload);
}

bool Cache::put(Hash128 key, std::string_view bytes) {
  std::string file = path(key);
  std::error_code ec;
  fs::create_directories(fs::path(file).parent_path(), ec);
  if (ec) return false;
  std::string temporary = file + ".tmp.XXXXXX";
  int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return false;
  bool written = write_all(fd, kCacheMagic) && write_all(fd, hash_bytes(bytes).hex() + "\n") &&
                 write_all(fd, bytes);
  written = ::close(fd) == 0 && written;
  if (!written || ::rename(temporary.c_str(), file.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return false;
  }
  // Looking at the whole directory costs more than an entry: only when a good share of the bound
  // was written, or by chance, so that many short runs keep it as well.
  uint64_t before = written_.fetch_add(bytes.size() + kHeader);
  if (before + bytes.size() > max_bytes_ / 16 || key.low % 256 == 0) trim();
  return true;
}

void Cache::trim() {
  written_.store(0);
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    uint64_t size;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code ec;
  auto now = fs::file_time_type::clock::now();
  fs::recursive_directory_iterator it(directory_, fs::directory_options::skip_permission_denied,
                                      ec);
  for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    std::error_code gone;  // another process may trim at the same time
    if (!it->is_regular_file(gone) || gone) continue;
    auto used = it->last_write_time(gone);
    uint64_t size = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    if (it->path().extension() == ".entry") {
      entries.push_back({it->path(), used, size});
      total += size;
    } else if (it->path().filename().string().find(".entry.tmp.") != std::string::npos &&
               now - used > std::chrono::hours(1)) {
      fs::remove(it->path(), gone);
    }
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 5 * 4) break;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.size;
  }
}

std::string default_cache_directory() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/pitot";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::string(home) + "/.cache/pitot";
  return {};
}

}  // namespace pitot::toolchain
