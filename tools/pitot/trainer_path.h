// Where the program that trains policies would lie.
#pragma once

#include <filesystem>
#include <string>

namespace pitot::cli {

// pitot-learn in the folder of the running program.
inline std::string trainer_path() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "pitot-learn").string();
}

}  // namespace pitot::cli
