// Cache: results of slow tools on disk, found again by the hash of everything that went into them.
//
// Entries are written to a temporary name and renamed, and carry their own hash, so that several
// processes may share a directory and a torn or damaged entry reads as absent. When the entries
// outgrow the bound, those used longest ago go.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/hash.h"
#include "support/result.h"

namespace pitot::toolchain {

class Cache {
 public:
  // Creates the directory. kInput if that fails or it cannot be written to.
  static Result<Cache> open(std::string directory, uint64_t max_bytes = uint64_t{1} << 30);

  Cache(Cache&& other) noexcept;

  // The stored bytes; counts as a use.
  std::optional<std::string> get(Hash128 key) const;
  // False if the entry could not be written: the result is then simply not cached.
  bool put(Hash128 key, std::string_view bytes);
  // Deletes the entries used longest ago until at most 80 % of the bound is taken, if it is
  // exceeded, and temporary files over an hour old. Called by put now and then.
  void trim();

  const std::string& directory() const { return directory_; }

 private:
  Cache(std::string directory, uint64_t max_bytes);
  std::string path(Hash128 key) const;

  std::string directory_;
  uint64_t max_bytes_;
  std::atomic<uint64_t> written_;  // bytes since the last trim
};

// $XDG_CACHE_HOME/pitot, else $HOME/.cache/pitot; empty if neither variable is set.
std::string default_cache_directory();

}  // namespace pitot::toolchain
